"""Letters that may be typed instead of others: neighbours on a keyboard, and alphabets of scripts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


def _layout(*rows: str) -> Mapping[str, str]:
    """Return the neighbours on a keyboard, given its rows from the top; a dot is a key without a letter.

    Each row is shifted half a key to the right of the row above it, so a key touches two keys of each.
    """
    places = {(x + y / 2, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
    near = ((-1, 0), (1, 0), (-0.5, -1), (0.5, -1), (-0.5, 1), (0.5, 1))
    return MappingProxyType(
        {
            letter: "".join(places.get((x + right, y + down), ".") for right, down in near).replace(".", "")
            for (x, y), letter in places.items()
            if letter != "."
        }
    )


KEYBOARDS = MappingProxyType(
    {
        # Eleven keys, for `hybrid`: common vowels and consonants.
        "hybrid": MappingProxyType(
            {
                "a": "sqwe",
                "d": "serfc",
                "e": "wrds",
                "i": "uokj",
                "l": "kop",
                "n": "bhjm",
                "o": "iplk",
                "r": "edft",
                "s": "awedxz",
                "t": "rfgy",
                "u": "yijh",
            }
        ),
        # All letters, for `typos`.
        "typos": MappingProxyType(
            {
                "a": "sqwz",
                "b": "vghn",
                "c": "xdfv",
                "d": "serfcx",
                "e": "wsdr",
                "f": "drtgvc",
                "g": "ftyhbv",
                "h": "gyujnb",
                "i": "ujko",
                "j": "huiknm",
                "k": "jiolm",
                "l": "kop",
                "m": "njk",
                "n": "bhjm",
                "o": "iklp",
                "p": "ol",
                "q": "wa",
                "r": "edft",
                "s": "awedxz",
                "t": "rfgy",
                "u": "yhji",
                "v": "cfgb",
                "w": "qase",
                "x": "zsdc",
                "y": "tghu",
                "z": "asx",
            }
        ),
        # German, French, Russian, Greek, Arabic and Hebrew, starting with the row of digits.
        "qwertz": _layout("..........ß", "qwertzuiopü", "asdfghjklöä", "yxcvbnm"),
        "azerty": _layout(".é....è.çà.", "azertyuiop", "qsdfghjklmù", "wxcvbn"),
        "jcuken": _layout("ё", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
        "greek": _layout("", ".ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
        "arabic": _layout("ذ", "ضصثقفغعهخحجد", "شسيبلاتنمكط", "ئءؤر.ىةوزظ"),
        "hebrew": _layout("", "..קראטוןםפ", "שדגכעיחלךף", "זסבהנמצתץ"),
    }
)


class Alphabet(NamedTuple):
    """The lower-case letters that may be inserted into a word, and the script's Unicode blocks."""

    letters: str
    blocks: tuple[tuple[int, int], ...]


def _letters(first: int, last: int, without: str = "") -> str:
    every = map(chr, range(first, last + 1))
    return "".join(letter for letter in every if letter not in without)


# Latin is not listed: its letters are a to z, which also replace letters of any script not listed here.
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
