"""PCFG SET: its language and interpreter, corpora, training conditions, pairs of lines, and prompts."""
