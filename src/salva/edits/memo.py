"""Lists of words that are made once a word type, however many rows, chunks and threads ask for them.

What is known are immutable arrays that threads read without a lock. New words are looked up outside the lock,
and longer arrays take the place of the old ones; a word keeps its number.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from salva._arrow import Strings
from salva._kernels.choices import PATTERNS, Choices, Pool
from salva._kernels.spans import write_spans
from salva._kernels.strings import StringTable, fill_slots, find_all, slots_for

__all__ = ["ListSource", "Lists", "Memo", "frozen"]

Array = TypeVar("Array", bound=NDArray[np.generic])
Ints64 = NDArray[np.int64]
Ints32 = NDArray[np.int32]
UNKNOWN = -1
# Memory must not grow with the data: 50 MB or so, ten times the words of 25,000 film reviews.
MOST_WORDS = 1 << 19


class Lists(NamedTuple):
    """Lists laid end to end: list `i` is `values[starts[i]:starts[i + 1]]`."""

    starts: Ints64
    values: Ints32


class ListSource(Protocol):
    """Makes lists: `width` of them a word, of numbers of words; `cased` has these in every case pattern."""

    width: int
    cased: Strings

    def lists(self, words: Strings, places: Ints64) -> Lists:
        """Return the lists of the words at `places`, which are in small letters."""
        ...


class _Known(NamedTuple):
    """Where the lists of every word begin in `lists`, or UNKNOWN."""

    entries: Ints32
    lists: Lists


class Memo:
    """Sources that remember what they were asked."""

    def __init__(self, *sources: ListSource) -> None:
        self._sources = sources
        self._lock = threading.Lock()
        table = StringTable(frozen(np.empty(0, np.uint8)), frozen(np.zeros(1, np.int64)), slots_for(1024))
        self._table = table
        # The first lists are empty: they serve all words for which nobody asked.
        self._known = [
            _Known(np.empty(0, np.int32), Lists(np.zeros(source.width + 1, np.int64), np.empty(0, np.int32)))
            for source in sources
        ]

    @property
    def is_full(self) -> bool:
        """Tell whether so many words are known that it is better to begin anew."""
        return len(self._table.offsets) > MOST_WORDS

    def anew(self) -> Memo:
        """Return the same sources with nothing remembered."""
        memo = Memo(*self._sources)
        memo.pool = self.pool
        return memo

    @cached_property
    def pool(self) -> Pool:
        """The words of all sources, in all case patterns."""
        return Pool(
            frozen(np.concatenate([source.cased.data for source in self._sources])),
            frozen(np.concatenate([np.zeros(1, np.int64), *self._ends()])),
        )

    def _ends(self) -> Iterator[Ints64]:
        size = 0
        for source in self._sources:
            yield source.cased.offsets[1:] + size
            size += len(source.cased.data)

    def numbers(self, words: Strings) -> Ints32:
        """Return a number for every word, the same whoever asks."""
        places = np.arange(len(words))
        found = _find(self._table, words, places)
        if (found < 0).any():
            with self._lock:
                missing = places[found < 0]
                missing = missing[_find(self._table, words, missing) < 0]
                self._table = _grown(self._table, words, missing)
            found = _find(self._table, words, places)
        return found

    def choices(self, words: Strings, numbers: Ints32, places: Ints64, which: int = 0) -> Choices:
        """Return what the words at `places` may become by a source; the others nothing."""
        source, known = self._sources[which], self._known[which]
        entries = _padded(known.entries, int(numbers.max(initial=-1)) + 1)
        unknown = entries[numbers[places]] == UNKNOWN
        if unknown.any():
            missing = places[unknown]
            known = self._learn(which, numbers[missing], source.lists(words, missing))
            entries = known.entries
        out = np.zeros(len(words), np.int32)
        out[places] = entries[numbers[places]]
        starts, values = frozen(known.lists.starts), frozen(known.lists.values)
        first = sum(len(before.cased) for before in self._sources[:which])
        return Choices(out, starts, values, first, len(source.cased) // PATTERNS)

    def _learn(self, which: int, numbers: Ints32, lists: Lists) -> _Known:
        """Enter the lists of some words; those that another thread has entered stand there twice."""
        with self._lock:
            entries, (starts, values) = self._known[which]
            entries = _padded(entries, len(self._table.offsets) - 1)
            entries[numbers] = len(starts) - 1 + self._sources[which].width * np.arange(len(numbers))
            starts = np.concatenate([starts, lists.starts[1:] + starts[-1]])
            self._known[which] = _Known(entries, Lists(starts, np.concatenate([values, lists.values])))
            return self._known[which]


def frozen(array: Array) -> Array:
    """Return the array read-only: kernels are compiled anew for what may be written to."""
    array.flags.writeable = False
    return array


def _padded(entries: Ints32, size: int) -> Ints32:
    """Return a copy for at least `size` words."""
    out = np.full(max(size, len(entries)), UNKNOWN, np.int32)
    out[: len(entries)] = entries
    return out


def _find(table: StringTable, words: Strings, places: Ints64) -> Ints32:
    out = np.empty(len(places), np.int32)
    find_all(table, words.data, words.offsets, places, out)
    return out


def _grown(table: StringTable, words: Strings, places: Ints64) -> StringTable:
    """Return the table with the words at `places` entered as well."""
    count = len(table.offsets) - 1
    starts, stops = words.offsets[places].astype(np.int32), words.offsets[places + 1].astype(np.int32)
    offsets = np.empty(count + len(places) + 1, np.int64)
    offsets[:count] = table.offsets[:-1]
    size = int(table.offsets[-1])
    data = np.empty(size + int((stops - starts).sum()), np.uint8)
    data[:size] = table.data
    offsets[-1] = len(data)
    written = np.zeros(len(places), np.uint8)
    write_spans(words.data, starts, stops, written, size, offsets[count:-1], data)
    fits = 2 * len(offsets) <= len(table.slots)
    slots = table.slots.copy() if fits else slots_for(2 * len(offsets))
    fill_slots(frozen(data), frozen(offsets), count if fits else 0, slots)
    return StringTable(data, offsets, slots)
