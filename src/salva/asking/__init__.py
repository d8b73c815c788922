"""Asking a model what is left to ask: batches, limits, and a log of answers that only grows."""
