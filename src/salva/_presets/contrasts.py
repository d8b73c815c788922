"""What the contrast presets share: their settings, and the choice of one edit per text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from salva._presets.hybrid import open_tagger, tagger_field
from salva._presets.natural import NaturalPlanner
from salva._presets.resources import excluded_words
from salva._presets.settings import SpliceSettings, count, flag
from salva._types import Bools
from salva.edits.chunk import Chunk, Edits
from salva.edits.contrast import choose_edits
from salva.edits.merge import keep_edits
from salva.edits.pairs import compile_pairs
from salva.lexicon.pairs import Pair

_MOST = "Most edits per text; every mention of a name or a number counts as one edit."
_POLARITY = "Without effect: these edits may turn praise into blame."


def most_field() -> Any:
    """Return a field for the number of edits per text."""
    return count(1, _MOST, least=1)


@dataclass(frozen=True, kw_only=True)
class ContrastSettings(SpliceSettings):
    """The settings of presets whose edits change the meaning."""

    most: int = most_field()
    keep_polarity: bool = flag(False, _POLARITY)


@dataclass(frozen=True, kw_only=True)
class TaggedContrastSettings(ContrastSettings):
    """The settings of those that use pairs."""

    tagger: str = tagger_field()


def units_of_types(chunk: Chunk, edits: Edits) -> Any:
    """Return the same unit for equal words of a row."""
    return chunk.types.numbers[edits.tokens].astype("int64")


@dataclass(frozen=True, eq=False)
class PairContrastPlanner:
    """Edits by pairs, at most `most` per text; `find_fit` returns which of all possible ones may be made."""

    pairs: NaturalPlanner
    most: int
    find_fit: Callable[[Chunk, Edits], Bools] | None

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        edits = self.pairs.plan(chunk, 1.0)
        if self.find_fit is not None:
            edits = keep_edits(edits, self.find_fit(chunk, edits))
        return choose_edits(chunk, edits, np.arange(len(edits.tokens)), severity=severity, most=self.most)


def make_pair_planner(
    settings: TaggedContrastSettings,
    named: Mapping[int, Sequence[Pair]],
    find_fit: Callable[[Chunk, Edits], Bools] | None = None,
) -> PairContrastPlanner:
    """Return the planner for pairs, by the rule that they belong to."""
    tagger = open_tagger(settings.tagger)
    pairs = compile_pairs(named, tagger.tags, checked=[], exclude=excluded_words(settings))
    return PairContrastPlanner(NaturalPlanner(pairs, tagger), settings.most, find_fit)
