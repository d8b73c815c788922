"""The rules by which a word is edited; kernels write their numbers, and 0 means no edit."""

from __future__ import annotations

__all__ = ["AUTOCOMPLETE", "AUTOCORRECT", "GROUP", "RULES", "SYNONYM", "TYPO", "WORDNET"]

RULES = ("", "group", "wordnet", "typo", "autocorrect", "autocomplete", "synonym")
GROUP, WORDNET, TYPO, AUTOCORRECT, AUTOCOMPLETE, SYNONYM = range(1, len(RULES))
