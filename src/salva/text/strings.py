"""Tables of strings for kernels: look-up, and the types of a column of words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._arrow import Strings, as_strings
from salva._kernels.strings import StringTable, enter, find_all, number_types, slots_for

__all__ = ["Types", "find_spans", "find_words", "string_table", "types_of", "word_types"]


class Types(NamedTuple):
    """The type of every word, numbered as they are first met, and a word of each type."""

    numbers: NDArray[np.int32]
    firsts: NDArray[np.int64]


def string_table(strings: Any) -> StringTable:
    """Return distinct strings as a table that kernels look things up in."""
    column = as_strings(strings)
    table = StringTable(column.data, column.offsets, slots_for(len(column)))
    enter(table, 0)
    return table


def find_words(table: StringTable, words: Strings, places: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the numbers of the words at `places`, -1 for what is not in the table.

    >>> find_words(string_table(["a", "b"]), as_strings(["b", "c"]), np.arange(2)).tolist()
    [1, -1]
    """
    offsets = words.offsets
    return find_spans(
        table, words.data, offsets[places].astype(np.int32), offsets[places + 1].astype(np.int32)
    )


def find_spans(
    table: StringTable, data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the numbers of stretches of bytes, -1 for what is not in the table."""
    out = np.empty(len(starts), np.int32)
    find_all(table, data, starts, stops, out)
    return out


def word_types(data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]) -> Types:
    """Give equal words equal numbers.

    >>> places = np.arange(4, dtype=np.int32)
    >>> word_types(np.frombuffer(b"aba", np.uint8), places[:-1], places[1:]).numbers.tolist()
    [0, 1, 0]
    """
    words = len(starts)
    numbers, firsts = np.empty(words, np.int32), np.empty(words, np.int64)
    room = max(words // 4, 1)  # few words are new: a table that stays in the cache
    while True:
        types = number_types(data, starts, stops, slots_for(room), firsts, numbers)
        if types >= 0:
            break
        room *= 4
    return Types(numbers, firsts[:types].copy())


def types_of(words: Strings) -> Types:
    """Give equal words of a column equal numbers; less than two gigabytes of them."""
    places = words.offsets.astype(np.int32)
    return word_types(words.data, places[:-1], places[1:])
