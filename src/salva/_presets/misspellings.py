"""The preset `misspellings`: one error in a share of the English words, as people make them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np

from salva._kernels import KnownWords, Rates, Slips, plan_misspellings, threshold
from salva._kernels import constants as codes
from salva._kernels.constants import LONGEST_WORD
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva._presets.settings import SpliceSettings, count, flag, rate
from salva._presets.shared import shared
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.lexicon.english import add_words
from salva.lexicon.slips import ADDED, EDGE, LEFT_OUT, PARTS, SWAPPED, WRONG, Slip, load_slips
from salva.text.words import string_table

# How much the kinds of errors weigh, so that their shares in texts are between those of Wikipedia's list of
# common misspellings, of codespell's, and of IMDB's reviewers; `benchmarks/misspellings.py` compares them.
KINDS = {WRONG: 15500, ADDED: 2600, LEFT_OUT: 1150, SWAPPED: 374}
FIRST = 0.3  # the same for errors in the first letter
FEW = 10  # words that are added to those with a context, so that rare contexts weigh less
HARDEST = 5000  # sum of the weights of a word that is always hard


@dataclass(frozen=True, kw_only=True)
class MisspellingSettings(SpliceSettings):
    """Errors as people make them, most in long and hard words: letters left out, added, wrong, swapped."""

    p_misspelling: float = rate(0.3, "Probability of an error in a hard word; easier words get fewer.")
    min_word_length: int = count(4, "Shortest word that is misspelled.", least=4)
    real_words: bool = flag(False, "Whether an error may make another English word, such as form for from.")


@dataclass(frozen=True, eq=False)
class MisspellingPlanner:
    """One error in a share of the words."""

    vocabulary: KnownWords
    slips: Slips
    prob: float
    min_word_length: int

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = Rates(Rule.MISSPELLING, threshold(self.prob), threshold(severity))
        hard = self.min_word_length, HARDEST, np.empty(LONGEST_WORD, np.uint8)
        plan = partial(plan_misspellings, self.vocabulary, self.slips, chunk.tokens, rates, *hard)
        return fill_edits(chunk, plan)


@shared
def make_planner(settings: MisspellingSettings) -> MisspellingPlanner:
    """Return the planner for some settings."""
    vocabulary = open_vocabulary(excluded_words(settings), real_words=settings.real_words)
    return MisspellingPlanner(vocabulary, open_slips(), settings.p_misspelling, settings.min_word_length)


def open_vocabulary(excluded: Iterable[str], *, real_words: bool) -> KnownWords:
    """Return the words that may be misspelled, and those that no error may make."""
    added = add_words(sorted({word.lower() for word in excluded}))
    forbidden = np.full(len(added.words), not real_words)
    forbidden[added.places] = True
    return KnownWords(string_table(added.words), added.plain, forbidden)


def open_slips() -> Slips:
    """Return the errors that people make, by the number of their context, with their weights."""
    slips = sorted(((number_of_context(slip.context), slip) for slip in load_slips()), key=itemgetter(0))
    cells = [cell for cell, _ in slips]
    starts = np.searchsorted(cells, np.arange(codes.CELLS + 1))
    errors = np.array([number_of_error(slip.error) for _, slip in slips], np.uint8)
    sums = np.cumsum([0, *(weight_of(slip) for _, slip in slips)])
    return Slips(starts.astype(np.int64), errors, sums.astype(np.int64))


def weight_of(slip: Slip) -> int:
    """Return how much an error weighs: the share of the words with its context that have it, and its kind."""
    first = FIRST if slip.context[1] == EDGE and slip.error[0] != ADDED else 1.0
    return round(first * KINDS[slip.error[0]] * slip.times / (slip.chances + FEW))


def number_of_context(context: str) -> int:
    """Return the number by which kernels know a context."""
    number = PARTS.index(context[0])
    for letter in context[1:]:
        number = number * codes.ALPHABET + (0 if letter == EDGE else ord(letter) - codes.BEFORE_A)
    return number


def number_of_error(error: str) -> int:
    """Return the number by which kernels know an error."""
    kinds = {
        LEFT_OUT: codes.SLIP_LEFT_OUT,
        SWAPPED: codes.SLIP_SWAPPED,
        WRONG: codes.SLIP_WRONG,
        ADDED: codes.SLIP_ADDED,
    }
    return kinds[error[0]] + sum(ord(letter) - codes.BEFORE_A for letter in error[1:])


MISSPELLINGS = Preset(
    name="misspellings",
    version=1,
    family="meaning",
    settings=MisspellingSettings,
    make_planner=make_planner,
    tokenizer="word",
)
