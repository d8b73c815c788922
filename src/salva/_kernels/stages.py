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
    "PCFG_ARITY",
    "PCFG_ATTEMPT",
    "PCFG_CALL",
    "PCFG_FUNCTION",
    "PCFG_LETTER",
    "PCFG_ORDER",
    "PCFG_P_CALL",
    "PCFG_P_UNARY",
    "PCFG_SAMPLE",
    "PCFG_SIZE",
    "PCFG_STRING",
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
# lines of PCFG SET: their keys come from a purpose and not from a text, so they count from 0 anew
PCFG_SAMPLE, PCFG_P_UNARY, PCFG_P_CALL, PCFG_CALL, PCFG_ARITY, PCFG_FUNCTION, PCFG_SIZE = range(7)
PCFG_STRING, PCFG_ATTEMPT, PCFG_LETTER, PCFG_ORDER = range(7, 11)
