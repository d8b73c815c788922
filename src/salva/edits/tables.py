"""Words with a fixed list each: synonym groups, or the user's own thesaurus."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import numpy as np

from salva._arrow import Strings, as_strings
from salva._types import Ints64
from salva.edits.memo import Lists
from salva.text.strings import find_words, string_table


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

    def lists(self, words: Strings, places: Ints64) -> Lists:
        """Return the lists of the words at `places`, in lower case unless `written`."""
        found = find_words(self._table, words, places)
        sizes = self._sizes[found]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        which = np.arange(starts[-1]) + np.repeat(self._starts[:-1][found] - starts[:-1], sizes)
        return Lists(starts, self._values[which])

    def _key(self, word: str) -> str:
        return word if self.written else word.lower()


def _distinct(words: Iterable[str], own: str) -> list[str]:
    """Return the words that differ in more than case, from each other and from the word itself."""
    found = {own.lower(): own}
    for word in words:
        found.setdefault(word.lower(), word)
    return list(found.values())[1:]
