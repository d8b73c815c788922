"""The preset `numbers`: one number of each text becomes another number of the same form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from salva._arrow import as_numbers, as_strings
from salva._kernels import FirstSeen, NumberWords, plan_digits
from salva._kernels.constants import LONGEST_NUMBER, NUMBER
from salva._presets.contrasts import ContrastSettings, units_of_types
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva._presets.settings import flag
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.edits.contrast import choose_edits
from salva.edits.merge import merge_edits
from salva.edits.swaps import CompiledSwaps, Kind, compile_swaps, plan_kinds
from salva.text.words import find_words, string_table

NUMBER_WORDS = (
    "two three four five six seven eight nine",
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "twenty thirty forty fifty sixty seventy eighty ninety",
)
# Not after these: one or two, twenty two, between two and three, all four, one through nine.
BEFORE = "one or and to nor of hundred thousand million billion through point versus vs. latter former catch"
# Not before these: two or three, ten to twenty, two hundred, two out of ten.
AFTER = """
    or to and and-a-half hundred thousand million billion dozen point thirds fifths out thumbs through versus
    o'clock times-out cents
"""
RATING = ("of", "out", "/", "10", "a")
TIMES = ("o'clock", "am", "pm", "a.m.", "p.m.", "AM", "PM", "A.M.", "P.M.")


@dataclass(frozen=True, kw_only=True)
class NumberSettings(ContrastSettings):
    """One number of each text becomes another of the same form, as digits or as a word; the rest stays."""

    digits: bool = flag(True, "Whether numbers in digits change.")
    words: bool = flag(True, "Whether the number words from two to ninety change.")


@dataclass(frozen=True, eq=False)
class NumberPlanner:
    """One number replaced with another of the same form, wherever the text has it."""

    words: CompiledSwaps
    digits: bool
    most: int

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        plans = [plan_kinds(self.words, chunk, Rule.NUMBER)]
        plans += [_plan_digits(chunk)] if self.digits else []
        edits = merge_edits(plans)
        units = units_of_types(chunk, edits)
        return choose_edits(chunk, edits, units, severity=severity, most=self.most)


def _plan_digits(chunk: Chunk) -> Edits:
    types = chunk.types
    distinct = as_strings(chunk.words.array.take(as_numbers(types.firsts)))
    words = find_words(string_table([*RATING, *TIMES]), distinct, np.arange(len(distinct)))[types.numbers]
    special = NumberWords(*range(len(RATING) + 1))
    room = FirstSeen(*np.full((2, len(types.firsts)), -1)), np.empty(LONGEST_NUMBER, np.int8)
    plan = partial(plan_digits, special, chunk.tokens, words, types.numbers, Rule.NUMBER, *room)
    return fill_edits(chunk, plan)


def make_planner(settings: NumberSettings) -> NumberPlanner:
    """Return the planner for some settings."""
    cases = [str.lower, str.capitalize]
    kinds = [Kind(tuple(map(case, words.split())), NUMBER) for words in NUMBER_WORDS for case in cases]
    words = compile_swaps(
        kinds if settings.words else [],
        before=[case(word) for word in BEFORE.split() for case in cases],
        after=AFTER.split(),
        exclude=excluded_words(settings),
    )
    return NumberPlanner(words, settings.digits, settings.most)


NUMBERS = Preset(
    name="numbers",
    version=1,
    family="contrast",
    settings=NumberSettings,
    make_planner=make_planner,
    tokenizer="nltk",
)
