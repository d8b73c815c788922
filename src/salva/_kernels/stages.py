"""The purpose of every draw for a token: one number per purpose, never used twice, so draws are independent.

These numbers are part of what a seed means: if one changes, results change. Add new ones at the end, with
the next numbers.
"""

from __future__ import annotations

# hybrid
GROUP, GROUP_CHOICE, WORDNET, WORDNET_CHOICE, HYBRID_TYPO, HYBRID_PLACE, HYBRID_KEY, HYBRID_KEEP = range(1, 9)
# synonyms
SYNONYM, SYNONYM_CHOICE, SYNONYM_KEEP = range(9, 12)
# typos: each word has its own key (TYPOS_WORD), from which its positions and letters are drawn
TYPOS, TYPOS_WORD, TYPOS_PLACE, TYPOS_KEY, TYPOS_KEEP = range(12, 17)
# corrupt
CORRUPT_RANK, CORRUPT_KIND, CORRUPT_PLACE, CORRUPT_LETTER = range(17, 21)
CORRECT_CHOICE, COMPLETE_CHOICE, THESAURUS_CHOICE = range(21, 24)
# natural
NATURAL_CHOICE, NATURAL_KEEP, NATURAL_TOGETHER = range(24, 27)
# misspellings: each word has its own key (MISSPELL_WORD); the error is drawn again at every attempt
MISSPELL, MISSPELL_KEEP, MISSPELL_WORD, MISSPELL_CHANCE, MISSPELL_ERROR = range(27, 32)
# case, punctuation, spaces
CASE, CASE_KEEP, PUNCTUATE, PUNCTUATE_KEEP, PUNCTUATE_WAY, SPACE, SPACE_KEEP, SPACE_WAY = range(32, 40)
# negation, antonyms, numbers, names: which texts and which of their edits; then what words and digits become
CONTRAST_KEEP, CONTRAST_RANK, SWAP_CHOICE, DIGIT_CHOICE = range(40, 44)
