"""Rows of a column as planners see them: their tokens, which of them are blocked, and one key per row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from salva._arrow import Strings
from salva._kernels import EditsOut, Stretches, Tokens, row_keys
from salva._types import Bytes, Ints16, Ints32, Ints64, Uints64
from salva.edits.protect import Protection
from salva.text.spans import Cuts, Spans, sized
from salva.text.tagger import PARTS, Tagger
from salva.text.words import Types, types_of


class Rule:
    """The numbers of the rules by which a word is edited; kernels write them, and 0 means no edit."""

    GROUP, WORDNET, TYPO, AUTOCORRECT, AUTOCOMPLETE, SYNONYM, PAIR, CONTRACTION, SPELLING = range(1, 10)
    MISSPELLING, CANDIDATE, CASE, PUNCTUATION, SPACE = range(10, 15)
    NEGATION, AFFIRMATION, ANTONYM, NUMBER, NAME = range(15, 20)


RULES = ("", *(name.lower() for name in vars(Rule) if name.isupper()))  # names by number


class Draw(NamedTuple):
    """What a result depends on besides the text and the settings."""

    seed: int
    severity: float
    replicate: int


class Tally(NamedTuple):
    """Counts: eligible words per row; words, eligible words and edits per part of speech."""

    eligible: Ints32
    parts: Ints64


class Edits(NamedTuple):
    """The edits of a chunk, in order: the token, where it is, the rule and the new word; and the tally.

    New word `i` is `new[offsets[i]:offsets[i + 1]]`. The edits of row `i` are `rows[i]` to `rows[i + 1]`.
    `parts` are the parts of speech, or `len(PARTS)` if the plan does not know them.
    """

    tokens: Ints64
    starts: Ints32
    stops: Ints32
    rules: Bytes
    offsets: Ints64
    new: Bytes
    tally: Tally
    rows: Ints64
    parts: Bytes


@dataclass(frozen=True, eq=False)
class Chunk:
    """The tokens of some rows, and how they were cut.

    `ties` marks tokens that are written exactly as in the text, and those joined to the token before.
    """

    cuts: Cuts
    blocked: Bytes
    keys: Uints64
    tokens: Tokens
    ties: Bytes
    protection: Protection
    protected: Stretches | None = None
    _tags: dict[Tagger, tuple[Ints16, Bytes]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        texts: Strings,
        cut: Callable[[Strings], Cuts],
        draw: Draw,
        protection: Protection,
        protected: Stretches | None = None,
    ) -> Chunk:
        """Cut rows into tokens, block what is protected, and make one key per row.

        `protected` are stretches of these very rows, besides those that `protection` finds.
        """
        keys = np.empty(len(texts), np.uint64)
        row_keys(texts.data, texts.offsets, draw.seed, draw.replicate, keys)
        return cls._cut(texts, cut, keys, protection, protected)

    def cut_by(self, cut: Callable[[Strings], Cuts]) -> Chunk:
        """Return the same rows, cut into other tokens."""
        return self._cut(self.cuts.texts, cut, self.keys, self.protection, self.protected)

    @classmethod
    def _cut(
        cls,
        texts: Strings,
        cut: Callable[[Strings], Cuts],
        keys: Uints64,
        protection: Protection,
        protected: Stretches | None,
    ) -> Chunk:
        cuts, blocked, ties = protection.cut(texts, cut, protected)
        tokens = Tokens(texts.data, texts.offsets, cuts.rows, cuts.starts, cuts.stops, blocked, keys)
        return cls(cuts, blocked, keys, tokens, ties, protection, protected)

    @property
    def whole(self) -> bool:
        """Whether no edit may split what a reader sees as one character."""
        return self.protection.whole

    @cached_property
    def words(self) -> Strings:
        """The tokens as strings, in order."""
        return Spans(self.cuts.texts, (sized(self.cuts),), threads=1).flat

    @cached_property
    def types(self) -> Types:
        """The distinct tokens."""
        return types_of(self.words)

    def tags(self, tagger: Tagger) -> tuple[Ints16, Bytes]:
        """Return the tag and the part of speech of every token; each tagger is asked once."""
        if tagger not in self._tags:
            self._tags[tagger] = tagger.tag_words(self.words, self.cuts.rows, self.types)
        return self._tags[tagger]


def count_parts(parts: Bytes) -> Ints64:
    """Return how many edits there are of each part of speech."""
    return np.bincount(parts, minlength=len(PARTS) + 1)[: len(PARTS)]


def fill_edits(chunk: Chunk, plan: Callable[[EditsOut], None], most: int | None = None) -> Edits:
    """Run a plan with room for its edits, and double the room until they fit."""
    most = len(chunk.cuts.starts) if most is None else most
    tokens, rules, offsets = np.empty(most, np.int64), np.empty(most, np.uint8), np.zeros(most + 1, np.int64)
    parts = np.full(most, len(PARTS), np.uint8)
    starts, stops = np.empty(most, np.int32), np.empty(most, np.int32)
    room = len(chunk.cuts.texts.data) + 4096
    while True:
        new = np.empty(room, np.uint8)
        eligible, totals = np.zeros(len(chunk.cuts.texts), np.int32), np.zeros((len(PARTS), 3), np.int64)
        out = EditsOut(tokens, starts, stops, rules, offsets, new, parts, eligible, totals)
        plan(out)
        if not out.full:
            break
        room *= 2
    edits = out.count
    totals[:, 2] = count_parts(parts[:edits])
    result = Edits(
        tokens[:edits],
        starts[:edits],
        stops[:edits],
        rules[:edits],
        offsets[: edits + 1],
        new[: offsets[edits]].copy(),
        Tally(eligible, totals),
        np.searchsorted(tokens[:edits], chunk.cuts.rows),
        parts[:edits],
    )
    if 2 * edits < most:  # do not hold on to arrays that are mostly unused
        return Edits._make(part.copy() if isinstance(part, np.ndarray) else part for part in result)
    return result
