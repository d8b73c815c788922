"""Which words change, and into what: sources of words, one planner a preset, and renders."""
