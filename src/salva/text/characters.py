"""The frozen Unicode tables, read once per process."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from salva._arrow import as_strings, ints
from salva._kernels.casing import CaseMap, Casing
from salva._kernels.characters import Characters
from salva.lexicon.tables import read_tables


@cache
def load_characters() -> Characters:
    """Return the properties of every character."""
    tables = _tables()
    return Characters(ints(tables["pages"]), ints(tables["flags"]))


def flags_of(character: str) -> int:
    """Return the flags of one character."""
    pages, flags = load_characters()
    point = ord(character)
    return int(flags[int(pages[point >> 8]) << 8 | point & 255])


@cache
def load_casing() -> Casing:
    """Return the lower, upper and title case of every character."""
    return Casing(*(_case_map(name) for name in ("lower", "upper", "title")))


def _case_map(name: str) -> CaseMap:
    strings = as_strings(_tables()[f"{name}_strings"])
    return CaseMap(ints(_tables()[f"{name}_points"]), strings.data, strings.offsets)


@cache
def _tables() -> dict[str, pa.Array]:
    return read_tables("characters.arrow")
