"""Words with a fixed list each: synonym groups, and a thesaurus of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from salva._arrow import Strings, as_strings
from salva._kernels.choices import Choices
from salva._kernels.strings import find_all
from salva.edits.cased import in_all_cases
from salva.edits.memo import frozen
from salva.text.strings import string_table

__all__ = ["WordTable"]


class WordTable:
    """What each of some words may become.

    >>> table = WordTable({"film": ["movie", "flick"]}, exclude=["flick"])
    >>> table.of("film")
    ['movie']
    """

    def __init__(self, lists: Mapping[str, Iterable[str]], exclude: Iterable[str] = ()) -> None:
        excluded = {word.lower() for word in exclude}
        self._lists = {
            word.lower(): [new for new in _distinct(news, word) if new.lower() not in excluded]
            for word, news in lists.items()
        }
        numbers = {
            word: i for i, word in enumerate(dict.fromkeys(w for new in self._lists.values() for w in new))
        }
        self._table = string_table(list(self._lists))
        self._cased = in_all_cases(as_strings(list(numbers)))
        sizes = [0, *map(len, self._lists.values()), 0]  # the last list, which is empty, is for other words
        self._starts = frozen(np.cumsum(sizes, dtype=np.int64))
        values = [numbers[word] for new in self._lists.values() for word in new]
        self._values = frozen(np.array(values, np.int32))

    def of(self, word: str) -> list[str]:
        """Return what a word may become."""
        return list(self._lists.get(word.lower(), ()))

    def choices(self, words: Strings, places: NDArray[np.int64]) -> Choices:
        """Return what the words at `places`, in small letters, may become; the others nothing."""
        found = np.empty(len(places), np.int32)
        find_all(self._table, words.data, words.offsets, places, found)
        entries = np.full(len(words), len(self._lists), np.int32)
        entries[places[found >= 0]] = found[found >= 0]
        return Choices(entries, self._starts, self._values, self._cased.data, self._cased.offsets)


def _distinct(words: Iterable[str], own: str) -> list[str]:
    """Return the words that differ by more than their case, from each other and from the word itself."""
    found = {own.lower(): own}
    for word in words:
        found.setdefault(word.lower(), word)
    return list(found.values())[1:]
