"""What must not be edited: markup, addresses, names, parts of characters, the user's words and patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import Strings
from salva._kernels import (
    BEGINS_MARKUP,
    BEGINS_NAME,
    Stretches,
    TokensOut,
    block_stretches,
    block_torn,
    find_stretches,
    hide_markup,
    insert_markup,
)
from salva._kernels.constants import MARKUP, NAMED
from salva._patterns import compile_pattern
from salva._show import shorten
from salva._types import Bytes, Ints64
from salva.errors import InputError, UsageError
from salva.text.spans import Cuts
from salva.text.words import load_characters

# A pattern may take so many seconds on a text, and as many again for every so many characters in it.
PATTERN_SECONDS = 1.0
PATTERN_CHARACTERS = 100_000


class Shielded(NamedTuple):
    """Tokens, which of them must not be edited, and how each is tied to the token before."""

    cuts: Cuts
    blocked: Bytes
    ties: Bytes


class RowSpans(NamedTuple):
    """Spans of a column that must not be edited, row by row, in bytes of the whole column."""

    starts: Ints64
    stops: Ints64

    @classmethod
    def of(cls, texts: Strings, spans: Sequence[Sequence[tuple[int, int]]]) -> RowSpans:
        """Take the spans of every row in code points, ascending and disjoint."""
        if len(spans) != len(texts):
            raise UsageError(f"protected has {len(spans)} entries for {len(texts)} texts; give one per text")
        some = [row for row, own in enumerate(spans) if own]
        places: list[int] = []
        for row, text in zip(some, texts.array.take(pa.array(some, pa.int64())).to_pylist(), strict=True):
            places += _in_bytes(text or "", int(texts.offsets[row]), spans[row])
        return cls(*np.array(places, np.int64).reshape(-1, 2).T.copy())

    def within(self, first: int, last: int) -> Stretches:
        """Return the spans of some rows, which are the bytes from `first` to `last`."""
        some = slice(*np.searchsorted(self.starts, [first, last]).tolist())
        starts, stops = ((ends[some] - first).astype(np.int32) for ends in self)
        return Stretches(starts, stops, np.full(len(starts), NAMED, np.uint8))


@dataclass(frozen=True)
class Protection:
    """What is protected; `names` are addresses, @names and #tags; `whole` keeps marks with their letters."""

    markup: bool = False
    names: bool = False
    whole: bool = False
    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def cut(
        self, texts: Strings, cut: Callable[[Strings], Cuts], protected: Stretches | None = None
    ) -> Shielded:
        """Cut texts, keeping each piece of markup whole, and block the tokens that must not be edited.

        `protected` are stretches of these texts that must not be edited either.
        """
        stretches, further = self._stretches(texts), () if protected is None else (protected,)
        cuts, blocked, ties = _with_markup(texts, cut, stretches)
        out = TokensOut(cuts.starts, cuts.stops, cuts.written, blocked, ties)
        matches = (_matches_of(expression, texts) for expression in self.expressions)
        for part in (stretches, *further, *matches):
            block_stretches(texts.data, part, texts.offsets, cuts.rows, out)
        if self.whole:
            block_torn(
                load_characters(), texts.data, texts.offsets, cuts.rows, cuts.starts, cuts.stops, blocked
            )
        return Shielded(cuts, blocked, ties)

    def _stretches(self, texts: Strings) -> Stretches:
        candidates = self._candidates(texts.data)
        room = len(candidates)
        starts, stops, categories = (
            np.empty(room, np.int32),
            np.empty(room, np.int32),
            np.empty(room, np.uint8),
        )
        out = Stretches(starts, stops, categories)
        kinds = self.markup, self.names
        count = find_stretches(load_characters(), *kinds, texts.data, texts.offsets, candidates, out)
        return Stretches(starts[:count], stops[:count], categories[:count])

    def _candidates(self, data: Bytes) -> Ints64:
        """Return the positions of bytes that may mark a stretch.

        Numpy compares many bytes at a time: 0.7 ms per megabyte; looking each of them up took 2.5 ms.
        """
        found = np.zeros(len(data), np.bool_)
        for byte in BEGINS_MARKUP * self.markup + BEGINS_NAME * self.names:
            found |= data == byte
        return np.flatnonzero(found)

    @cached_property
    def expressions(self) -> list[Any]:
        """The user's words and patterns, compiled."""
        if not self.words and not self.patterns:
            return []
        import regex

        words = [rf"(?i)(?<!\w){regex.escape(word)}(?!\w)" for word in self.words]
        patterns = [compile_pattern("protect_patterns", pattern) for pattern in self.patterns]
        return [*map(regex.compile, words), *patterns]


def _with_markup(texts: Strings, cut: Callable[[Strings], Cuts], stretches: Stretches) -> Shielded:
    """Cut texts as if their markup were whitespace, then insert it among the tokens."""
    if not (np.asarray(stretches.categories) == MARKUP).any():
        cuts = cut(texts)
        return Shielded(cuts, *np.zeros((2, len(cuts.starts)), np.uint8))
    data = texts.data.copy()
    hide_markup(load_characters(), stretches, texts.offsets, data)
    cuts = cut(Strings.of(data, texts.offsets))
    most = len(cuts.starts) + len(stretches.starts)
    starts, stops = np.empty((2, most), np.int32)
    written, blocked, ties = np.zeros((3, most), np.uint8)
    rows = np.empty_like(cuts.rows)
    spans = cuts.rows, cuts.starts, cuts.stops, cuts.written
    out = TokensOut(starts, stops, written, blocked, ties)
    count = insert_markup(stretches, texts.offsets, *spans, rows, out)
    placed = Cuts(texts, rows, starts[:count], stops[:count], written[:count])
    return Shielded(placed, blocked[:count], ties[:count])


def _matches_of(expression: Any, texts: Strings) -> Stretches:
    """Return where an expression matches, in bytes, row by row."""
    spans: list[int] = []
    for row, text in enumerate(texts.array.to_pylist()):
        spans += _in_bytes(text or "", int(texts.offsets[row]), _matches(expression, text or ""))
    starts, stops = np.array(spans, np.int32).reshape(-1, 2).T.copy()
    return Stretches(starts, stops, np.full(len(starts), NAMED, np.uint8))


def _in_bytes(text: str, byte: int, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return starts and stops of spans by turns, in bytes; the text begins at `byte`."""
    places, last = [], 0
    for start, stop in spans:
        first = byte + len(text[last:start].encode())
        byte, last = first + len(text[start:stop].encode()), stop
        places += [first, byte]
    return places


def _matches(expression: Any, text: str) -> list[tuple[int, int]]:
    """Return the non-empty matches of an expression, in the order of the text."""
    limit = PATTERN_SECONDS * (1 + len(text) // PATTERN_CHARACTERS)
    try:
        spans = sorted(match.span() for match in expression.finditer(text, timeout=limit))
    except TimeoutError:
        problem = f"pattern {shorten(repr(expression.pattern))} takes over {limit:g} s on one text"
        raise InputError(f"{problem}; make it simpler") from None
    return [(start, stop) for start, stop in spans if start < stop]
