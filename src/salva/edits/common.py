"""Common words as replacements: those spelled most alike, and those with the same beginning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salva._arrow import Strings, as_strings
from salva._kernels import CommonWords, describe_common, find_near, find_starts
from salva._show import number_of
from salva._types import Ints32, Ints64, Ragged
from salva.edits.sources import list_words
from salva.errors import InputError
from salva.text.words import find_words, lower, string_table

NEAREST = 5
FARTHEST = 3
# How often a word is in the list, by its distance in edits: a word one edit away is chosen twice as often as
# one that is two edits away.
TIMES = np.array([0, 6, 3, 2])
MOST_LETTERS, FEWEST_LETTERS = 5, 3
MOST_COMPLETIONS = 1 << 24  # of the words of one batch, which are all in memory: about 500 MB


class Corrections:
    """The five nearest words of a vocabulary within three edits; nearer words are chosen more often.

    With `common_only`, only words of the vocabulary itself have corrections; with `written`, words are looked
    up with their capitals, which words of the vocabulary do not have.

    >>> Corrections(["movie", "moves", "other"]).of("move")
    {'movie': 1, 'moves': 1}
    >>> Corrections(["movie", "moves", "other"], common_only=True).of("move")
    {}
    """

    width = 1

    def __init__(
        self, vocabulary: Sequence[str], *, common_only: bool = False, written: bool = False
    ) -> None:
        """Take a vocabulary in lower case, most frequent word first."""
        self.words = as_strings(vocabulary)
        self.written = written
        self._common_only = common_only
        self._table = string_table(self.words.array)
        size = len(self.words)
        offsets = np.empty(size + 1, np.int64)
        common = CommonWords(np.empty(len(self.words.data), np.int32), offsets, np.empty(size, np.uint64))
        describe_common(self.words.data, self.words.offsets, common)
        self._common = common
        self._longest = int(np.diff(offsets).max(initial=0))

    def lists(self, words: Strings, places: Ints64) -> Ragged:
        """Return the lists of the words at `places`."""
        near, distances = self._near(words, places)
        times = np.where(near >= 0, TIMES[distances], 0)
        starts = np.concatenate([[0], np.cumsum(times.sum(axis=1))])
        return Ragged(starts, np.repeat(near.ravel(), times.ravel()))

    def of(self, word: str) -> dict[str, int]:
        """Return the nearest words, each with its distance in edits."""
        looked_up = as_strings([word if self.written else word.lower()])
        near, distances = self._near(looked_up, np.zeros(1, np.int64))
        close = near[0] >= 0
        names = [str(self.words.array[int(number)]) for number in near[0][close]]
        return dict(zip(names, distances[0][close].tolist(), strict=True))

    def _near(self, words: Strings, places: Ints64) -> tuple[Ints32, Ints32]:
        longest = max(self._longest, int(np.diff(words.offsets).max(initial=0))) + 1
        near, distances = np.zeros((2, len(places), NEAREST), np.int32)
        find_near(
            self._common,
            FARTHEST,
            words.data,
            words.offsets,
            places,
            np.empty(longest, np.int32),
            np.empty((2, longest), np.int64),
            near,
            distances,
        )
        if self._common_only:
            near[find_words(self._table, words, places) < 0] = -1
        if self.written:  # Movie must not be corrected to movie
            lowered = find_words(self._table, lower(words), places)
            near[near == lowered[:, np.newaxis]] = -1
        return near, distances


class Completions:
    """The words of a vocabulary that begin with the same five letters as a word, or else four, or three.

    >>> Completions(["movie", "moving", "movement", "mouse"]).of("moved")
    ['movement']
    """

    width = 1

    def __init__(self, vocabulary: Sequence[str], *, written: bool = False) -> None:
        self.words = as_strings(sorted(vocabulary, key=str.encode))
        self.written = written

    def lists(self, words: Strings, places: Ints64) -> Ragged:
        """Return the lists of the words at `places`."""
        ranges = np.empty((len(places), 3), np.int64)
        find_starts(
            self.words.data,
            self.words.offsets,
            MOST_LETTERS,
            FEWEST_LETTERS,
            words.data,
            words.offsets,
            places,
            ranges,
        )
        firsts, lasts, own = ranges.T
        sizes = lasts - firsts
        ends = np.concatenate([[0], np.cumsum(sizes)])
        if ends[-1] > MOST_COMPLETIONS:
            many = f"{number_of(len(places), 'word')} have {int(ends[-1]):,} completions"
            problem = f"{many} in a vocabulary of {len(self.words):,} words, over {MOST_COMPLETIONS:,}"
            raise InputError(f"{problem}; give fewer words, or lower dictionary_size")
        values = np.arange(ends[-1]) + np.repeat(firsts - ends[:-1], sizes)
        kept = values != np.repeat(own, sizes)
        starts = np.concatenate([[0], np.cumsum(kept)])[ends]
        return Ragged(starts, values[kept].astype(np.int32))

    def of(self, word: str) -> list[str]:
        """Return what a word may be completed to."""
        return list_words(self, word)
