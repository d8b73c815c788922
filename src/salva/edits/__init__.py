"""Which words change, and into what: sources of words, one planner per preset, and renders."""
