"""Replacements that keep the label: praise for praise, blame for blame, and neither for other words."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow.compute as pc

from salva._arrow import Strings, as_strings
from salva._kernels.strings import StringTable
from salva._types import Ints8, Ints64
from salva.edits.described import lower
from salva.edits.memo import Lists, ListSource
from salva.lexicon import polarity
from salva.text.strings import find_words, string_table


class SamePolarity:
    """A source without the words whose polarity differs from that of the word they would replace.

    Both are looked up in the shipped list: +1 for praise, -1 for blame, 0 for words that are not in it.

    >>> from salva.edits.tables import WordTable
    >>> source = SamePolarity(WordTable({"bad": ["awful", "big", "good"]}))
    >>> source.words.array.take(source.lists(as_strings(["bad"]), np.arange(1)).values).to_pylist()
    ['awful']
    """

    def __init__(self, source: ListSource) -> None:
        self.width, self.words, self.written = source.width, source.words, source.written
        self._source = source
        lowered = as_strings(pc.utf8_lower(source.words.array))
        self._signs = _signs(lowered, np.arange(len(lowered)))

    def lists(self, words: Strings, places: Ints64) -> Lists:
        """Return the lists of the words at `places`, which are in lower case unless `written`."""
        starts, values = self._source.lists(words, places)
        own = np.repeat(_signs(lower(words) if self.written else words, places), self.width)
        kept = self._signs[values] == np.repeat(own, np.diff(starts))
        return Lists(np.concatenate([[0], np.cumsum(kept)])[starts], values[kept])


def _signs(words: Strings, places: Ints64) -> Ints8:
    table, signs = _listed()
    return signs[find_words(table, words, places)]


@cache
def _listed() -> tuple[StringTable, Ints8]:
    """Return the words of the list and their signs; the last sign is for words that are not in it."""
    signs = polarity()
    return string_table(list(signs)), np.array([*signs.values(), 0], np.int8)
