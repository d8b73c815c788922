"""The preset `typos`: neighbouring keys in a share of the words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from salva._kernels import Keyboard, Rates, plan_typos, threshold
from salva._presets.preset import Preset
from salva._presets.resources import layout, open_keyboard
from salva._presets.settings import RENDER, Settings, choice, count, rate
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.edits.render import RENDERS
from salva.text.words import load_characters


@dataclass(frozen=True, kw_only=True)
class TypoSettings(Settings):
    """Neighbouring keys in a quarter of the words."""

    prob: float = rate(0.25, "Probability of typos in a word.")
    typo_per_word: float = rate(0.4, "Share of a word's characters that are chosen; at least one.")
    min_word_length: int = count(3, "Shortest word that gets typos.", least=1)
    keyboard: str | tuple[tuple[str, str], ...] = layout("typos")
    render: str = choice("spaces", RENDERS, RENDER)


@dataclass(frozen=True, eq=False)
class TypoPlanner:
    """Neighbouring keys in a share of the words."""

    keyboard: Keyboard
    prob: float
    typo_per_word: float
    min_word_length: int

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        rates = Rates(Rule.TYPO, threshold(self.prob), threshold(severity))
        how = self.typo_per_word, self.min_word_length, chunk.whole
        plan = partial(plan_typos, load_characters(), self.keyboard, chunk.tokens, rates, *how)
        return fill_edits(chunk, plan)


def make_planner(settings: TypoSettings) -> TypoPlanner:
    """Return the planner for some settings."""
    keys = open_keyboard(settings.keyboard)
    return TypoPlanner(keys, settings.prob, settings.typo_per_word, settings.min_word_length)


TYPOS = Preset(
    name="typos",
    version=2,
    family="corruption",
    settings=TypoSettings,
    make_planner=make_planner,
    tokenizer="space",
)
