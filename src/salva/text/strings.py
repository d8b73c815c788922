"""Tables of strings for kernels: look-up, and the types of a column of words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._arrow import Strings, as_strings
from salva._kernels.strings import StringTable, fill_slots, number_types, slots_for

__all__ = ["Types", "string_table", "types_of", "word_types"]


class Types(NamedTuple):
    """The type of every word, numbered as they are first met, and a word of each type."""

    numbers: NDArray[np.int32]
    firsts: NDArray[np.int64]


def string_table(strings: Any) -> StringTable:
    """Return distinct strings as a table that kernels look things up in."""
    column = as_strings(strings)
    slots = slots_for(len(column))
    fill_slots(column.data, column.offsets, 0, slots)
    return StringTable(column.data, column.offsets, slots)


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
        slots = slots_for(room)
        types = number_types(data, starts, stops, slots, np.empty(len(slots), np.uint64), firsts, numbers)
        if types >= 0:
            break
        room *= 4
    return Types(numbers, firsts[:types].copy())


def types_of(words: Strings) -> Types:
    """Give equal words of a column equal numbers; less than two gigabytes of them."""
    places = words.offsets.astype(np.int32)
    return word_types(words.data, places[:-1], places[1:])
