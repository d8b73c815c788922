"""What every draw of a token is for: one number a purpose, never used twice, so that draws are independent.

A number is part of what a seed means: change one, and results change. New ones go to the end.
"""

from __future__ import annotations

__all__ = [
    "COMPLETE_CHOICE",
    "CORRECT_CHOICE",
    "CORRUPT_KIND",
    "CORRUPT_LETTER",
    "CORRUPT_PLACE",
    "CORRUPT_RANK",
    "GROUP",
    "GROUP_CHOICE",
    "HYBRID_KEEP",
    "HYBRID_KEY",
    "HYBRID_PLACE",
    "HYBRID_TYPO",
    "SYNONYM",
    "SYNONYM_CHOICE",
    "SYNONYM_KEEP",
    "THESAURUS_CHOICE",
    "TYPOS",
    "TYPOS_KEEP",
    "TYPOS_KEY",
    "TYPOS_PLACE",
    "TYPOS_WORD",
    "WORDNET",
    "WORDNET_CHOICE",
]

# hybrid
GROUP, GROUP_CHOICE, WORDNET, WORDNET_CHOICE, HYBRID_TYPO, HYBRID_PLACE, HYBRID_KEY, HYBRID_KEEP = range(1, 9)
# synonyms
SYNONYM, SYNONYM_CHOICE, SYNONYM_KEEP = range(9, 12)
# typos: a word has a key of its own (TYPOS_WORD), from which its places and letters are drawn
TYPOS, TYPOS_WORD, TYPOS_PLACE, TYPOS_KEY, TYPOS_KEEP = range(12, 17)
# corrupt
CORRUPT_RANK, CORRUPT_KIND, CORRUPT_PLACE, CORRUPT_LETTER = range(17, 21)
CORRECT_CHOICE, COMPLETE_CHOICE, THESAURUS_CHOICE = range(21, 24)
