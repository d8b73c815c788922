"""String tables for kernels: look up words, and number the distinct words (types) of a column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from salva._arrow import Strings, as_strings
from salva._kernels.strings import StringTable, enter, find_all, number_types, slots_for
from salva._types import Bytes, Ints32, Ints64


class Types(NamedTuple):
    """The type number of every word, in order of first occurrence, and the first word of each type."""

    numbers: Ints32
    firsts: Ints64


def string_table(strings: Any) -> StringTable:
    """Return a table of distinct strings for kernels to look words up in."""
    column = as_strings(strings)
    table = StringTable(column.data, column.offsets, slots_for(len(column)))
    enter(table, 0)
    return table


def find_words(table: StringTable, words: Strings, places: Ints64) -> Ints32:
    """Return the table numbers of the words at `places`, -1 for words that are not in the table.

    >>> find_words(string_table(["a", "b"]), as_strings(["b", "c"]), np.arange(2)).tolist()
    [1, -1]
    """
    offsets = words.offsets
    return find_spans(
        table, words.data, offsets[places].astype(np.int32), offsets[places + 1].astype(np.int32)
    )


def find_spans(table: StringTable, data: Bytes, starts: Ints32, stops: Ints32) -> Ints32:
    """Return the table numbers of byte ranges, -1 for those that are not in the table."""
    out = np.empty(len(starts), np.int32)
    find_all(table, data, starts, stops, out)
    return out


def word_types(data: Bytes, starts: Ints32, stops: Ints32) -> Types:
    """Give equal words equal numbers.

    >>> places = np.arange(4, dtype=np.int32)
    >>> word_types(np.frombuffer(b"aba", np.uint8), places[:-1], places[1:]).numbers.tolist()
    [0, 1, 0]
    """
    words = len(starts)
    numbers, firsts = np.empty(words, np.int32), np.empty(words, np.int64)
    room = max(words // 4, 1)  # most words repeat, and a small table stays in the cache
    while True:
        types = number_types(data, starts, stops, slots_for(room), firsts, numbers)
        if types >= 0:
            break
        room *= 4
    return Types(numbers, firsts[:types].copy())


def types_of(words: Strings) -> Types:
    """Give equal words of a column equal numbers; the column must be smaller than two gigabytes."""
    places = words.offsets.astype(np.int32)
    return word_types(words.data, places[:-1], places[1:])
