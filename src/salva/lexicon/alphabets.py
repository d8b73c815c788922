"""Alphabets: the letters of each script, so that a wrong letter comes from the same script.

Latin is not listed: its letters are a to z, which are also used for letters of any script not listed here.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple


class Alphabet(NamedTuple):
    """The lower-case letters that may be inserted into a word, and the script's Unicode blocks."""

    letters: str
    blocks: tuple[tuple[int, int], ...]


def _letters(first: int, last: int, without: str = "") -> str:
    every = map(chr, range(first, last + 1))
    return "".join(letter for letter in every if letter not in without)


# Letters that occur only at the end of words are never inserted.
ALPHABETS = MappingProxyType(
    {
        "Greek": Alphabet(_letters(0x3B1, 0x3C9, "ς"), ((0x370, 0x3FF), (0x1F00, 0x1FFF))),
        "Cyrillic": Alphabet(
            _letters(0x430, 0x44F), ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F))
        ),
        "Armenian": Alphabet(_letters(0x561, 0x586), ((0x530, 0x58F), (0xFB13, 0xFB17))),
        "Hebrew": Alphabet(_letters(0x5D0, 0x5EA, "ךםןףץ"), ((0x590, 0x5FF), (0xFB1D, 0xFB4F))),
        "Arabic": Alphabet(
            "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
            ((0x600, 0x6FF), (0x750, 0x77F), (0x870, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)),
        ),
        "Devanagari": Alphabet(_letters(0x915, 0x939), ((0x900, 0x97F), (0xA8E0, 0xA8FF))),
        "Georgian": Alphabet(
            _letters(0x10D0, 0x10F0), ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F))
        ),
        "Hangul": Alphabet(_letters(0xAC00, 0xD7A3), ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7FF))),
    }
)
