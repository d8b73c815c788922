"""The rules by which a word is edited; kernels write their numbers, and 0 means no edit."""

from __future__ import annotations

RULES = ("", "group", "wordnet", "typo", "autocorrect", "autocomplete", "synonym")
GROUP, WORDNET, TYPO, AUTOCORRECT, AUTOCOMPLETE, SYNONYM = range(1, len(RULES))
