"""The preset `negation`: one sentence of each text negated, or a negation in it taken away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salva._arrow import as_numbers, as_strings
from salva._kernels import ContrastCandidates, find_clear
from salva._kernels.constants import SENTENCE_END
from salva._presets.contrasts import PairContrastPlanner, TaggedContrastSettings, make_pair_planner
from salva._presets.natural import open_pairs, pair_files
from salva._presets.preset import Preset
from salva._presets.shared import shared
from salva._types import Bools
from salva.edits.chunk import Chunk, Edits, Rule
from salva.lexicon.negatives import NEGATIVE_WORDS
from salva.text.words import lower

NEGATIVE, ANY = 2, 4  # flags of words, besides SENTENCE_END
# These need a negation: I don't like any of it.
ANY_WORDS = """
    any anything anyone anybody anywhere anymore ever either yet much many until till but because remotely
    slightest whatsoever necessarily bother
"""
STOPS = """. ! ? ... ; : -- ( ) " `` ''"""
# A sentence with a negative word is not negated again; if it has two, taking one away may leave it negated.
FLAGS = {
    **dict.fromkeys(STOPS.split(), SENTENCE_END),
    **dict.fromkeys(NEGATIVE_WORDS.split(), NEGATIVE),
    **dict.fromkeys(ANY_WORDS.split(), ANY),
}
BARRED = {Rule.NEGATION: NEGATIVE, Rule.AFFIRMATION: NEGATIVE | ANY}


@dataclass(frozen=True, kw_only=True)
class NegationSettings(TaggedContrastSettings):
    """One statement of each text negated, or its negation taken away; everything else stays."""

    negations: str | tuple[str, ...] = pair_files("What negates a statement")
    affirmations: str | tuple[str, ...] = pair_files("What takes a negation away")


def _are_clear(chunk: Chunk, edits: Edits) -> Bools:
    """Return which edits are in sentences without another negation, and without words that need one."""
    words = lower(as_strings(chunk.words.array.take(as_numbers(chunk.types.firsts)))).array.to_pylist()
    flags = np.array([FLAGS.get(word, 0) for word in words], np.uint8)[chunk.types.numbers]
    barred = np.array([BARRED.get(rule, 0) for rule in edits.rules.tolist()], np.uint8)
    candidates = ContrastCandidates(edits.tokens, edits.starts, edits.stops, barred)
    longest = int(np.diff(chunk.cuts.rows).max(initial=0))
    out = np.empty(len(edits.tokens), np.bool_)
    sentences, counts = np.empty(longest, np.int32), np.empty(8 * (longest + 1), np.int32)
    find_clear(chunk.cuts.rows, chunk.cuts.starts, flags, candidates, sentences, counts, out)
    return out


@shared
def make_planner(settings: NegationSettings) -> PairContrastPlanner:
    """Return the planner for some settings: one negation made or undone, in a sentence that has no other."""
    named = {
        Rule.NEGATION: open_pairs("negations", settings.negations, keep_polarity=False),
        Rule.AFFIRMATION: open_pairs("affirmations", settings.affirmations, keep_polarity=False),
    }
    return make_pair_planner(settings, named, _are_clear)


NEGATION = Preset(
    name="negation",
    version=1,
    family="contrast",
    settings=NegationSettings,
    make_planner=make_planner,
    tokenizer="nltk",
    tagged=True,
)
