"""The reference model: a small Transformer, its training, and how it is saved and loaded."""
