"""The preset `punctuation`: marks left out, doubled, or typed differently."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from salva._kernels import PunctuationWords, Rates, plan_punctuation, threshold
from salva._kernels.constants import LONGEST_WORD
from salva._presets.preset import Preset
from salva._presets.settings import SpliceSettings, rate
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.lexicon.english import add_words, load_english
from salva.text.words import string_table

CONJUNCTIONS = ("and", "but")
CONTRACTIONS = """
    ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't needn't shouldn't
    wasn't weren't won't wouldn't i'd i'll i'm i've he'd he'll he's she'd she'll she's it'd it'll it's we'd
    we'll we're we've you'd you'll you're you've they'd they'll they're they've everybody's everyone's here's
    how's let's nobody's nothing's somebody's someone's something's that's there's what's where's who's
"""
OTHER_STYLE = 0.5  # share of contractions whose apostrophe is not left out, but typed differently


@dataclass(frozen=True, kw_only=True)
class PunctuationSettings(SpliceSettings):
    """Commas, apostrophes and last full stops left out, marks doubled, if the text still reads the same."""

    p_punctuation: float = rate(0.5, "Probability that a mark is changed.")


@dataclass(frozen=True, eq=False)
class PunctuationPlanner:
    """A share of the marks changed that nobody misses."""

    words: PunctuationWords
    prob: float

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = Rates(Rule.PUNCTUATION, threshold(self.prob), threshold(severity))
        word = np.empty(LONGEST_WORD, np.uint8)
        return fill_edits(
            chunk, partial(plan_punctuation, self.words, chunk.tokens, rates, threshold(OTHER_STYLE), word)
        )


def make_planner(settings: PunctuationSettings) -> PunctuationPlanner:
    """Return the planner for some settings."""
    return PunctuationPlanner(open_punctuation_words(), settings.p_punctuation)


def open_punctuation_words() -> PunctuationWords:
    """Return the conjunctions, and the contractions that make no other word without their apostrophe."""
    joined = sorted({word.replace("'", "") for word in CONTRACTIONS.split()})
    places = add_words(joined).places.tolist()
    known = len(load_english().words)
    new = [word for word, place in zip(joined, places, strict=True) if place >= known]
    return PunctuationWords(string_table(CONJUNCTIONS), string_table(new))


PUNCTUATION = Preset(
    name="punctuation",
    version=1,
    family="meaning",
    settings=PunctuationSettings,
    make_planner=make_planner,
    tokenizer="word",
)
