"""Which keys lie beside which: the two maps of the specifications, letter to neighbours."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["KEYBOARDS"]

KEYBOARDS = MappingProxyType(
    {
        # The eleven keys of `hybrid`: common vowels and consonants.
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
    }
)
