"""The neighbours of each letter on a keyboard: the two maps of the specifications, and real layouts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


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
