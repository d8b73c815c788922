"""Synonyms from WordNet as lists for a memo: by part of speech, or across all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import Strings, as_numbers, as_strings, ints
from salva._kernels import Endings, Thesaurus, list_synonyms
from salva._kernels.constants import ALL_LETTERS, MOST_BASES
from salva._types import Bools, Ints64, Ragged
from salva.edits.sources import list_words
from salva.lexicon.wordnet import ENDINGS, WordNet
from salva.text.words import WordProperties, describe_column, find_words, lower, string_table, types_of

LETTERS = "nvar"
ALL_SYNSETS = 1 << 40


class Synonyms:
    """The words that share a synset with a word or its base forms, but never the word itself.

    `by_part` gives four lists per word, one per part of speech, instead of one across all; `letters_only`
    leaves out words with other characters; `most_synsets` limits the search to the first synsets. Words in
    `exclude` are never offered, and `stop_words` have no synonyms. With `written`, only words that WordNet
    spells exactly so have any, and base forms are not looked up.
    """

    def __init__(
        self,
        *,
        by_part: bool = False,
        letters_only: bool = False,
        most_synsets: int = ALL_SYNSETS,
        exclude: Iterable[str] = (),
        stop_words: Iterable[str] = (),
        written: bool = False,
    ) -> None:
        self.written = written
        self.width = len(LETTERS) if by_part else 1
        ranges = [i for pos in range(4) for i in (pos, pos + 1)] if by_part else [0, len(LETTERS)]
        self._ranges = np.array(ranges, np.int64)
        self._most_synsets = most_synsets
        self._stopped = string_table(sorted({word.lower() for word in stop_words}))
        self.words = _spaced_words()
        usable = _letters_only() if letters_only else np.ones(len(self.words), np.bool_)
        usable[ints(pc.indices_nonzero(_is_in(self.words.array, exclude)))] = False
        self._thesaurus = replace(_thesaurus(), usable=usable)
        if written:  # there are no irregular forms, and no endings to detach
            endings = replace(_endings(), ranges=np.zeros(len(LETTERS) + 1, np.int64))
            self._thesaurus = replace(self._thesaurus, irregular=string_table([]), endings=endings)

    def lists(self, words: Strings, places: Ints64) -> Ragged:
        """Return the lists of the words at `places`, which are in lower case unless `written`."""
        if not self.written:
            return self._lists(words, places)
        spelled = _is_member()[find_words(self._thesaurus.words, words, places)]
        lists = self._lists(lower(words), places[spelled])
        sizes = np.zeros((len(places), self.width), np.int64)
        sizes[spelled] = np.diff(lists.starts).reshape(-1, self.width)
        return Ragged(np.concatenate([[0], np.cumsum(sizes)]), lists.values)

    def _lists(self, words: Strings, places: Ints64) -> Ragged:
        longest = int(np.diff(words.offsets).max(initial=0))
        form, bases = np.empty(longest + 8, np.uint8), np.empty(MOST_BASES, np.int64)
        starts = np.empty(self.width * len(places) + 1, np.int64)
        room = 16 * len(places) + 4096
        letters = np.frombuffer(LETTERS.encode(), np.uint8)
        while True:
            out = np.empty(room, np.int32)
            size = list_synonyms(
                self._thesaurus,
                self._stopped,
                letters,
                self._ranges,
                self._most_synsets,
                words.data,
                words.offsets,
                places,
                form,
                bases,
                starts,
                out,
            )
            if size < room:
                return Ragged(starts, out[:size].copy())
            room *= 2

    def of(self, word: str, pos: Literal["n", "v", "a", "r"] | None = None) -> list[str]:
        """Return what a word may become, in WordNet's spelling but with spaces instead of underscores."""
        return list_words(self, word, LETTERS.index(pos) if pos is not None and self.width > 1 else 0)

    def as_mapping(self) -> dict[str, list[str]]:
        """Return what each of WordNet's words may become, across all parts of speech."""
        words = as_strings(WordNet.load().words)
        starts, values = self.lists(words, np.arange(len(words)))
        names = self.words.array.take(as_numbers(values)).to_pylist()
        lists = (names[start:stop] for start, stop in pairwise(starts.tolist()))
        return {word: new for word, new in zip(words.array.to_pylist(), lists, strict=True) if new}


@cache
def _spaced_words() -> Strings:
    return as_strings(pc.replace_substring(WordNet.load().words, "_", " "))


def _is_in(words: pa.Array, exclude: Iterable[str]) -> pa.Array:
    return pc.is_in(
        pc.utf8_lower(words), value_set=as_strings(sorted({word.lower() for word in exclude})).array
    )


@cache
def _described() -> WordProperties:
    return describe_column(as_strings(WordNet.load().words))


def _letters_only() -> Bools:
    return (_described().made_of & ALL_LETTERS).astype(np.bool_)


@cache
def _is_member() -> Bools:
    """Return which words are in a synset with this spelling; the last entry is for unknown words."""
    wordnet = WordNet.load()
    members = np.zeros(len(wordnet.words) + 1, np.bool_)
    members[wordnet.members.values] = True
    return members


@cache
def _thesaurus() -> Thesaurus:
    wordnet = WordNet.load()
    lowered = _described().lowered
    folds = types_of(lowered)
    forms, bases = wordnet.irregular_forms()
    senses = [wordnet.senses[pos] for pos in LETTERS]
    ends = np.cumsum([0, *(len(sense.values) for sense in senses)])
    starts = [sense.starts[:-1] + end for sense, end in zip(senses, ends, strict=False)]
    return Thesaurus(
        string_table(wordnet.words),
        string_table(forms),
        bases.starts.astype(np.int64),
        bases.values.astype(np.int32),
        _endings(),
        np.concatenate([*starts, ends[-1:]]).astype(np.int64),
        np.concatenate([sense.values for sense in senses]).astype(np.int32),
        wordnet.members.starts.astype(np.int64),
        wordnet.members.values.astype(np.int32),
        string_table(lowered.array.take(as_numbers(folds.firsts))),
        folds.numbers,
        np.empty(0, np.bool_),
    )


def _endings() -> Endings:
    rules = [rule for pos in LETTERS for rule in ENDINGS[pos]]
    old, new = as_strings([rule[0] for rule in rules]), as_strings([rule[1] for rule in rules])
    ranges = np.cumsum([0, *(len(ENDINGS[pos]) for pos in LETTERS)])
    return Endings(old.data, old.offsets, new.data, new.offsets, ranges)
