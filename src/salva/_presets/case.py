"""The preset `case`: capitals left out, where the word stays the same word without them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from salva._kernels import CaseWords, Rates, plan_case, threshold
from salva._kernels.constants import IS_FUNCTION, IS_NUMBERED, IS_PLAIN, LONGEST_WORD
from salva._presets.preset import Preset
from salva._presets.settings import SpliceSettings, rate
from salva._presets.shared import shared
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.lexicon.english import add_words, function_words
from salva.text.words import string_table

NAMES = {"don", "may", "will"}  # function words that are names too
# After these, I may be a numeral.
NUMBERED_WORDS = """
    act book chapter class episode grade group level part phase season section stage type volume war
"""


@dataclass(frozen=True, kw_only=True)
class CaseSettings(SpliceSettings):
    """Capitals left out in a quarter of names, of I, and of common words that begin a sentence."""

    p_case: float = rate(0.25, "Probability that a capital is left out.")


@dataclass(frozen=True, eq=False)
class CasePlanner:
    """Capitals left out in a share of the words that stay the same without them."""

    words: CaseWords
    prob: float

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = Rates(Rule.CASE, threshold(self.prob), threshold(severity))
        word = np.empty(LONGEST_WORD, np.uint8)
        return fill_edits(chunk, partial(plan_case, self.words, chunk.tokens, rates, word))


@shared
def make_planner(settings: CaseSettings) -> CasePlanner:
    """Return the planner for some settings."""
    return CasePlanner(open_case_words(), settings.p_case)


def open_case_words() -> CaseWords:
    """Return what is known of words."""
    groups = {IS_FUNCTION: function_words() - NAMES, IS_NUMBERED: frozenset(NUMBERED_WORDS.split())}
    words = sorted(frozenset().union(*groups.values()))
    added = add_words(words)
    flags = np.where(added.plain, np.uint8(IS_PLAIN), np.uint8(0))
    flags[added.places] |= np.array(
        [sum(flag for flag, some in groups.items() if word in some) for word in words], np.uint8
    )
    return CaseWords(string_table(added.words), flags)


CASE = Preset(
    name="case",
    version=1,
    family="meaning",
    settings=CaseSettings,
    make_planner=make_planner,
    tokenizer="word",
)
