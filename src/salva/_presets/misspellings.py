"""The preset `misspellings`: one error in a share of the English words, as people make them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from salva._kernels.joints import LONGEST
from salva._kernels.letters import Keyboard
from salva._kernels.plan_misspellings import Letters, MisspellingRates, Vocabulary, plan_misspellings
from salva._kernels.rng import threshold
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words, layout, open_keyboard
from salva._presets.settings import SpliceSettings, count, flag, rate
from salva._types import Uints64
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.edits.letters import compile_keyboard
from salva.lexicon.english import plain_words, real_words
from salva.lexicon.letters import SOUNDS, VOWELS
from salva.text.words import string_table

# Shares of substitutions, insertions, deletions and transpositions: between Wikipedia's list of common
# misspellings, codespell's, and those of IMDB's reviewers; `benchmarks/misspellings.py` compares them.
KINDS = (0.23, 0.235, 0.405, 0.13)
FIRST = 0.02  # share of errors in the first letter
SUBSTITUTIONS = (0.52, 0.14, 0.34)  # a vowel for a vowel, a neighbouring key, a letter of the same sound
INSERTIONS = (0.28, 0.4, 0.32)  # the letter before once more, a vowel, a neighbouring key


@dataclass(frozen=True, kw_only=True)
class MisspellingSettings(SpliceSettings):
    """Errors as people make them, in a tenth of the longer words: letters left out, added, wrong, swapped."""

    p_misspelling: float = rate(0.1, "Probability of an error in a word.")
    min_word_length: int = count(4, "Shortest word that is misspelled.", least=4)
    real_words: bool = flag(False, "Whether an error may make another English word, such as form for from.")
    keyboard: str | tuple[tuple[str, str], ...] = layout("typos")


@dataclass(frozen=True, eq=False)
class MisspellingPlanner:
    """One error in a share of the words."""

    vocabulary: Vocabulary
    keyboard: Keyboard
    prob: float
    min_word_length: int

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = MisspellingRates(
            Rule.MISSPELLING,
            threshold(self.prob),
            threshold(severity),
            threshold(FIRST),
            self.min_word_length,
            *map(limits, (KINDS, SUBSTITUTIONS, INSERTIONS)),
        )
        letters = Letters(compile_keyboard(VOWELS), self.keyboard, compile_keyboard(SOUNDS))
        word = np.empty(LONGEST, np.uint8)
        fixed = self.vocabulary, letters, chunk.tokens, chunk.cuts.texts.offsets, rates, word
        return fill_edits(chunk, lambda tally, out: plan_misspellings(*fixed, tally, out))


def make_planner(settings: MisspellingSettings) -> MisspellingPlanner:
    """Return the planner for some settings."""
    forbidden = {word.lower() for word in excluded_words(settings)}
    vocabulary = open_vocabulary(forbidden if settings.real_words else forbidden | real_words())
    keyboard = open_keyboard(settings.keyboard)
    return MisspellingPlanner(vocabulary, keyboard, settings.p_misspelling, settings.min_word_length)


def open_vocabulary(forbidden: Iterable[str]) -> Vocabulary:
    """Return the words that may be misspelled, and those that no error may make."""
    plain, avoided = plain_words(), frozenset(forbidden)
    words = sorted(plain | avoided)
    flags = ([word in some for word in words] for some in (plain, avoided))
    return Vocabulary(string_table(words), *(np.array(flag, np.bool_) for flag in flags))


def limits(shares: Iterable[float]) -> Uints64:
    """Return the thresholds at which shares end."""
    return np.array([threshold(min(1.0, end)) for end in np.cumsum(list(shares))], np.uint64)


MISSPELLINGS = Preset(
    name="misspellings",
    version=1,
    family="meaning",
    settings=MisspellingSettings,
    make_planner=make_planner,
    tokenizer="word",
)
