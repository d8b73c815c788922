"""The preset `spaces`: spaces left out, doubled, or put before a mark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from salva._kernels import Rates, SpaceWords, plan_spaces, threshold
from salva._kernels.constants import LONGEST_WORD
from salva._presets.preset import Preset
from salva._presets.settings import SpliceSettings, rate
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.text.words import string_table

# Phrases that people often write as one word, which is not another word.
PHRASES = (
    ("a", "bit"),
    ("a", "lot"),
    ("as", "well"),
    ("at", "least"),
    ("each", "other"),
    ("even", "though"),
    ("every", "time"),
    ("in", "fact"),
    ("no", "one"),
    ("of", "course"),
)
DOMAINS = ("com", "edu", "gov", "info", "net", "org")


@dataclass(frozen=True, kw_only=True)
class SpaceSettings(SpliceSettings):
    """Spaces left out after marks, put before them or doubled, and a few phrases written as one word."""

    p_space: float = rate(0.2, "Probability that a space next to a mark, or in a phrase, is changed.")


@dataclass(frozen=True, eq=False)
class SpacePlanner:
    """A share of the spaces changed that are next to marks or in some phrases."""

    words: SpaceWords
    prob: float

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = Rates(Rule.SPACE, threshold(self.prob), threshold(severity))
        word = np.empty(LONGEST_WORD, np.uint8)
        return fill_edits(chunk, partial(plan_spaces, self.words, chunk.tokens, rates, word))


def make_planner(settings: SpaceSettings) -> SpacePlanner:
    """Return the planner for some settings."""
    return SpacePlanner(open_space_words(), settings.p_space)


def open_space_words() -> SpaceWords:
    """Return the phrases without their space, and the ends of addresses."""
    return SpaceWords(string_table(["".join(phrase) for phrase in PHRASES]), string_table(DOMAINS))


SPACES = Preset(
    name="spaces",
    version=1,
    family="meaning",
    settings=SpaceSettings,
    make_planner=make_planner,
    tokenizer="word",
)
