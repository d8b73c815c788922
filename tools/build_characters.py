"""Write the properties that Python and `regex` report for every character to the shipped table.

    python3.13 -m tools.build_characters

Needs `regex`, and a Python whose Unicode version is UNICODE. Code points that this version does not assign
have no flags; for the others, `regex` reports the properties of its own, newer Unicode version.
`salva.text.words` reads the result.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import regex

from salva._kernels import constants as bits
from tools.tables import write_tables

UNICODE = "15.1.0"
POINTS = 0x110000
SURROGATES = range(0xD800, 0xE000)
JOINING_KINDS = ("Extend", "SpacingMark", "ZWJ", "V", "T")
UNSPACED_SCRIPTS = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")


TESTS: dict[int, Callable[[str], object]] = {
    bits.SPACE: str.isspace,
    bits.NLTK_SPACE: regex.compile(r"\s").match,
    bits.WORD: lambda character: character.isalnum() or character == "_",
    bits.NLTK_WORD: regex.compile(r"\w").match,
    bits.DECIMAL: str.isdecimal,
    bits.DIGIT: str.isdigit,
    bits.UPPER: str.isupper,
    bits.LOWER: str.islower,
    bits.TITLE: lambda character: unicodedata.category(character) == "Lt",
    bits.CASED: regex.compile(r"\p{Cased}").match,
    bits.CASE_IGNORABLE: regex.compile(r"\p{Case_Ignorable}").match,
    bits.ALPHA: str.isalpha,
    bits.ASSIGNED: lambda _: True,
    bits.JOINING: regex.compile("|".join(rf"\p{{GCB={kind}}}" for kind in JOINING_KINDS)).match,
    bits.LEADING: regex.compile(r"\p{GCB=Prepend}|\p{GCB=L}").match,
    bits.UNSPACED: regex.compile("|".join(rf"\p{{scx={name}}}" for name in UNSPACED_SCRIPTS)).match,
}


def flags_of(character: str) -> int:
    """Return the flags of a character."""
    return sum(bit for bit, test in TESTS.items() if test(character))


def characters() -> list[str]:
    """Return the assigned characters."""
    points = (chr(point) for point in range(POINTS) if point not in SURROGATES)
    return [character for character in points if unicodedata.category(character) != "Cn"]


def case_tables(assigned: list[str], name: str) -> dict[str, pa.Array]:
    """Return the single characters that `str.lower`, `upper` or `title` changes, and the results."""
    pairs = [(c, getattr(c, name)()) for c in assigned if getattr(c, name)() != c]
    return {
        f"{name}_points": pa.array([ord(character) for character, _ in pairs], pa.int32()),
        f"{name}_strings": pa.array([string for _, string in pairs], pa.string()),
    }


def main() -> None:
    """Write the table to the lexicon's data folder."""
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, not {UNICODE}")
    assigned = characters()
    flags = np.zeros(POINTS, np.uint16)
    flags[[ord(character) for character in assigned]] = [flags_of(character) for character in assigned]
    unique, pages = np.unique(flags.reshape(-1, 256), axis=0, return_inverse=True)
    tables = {
        "unicode": pa.array([UNICODE]),
        "pages": pa.array(pages.ravel().astype(np.uint8)),
        "flags": pa.array(unique.ravel()),
    }
    for name in ("lower", "upper", "title"):
        tables |= case_tables(assigned, name)
    write_tables("characters.arrow", tables)


if __name__ == "__main__":
    main()
