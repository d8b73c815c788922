"""Case-insensitive letters, and the words that NLTK cuts in two and joins again."""

from __future__ import annotations

import numpy as np

from salva._kernels.characters import decode
from salva._kernels.jit import step
from salva._types import Bools, Bytes

APOSTROPHE = ord("'")
LONG_S, DOTTED_I, DOTLESS_I = 0x17F, 0x130, 0x131


def bytes_in(characters: str) -> Bools:
    """Return which of the 256 bytes are among the given ASCII characters."""
    return np.isin(np.arange(256), np.frombuffer(characters.encode("ascii"), np.uint8))


# The letters of every contraction, where its two parts end, and which contractions begin with a byte.
_CONTRACTIONS = ["can-not", "d-'ye", "gim-me", "gon-na", "got-ta", "lem-me", "more-'n", "wan-na"]
WANNA = len(_CONTRACTIONS) - 1
LETTERS = np.zeros((len(_CONTRACTIONS), 7), np.uint8)
PARTS = np.array([(word.index("-"), len(word) - 1) for word in _CONTRACTIONS])
for _row, _word in enumerate(_CONTRACTIONS):
    LETTERS[_row, : len(_word) - 1] = np.frombuffer(_word.replace("-", "").encode(), np.uint8)
FIRST_ROW, LAST_ROW = np.zeros(256, np.int64), np.zeros(256, np.int64)
for _row in reversed(range(len(LETTERS))):
    for _byte in (LETTERS[_row, 0], LETTERS[_row, 0] ^ 32):
        FIRST_ROW[_byte] = _row
        LAST_ROW[_byte] = LAST_ROW[_byte] or _row + 1

IS_WAS = np.frombuffer(b"iswas", np.uint8)


@step
def folds_to(data: Bytes, i: int, stop: int, letter: int, dotless: bool) -> int:
    """Return how many bytes at `i` equal a lower-case letter, ignoring case; 0 if they differ.

    Python's `re` matches a dotless i as an i, `regex` does not.
    """
    if i >= stop:
        return 0
    if data[i] == letter or (data[i] == letter ^ 32 and letter != APOSTROPHE):
        return 1
    if data[i] < 0x80:
        return 0
    point = decode(data, i)
    if letter == ord("i"):
        return 2 if point == DOTTED_I or (dotless and point == DOTLESS_I) else 0
    return 2 if letter == ord("s") and point == LONG_S else 0
