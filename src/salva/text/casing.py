"""Case patterns of words in any script: lower, Title, UPPER, mixed.

One capital letter counts as a title, so that `A` becomes `One` and not `ONE`; what has no case at all, and
what is neither of the three, is mixed, and a word in mixed case is left as it is.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from salva._arrow import as_strings
from salva._kernels.casing import GROWTH, CaseMap, Casing, change_case, find_pattern
from salva.errors import UsageError
from salva.lexicon.tables import ints, read_tables
from salva.text.characters import load_characters

__all__ = ["Pattern", "apply", "detect", "load_casing"]

Pattern = Literal["lower", "title", "upper", "mixed"]
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


def detect(word: str) -> Pattern:
    """Return the case pattern of a word.

    >>> [detect(word) for word in ("film", "Éclair", "ΠΛΑΤΩΝ", "iPhone", "映画")]
    ['lower', 'title', 'upper', 'mixed', 'mixed']
    """
    data = np.frombuffer(word.encode(), np.uint8)
    return PATTERNS[find_pattern(load_characters(), data, 0, len(data))]


def apply(pattern: Pattern, word: str) -> str:
    """Return a word in a case pattern; its length may change.

    >>> apply("upper", "straße"), apply("title", "ǆungla"), apply("lower", "ΟΔΟΣ"), apply("mixed", "McQueen")
    ('STRASSE', 'ǅungla', 'οδος', 'McQueen')
    """
    if pattern not in PATTERNS:
        raise UsageError(f"{pattern!r} is no case pattern; expected one of {', '.join(PATTERNS)}")
    data = np.frombuffer(word.encode(), np.uint8)
    out = np.empty(GROWTH * len(data), np.uint8)
    number = PATTERNS.index(pattern)
    size = change_case(load_characters(), load_casing(), number, data, 0, len(data), out)
    return out[:size].tobytes().decode()


@cache
def load_casing() -> Casing:
    """Return the frozen changes of case."""
    tables = read_tables("characters.arrow")
    return Casing(*(_case_map(tables, name) for name in ("lower", "upper", "title")))


def _case_map(tables: dict[str, pa.Array], name: str) -> CaseMap:
    strings = as_strings(tables[f"{name}_strings"])
    return CaseMap(ints(tables[f"{name}_points"]), strings.data, strings.offsets)
