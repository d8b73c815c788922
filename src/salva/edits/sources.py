"""Sources: what each word may become, for a memo. A fixed table is one; any source can keep the polarity.

`common` and `wordnet` hold the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Protocol

import numpy as np
import pyarrow.compute as pc

from salva._arrow import Strings, as_strings
from salva._kernels import StringTable
from salva._types import Ints8, Ints64, Ragged
from salva.lexicon import polarity
from salva.text.words import find_words, lower, string_table


class WordSource(Protocol):
    """Makes lists of indices into its `words`: `width` lists per word, at most four."""

    width: int
    words: Strings
    written: bool  # whether words are looked up as written, not in lower case

    def lists(self, words: Strings, places: Ints64) -> Ragged:
        """Return the lists of the words at `places`, which are in lower case unless `written`."""
        ...


def list_words(source: WordSource, word: str, which: int = 0) -> list[str]:
    """Return the words of one of the lists of a word."""
    lists = source.lists(as_strings([word if source.written else word.lower()]), np.zeros(1, np.int64))
    return [str(source.words.array[number]) for number in lists.row(which)]


class WordTable:
    """What each of some words may become, as a source for a memo; `written` keeps `Film` and `film` apart.

    >>> table = WordTable({"film": ["movie", "flick"]}, exclude=["flick"])
    >>> table.of("film")
    ['movie']
    """

    width = 1

    def __init__(
        self, lists: Mapping[str, Iterable[str]], exclude: Iterable[str] = (), *, written: bool = False
    ) -> None:
        self.written = written
        excluded = {word.lower() for word in exclude}
        merged: dict[str, list[str]] = {}
        for word, news in lists.items():
            merged.setdefault(self._key(word), []).extend(news)
        self._lists = {
            word: [new for new in _distinct(news, word) if new.lower() not in excluded]
            for word, news in merged.items()
        }
        numbers = {word: i for i, word in enumerate(dict.fromkeys(itertools.chain(*self._lists.values())))}
        self._table = string_table(list(self._lists))
        self.words = as_strings(list(numbers))
        self._sizes = np.array([*map(len, self._lists.values()), 0])  # the last is for unknown words
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._values = np.array([numbers[word] for new in self._lists.values() for word in new], np.int32)

    def of(self, word: str) -> list[str]:
        """Return what a word may become."""
        return list(self._lists.get(self._key(word), ()))

    def lists(self, words: Strings, places: Ints64) -> Ragged:
        """Return the lists of the words at `places`, in lower case unless `written`."""
        numbers = find_words(self._table, words, places)
        sizes = self._sizes[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        which = np.arange(starts[-1]) + np.repeat(self._starts[:-1][numbers] - starts[:-1], sizes)
        return Ragged(starts, self._values[which])

    def _key(self, word: str) -> str:
        return word if self.written else word.lower()


def _distinct(words: Iterable[str], own: str) -> list[str]:
    """Return the words that differ in more than case, from each other and from the word itself."""
    distinct = {own.lower(): own}
    for word in words:
        distinct.setdefault(word.lower(), word)
    return list(distinct.values())[1:]


class SamePolarity:
    """A source without the words whose polarity differs from that of the word they would replace.

    Both are looked up in the shipped list: +1 for praise, -1 for blame, 0 for words that are not in it.

    >>> source = SamePolarity(WordTable({"bad": ["awful", "big", "good"]}))
    >>> source.words.array.take(source.lists(as_strings(["bad"]), np.arange(1)).values).to_pylist()
    ['awful']
    """

    def __init__(self, source: WordSource) -> None:
        self.width, self.words, self.written = source.width, source.words, source.written
        self._source = source
        lowered = as_strings(pc.utf8_lower(source.words.array))
        self._signs = _signs(lowered, np.arange(len(lowered)))

    def lists(self, words: Strings, places: Ints64) -> Ragged:
        """Return the lists of the words at `places`, which are in lower case unless `written`."""
        starts, values = self._source.lists(words, places)
        own = np.repeat(_signs(lower(words) if self.written else words, places), self.width)
        kept = self._signs[values] == np.repeat(own, np.diff(starts))
        return Ragged(np.concatenate([[0], np.cumsum(kept)])[starts], values[kept])


def _signs(words: Strings, places: Ints64) -> Ints8:
    table, signs = _listed()
    return signs[find_words(table, words, places)]


@cache
def _listed() -> tuple[StringTable, Ints8]:
    """Return the words of the list and their signs; the last sign is for words that are not in it."""
    signs = polarity()
    return string_table(list(signs)), np.array([*signs.values(), 0], np.int8)
