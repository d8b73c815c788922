"""The frozen Unicode tables, loaded once a process."""

from __future__ import annotations

from functools import cache

from salva._kernels.characters import Characters
from salva.lexicon.tables import ints, read_tables

__all__ = ["load_characters"]


@cache
def load_characters() -> Characters:
    """Return what every character is, as of the shipped Unicode version."""
    tables = read_tables("characters.arrow")
    return Characters(ints(tables["pages"]), ints(tables["flags"]))
