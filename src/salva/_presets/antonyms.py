"""The preset `antonyms`: one word of each text becomes its opposite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salva._presets.contrasts import TaggedContrastSettings
from salva._presets.hybrid import open_tagger
from salva._presets.natural import NaturalPlanner, open_pairs, pair_files
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva.edits.chunk import Chunk, Edits, Rule
from salva.edits.contrast import choose_edits
from salva.edits.pairs import compile_pairs


@dataclass(frozen=True, kw_only=True)
class AntonymSettings(TaggedContrastSettings):
    """One word of each text becomes its opposite, in the same form; everything else stays."""

    antonyms: str | tuple[str, ...] = pair_files("Words and their opposites")


@dataclass(frozen=True, eq=False)
class AntonymPlanner:
    """One word replaced with its opposite."""

    pairs: NaturalPlanner
    most: int

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        edits = self.pairs.plan(chunk, 1.0)
        return choose_edits(chunk, edits, np.arange(len(edits.tokens)), severity=severity, most=self.most)


def make_planner(settings: AntonymSettings) -> AntonymPlanner:
    """Return the planner for some settings."""
    tagger = open_tagger(settings.tagger)
    named = {Rule.ANTONYM: open_pairs("antonyms", settings.antonyms, keep_polarity=False)}
    pairs = compile_pairs(named, tagger.tags, checked=[], exclude=excluded_words(settings))
    return AntonymPlanner(NaturalPlanner(pairs, tagger), settings.most)


ANTONYMS = Preset(
    name="antonyms",
    version=1,
    family="contrast",
    settings=AntonymSettings,
    make_planner=make_planner,
    tokenizer="nltk",
    tagged=True,
)
