"""What a preset does to a chunk: one planner per preset, with the words and rates it was made with."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np

from salva._kernels.choices import NO_WORDS, Tally
from salva._kernels.keys import Keyboard
from salva._kernels.plan_corrupt import (
    BUCKETS,
    CorruptRules,
    choose_corruptions,
    mark_wanted,
    pick_words,
    write_corruptions,
)
from salva._kernels.plan_hybrid import HybridRates, HybridRules, plan_hybrid
from salva._kernels.plan_synonyms import SynonymRates, plan_synonyms
from salva._kernels.plan_typos import TypoRates, plan_typos
from salva._kernels.rng import threshold
from salva._kernels.types import ALL_LETTERS
from salva._types import Bytes, Ints64
from salva.edits import rules
from salva.edits.chunk import Chunk, Edits, fill_edits
from salva.edits.letters import load_alphabets
from salva.edits.memo import Memo
from salva.text.characters import load_characters
from salva.text.strings import types_of
from salva.text.tagger import Tagger

HYBRID_RULES = HybridRules(rules.GROUP, rules.WORDNET, rules.TYPO)
GROUPS, BY_CLASS = range(2)  # the sources in the memo of `hybrid`
COMPLETIONS, CORRECTIONS, SYNONYMS = range(3)  # and in the memo of `corrupt`
CORRUPT_RULES = CorruptRules(rules.TYPO, rules.AUTOCOMPLETE, rules.AUTOCORRECT, rules.SYNONYM)


class Planner(Protocol):
    """Decides which tokens of a chunk are edited, and into what."""

    leaning: ClassVar[bool]  # whether spaces before punctuation are dropped when tokens are joined

    @property
    def tokens(self) -> str:
        """The rule that cuts texts into tokens."""
        ...

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        ...

    def with_room(self) -> Planner:
        """Return a planner with room to remember more words: usually itself."""
        ...


@dataclass(frozen=True, eq=False)
class _Remembering:
    memo: Memo
    leaning: ClassVar[bool] = False

    def with_room(self) -> Self:
        """Return a planner with room to remember more words: usually itself."""
        return dataclasses.replace(self, memo=self.memo.emptied()) if self.memo.is_full else self


@dataclass(frozen=True, eq=False)
class HybridPlanner(_Remembering):
    """Domain groups, WordNet and a few typos. `memo` has the groups, and WordNet by part of speech.

    `replace` are the rates for nouns, verbs, adjectives and adverbs; `second_draw` says whether a word of a
    group that loses its draw gets WordNet's draw too.
    """

    tagger: Tagger
    keyboard: Keyboard
    replace: tuple[float, float, float, float]
    p_typo: float
    min_word_length: int
    max_typos: int
    second_draw: bool = True
    tokens: str = "nltk"

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        words = chunk.words
        types = types_of(words)
        classes = self.tagger.classes(words, chunk.cuts.rows, types)
        places = words.offsets.astype(np.int32)
        table = self.memo.types(words.data, places[types.firsts], places[types.firsts + 1])
        table = table._replace(numbers=table.numbers[types.numbers])
        long = table.lengths >= self.min_word_length
        groups, wordnet = (self.memo.choices(long, which) for which in (GROUPS, BY_CLASS))
        rates = HybridRates(
            np.array([threshold(rate) for rate in self.replace]),
            threshold(self.p_typo),
            threshold(severity),
            self.min_word_length,
            self.max_typos,
            chunk.whole,
            self.second_draw,
        )
        fixed = load_characters(), self.keyboard, chunk.tokens, table, classes, groups, wordnet
        return fill_edits(chunk, lambda tally, out: plan_hybrid(*fixed, rates, HYBRID_RULES, tally, out))


@dataclass(frozen=True, eq=False)
class SynonymPlanner(_Remembering):
    """A synonym for a share of the words that have one and consist of letters only."""

    prob: float
    tokens: str = "nltk"

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        table = self.memo.types(chunk.tokens.data, chunk.tokens.starts, chunk.tokens.stops)
        words = self.memo.choices(table.made_of & ALL_LETTERS > 0)
        rates = SynonymRates(rules.WORDNET, threshold(self.prob), threshold(severity))
        return fill_edits(
            chunk, lambda tally, out: plan_synonyms(chunk.tokens, table, words, rates, tally, out)
        )


@dataclass(frozen=True, eq=False)
class TypoPlanner:
    """Neighbouring keys in a share of the words."""

    leaning: ClassVar[bool] = False
    keyboard: Keyboard
    prob: float
    typo_per_word: float
    min_word_length: int
    tokens: str = "space"

    def with_room(self) -> Self:
        """Return itself: it remembers nothing."""
        return self

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = TypoRates(
            rules.TYPO,
            threshold(self.prob),
            threshold(severity),
            self.typo_per_word,
            self.min_word_length,
            chunk.whole,
        )
        fixed = load_characters(), self.keyboard, chunk.tokens
        return fill_edits(chunk, lambda tally, out: plan_typos(*fixed, rates, tally, out))


@dataclass(frozen=True, eq=False)
class CorruptPlanner(_Remembering):
    """A typo, a wrong completion or correction, or a synonym out of context in a share of the words.

    `memo` has completions, corrections and synonyms; `weights` are those of typo, autocomplete, autocorrect
    and synonym. With `every_token`, severity is a share of all tokens; chosen tokens that are not words stay.
    """

    leaning: ClassVar[bool] = True
    weights: tuple[float, float, float, float]
    every_token: bool = False
    tokens: str = "word"

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        tally = chunk.empty_tally()
        chosen, kinds = self._choose(chunk, severity, tally)
        tokens = chunk.tokens
        table = self.memo.types(tokens.data, tokens.starts[chosen], tokens.stops[chosen])
        wanted = np.zeros((len(rules.RULES), len(table.lengths)), np.bool_)
        mark_wanted(kinds, table.numbers, wanted)
        completions = self.memo.choices(wanted[rules.AUTOCOMPLETE], COMPLETIONS)
        lost = wanted[rules.AUTOCOMPLETE] & (completions.entries[: wanted.shape[1]] == NO_WORDS)
        corrections = self.memo.choices(wanted[rules.AUTOCORRECT] | lost, CORRECTIONS)
        synonyms = self.memo.choices(wanted[rules.SYNONYM], SYNONYMS)
        sources = completions, corrections, synonyms
        words = np.zeros(len(chosen), np.int32)
        pick_words(tokens, table, chosen, *sources, CORRUPT_RULES, kinds, words)
        lists = self.memo.lists
        tables = load_characters(), load_alphabets()
        fixed = *tables, tokens, chosen, kinds, words, lists, CORRUPT_RULES, chunk.whole
        edits = fill_edits(chunk, lambda _, out: write_corruptions(*fixed, out), len(chosen))
        return edits._replace(tally=tally)

    def _choose(self, chunk: Chunk, severity: float, tally: Tally) -> tuple[Ints64, Bytes]:
        count, longest = len(chunk.cuts.starts), int(np.diff(chunk.cuts.rows).max(initial=0))
        shares = np.cumsum(self.weights)
        limits = np.array([threshold(share / shares[-1]) for share in shares[:-1]])
        draws, scratch = np.empty((2, longest + 1), np.uint64)
        counts = np.empty(BUCKETS, np.int64)
        chosen, kinds = np.empty(count + 1, np.int64), np.empty(count, np.uint8)
        places = np.empty(longest + 1, np.int64)
        fixed = load_characters(), chunk.tokens, severity, self.every_token, limits, CORRUPT_RULES
        found = choose_corruptions(*fixed, draws, scratch, counts, places, tally, chosen, kinds)
        return chosen[:found], kinds[:found]
