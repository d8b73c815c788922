"""The rules by which a word is edited; their numbers are what kernels write, 0 being no edit."""

from __future__ import annotations

__all__ = ["AUTOCOMPLETE", "AUTOCORRECT", "GROUP", "RULES", "SYNONYM", "TYPO", "WORDNET"]

RULES = ("", "group", "wordnet", "typo", "autocorrect", "autocomplete", "synonym")
GROUP, WORDNET, TYPO, AUTOCORRECT, AUTOCOMPLETE, SYNONYM = range(1, len(RULES))
