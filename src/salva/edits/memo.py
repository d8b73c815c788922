"""Words as written, and what each may become, looked up once however many rows and threads ask for it.

What is known is in immutable arrays that threads read without a lock. Lists are made outside the lock, and
longer arrays replace the old ones; a word keeps its number.
"""

from __future__ import annotations

import threading
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from salva._arrow import Strings, as_numbers, as_strings
from salva._kernels import Choices, Slots, StringTable, WordLists, enter, write_spans
from salva._kernels.constants import NO_WORDS, UNASKED
from salva._types import Bools, Bytes, Ints32, Ints64
from salva.edits.sources import WordSource
from salva.text.casing import in_patterns
from salva.text.words import describe, describe_column, find_spans, slots_for, word_types

Array = TypeVar("Array", bound=NDArray[np.generic])
# Memory must not grow with the data: a distinct word takes some 290 bytes; 25,000 reviews have 127,000.
MOST_WORDS, MOST_BYTES = 1 << 18, 1 << 27


class _KnownWords(NamedTuple):
    """The words entered so far, as written, and the properties of each."""

    table: StringTable
    lengths: Ints32
    made_of: Bytes


class WordTypes(NamedTuple):
    """The type of every word, and the number of code points and composition of every type."""

    numbers: Ints32
    lengths: Ints32
    made_of: Bytes


class Memo:
    """Sources that remember which words they were asked about, and what they answered.

    `lists` holds the words of all sources that are known so far; an entry keeps its number.
    """

    def __init__(self, *sources: WordSource) -> None:
        self._sources = sources
        self._lock = threading.Lock()
        table = StringTable(np.empty(0, np.uint8), np.zeros(1, np.int64), slots_for(1024))
        none = np.empty(0, np.int32)
        self._known = _KnownWords(table, none, np.empty(0, np.uint8))
        self._entries = [none for _ in sources]
        self.lists = WordLists(np.zeros(2 * NO_WORDS + 1, np.int64), table.offsets, table.data)

    @property
    def is_full(self) -> bool:
        """Whether the memo has grown so large that it is better to start over."""
        size = len(self._known.table.data) + len(self.lists.data)
        return len(self._known.lengths) > MOST_WORDS or size > MOST_BYTES

    def types(self, data: Bytes, starts: Ints32, stops: Ints32) -> WordTypes:
        """Return a number for every word, the same for every caller, and the properties of the words."""
        known = self._known
        numbers = find_spans(known.table, data, starts, stops)
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            starts, stops = starts[missing], stops[missing]
            known = self._enter(data, starts, stops)
            numbers[missing] = find_spans(known.table, data, starts, stops)
        return WordTypes(numbers, known.lengths, known.made_of)

    def choices(self, asked: Bools, which: int = 0) -> Choices:
        """Return the words of a source for the types asked for; for other types, those already known."""
        entries = _padded(self._entries[which], len(asked))
        missing = np.flatnonzero(asked & (entries[: len(asked)] == UNASKED))
        if len(missing):
            entries = self._learn(which, missing)
        return Choices(entries, self.lists)

    def _enter(self, data: Bytes, starts: Ints32, stops: Ints32) -> _KnownWords:
        """Enter new words; another thread may have entered some of them meanwhile."""
        firsts = word_types(data, starts, stops).firsts
        starts, stops = starts[firsts], stops[firsts]
        with self._lock:
            new = find_spans(self._known.table, data, starts, stops) < 0
            starts, stops = starts[new], stops[new]
            words = describe(data, starts, stops)
            self._known = _KnownWords(
                _grown(self._known.table, data, starts, stops),
                _longer(self._known.lengths, words.lengths),
                _longer(self._known.made_of, words.made_of),
            )
            return self._known

    def _learn(self, which: int, types: Ints64) -> Ints32:
        """Enter the lists of some types; lists that another thread entered meanwhile are there twice."""
        source, table = self._sources[which], self._known.table
        own = as_strings(
            Strings.of(np.asarray(table.data), np.asarray(table.offsets)).array.take(as_numbers(types))
        )
        described = describe_column(own)
        lists = source.lists(own if source.written else described.lowered, np.arange(len(types)))
        sizes = np.diff(lists.starts).reshape(len(types), source.width)
        times = sizes.sum(axis=1)
        patterns = np.repeat(described.patterns, times)
        numbers = lists.values.astype(np.int32, copy=False)
        words = in_patterns(source.words, numbers, patterns, keep_capitals=True)
        some = times > 0
        with self._lock:
            known = self.lists
            self.lists = WordLists(
                _longer(known.starts, np.cumsum(sizes[some].ravel()) + known.starts[-1]),
                _longer(known.offsets, words.offsets[1:] + known.offsets[-1]),
                _longer(known.data, words.data),
            )
            entries = _padded(self._entries[which], len(self._known.lengths)).copy()
            entries[types] = NO_WORDS
            entries[types[some]] = len(known.starts) - 1 + source.width * np.arange(some.sum())
            self._entries[which] = entries
            return entries


class Memory:
    """Keeps the memo of some sources, and starts a new one when it is full."""

    def __init__(self, *sources: WordSource) -> None:
        self._sources = sources
        self._memo = Memo(*sources)

    @property
    def memo(self) -> Memo:
        """The current memo, with room for more words."""
        if self._memo.is_full:
            self._memo = Memo(*self._sources)
        return self._memo


def _padded(entries: Ints32, size: int) -> Ints32:
    """Return entries for at least `size` types."""
    if len(entries) >= size:
        return entries
    return _longer(entries, np.full(size - len(entries), UNASKED, np.int32))


def _longer(array: Array, more: Array) -> Array:
    return np.concatenate([array, more])  # type: ignore[return-value]


def _grown(table: StringTable, new: Bytes, starts: Ints32, stops: Ints32) -> StringTable:
    """Return the table with some words added."""
    count = len(table.offsets) - 1
    offsets = np.empty(count + len(starts) + 1, np.int64)
    offsets[:count] = table.offsets[:-1]
    size = int(table.offsets[-1])
    data = np.empty(size + int((stops - starts).sum()), np.uint8)
    data[:size] = table.data
    offsets[-1] = len(data)
    write_spans(new, starts, stops, np.zeros(len(starts), np.uint8), size, offsets[count:-1], data)
    fits = 2 * len(offsets) <= len(table.slots.cells)
    cells = np.array(table.slots.cells)
    slots = Slots(cells, table.slots.secret) if fits else slots_for(2 * len(offsets))
    grown = StringTable(data, offsets, slots)
    enter(grown, count if fits else 0)
    return grown
