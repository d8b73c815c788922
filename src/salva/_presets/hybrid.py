"""The preset `hybrid`: synonyms from domain groups, then from WordNet by part of speech; then a few typos."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from salva._kernels import HybridRates, Keyboard, TypeTable, plan_hybrid, threshold
from salva._presets.preset import Preset
from salva._presets.resources import (
    excluded_words,
    freeze_groups,
    keep_polarity,
    layout,
    open_groups,
    open_keyboard,
)
from salva._presets.settings import RENDER, Settings, choice, count, flag, rate, resource
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.edits.memo import Memory
from salva.edits.render import RENDERS
from salva.edits.sources import WordTable
from salva.edits.wordnet import Synonyms
from salva.text.tagger import Tagger
from salva.text.tagger_model import find_tagger
from salva.text.words import load_characters

GROUPS, BY_PART = range(2)  # the sources in the memory


def tagger_folder(value: str) -> Path:
    """Return the folder that the setting `tagger` names; `nltk` is found where NLTK itself looks."""
    return find_tagger() if value == "nltk" else Path(value)


def tagger_field() -> Any:
    """Return a field for a tagger."""
    about = "Part-of-speech tagger: builtin, nltk (with NLTK's own weights), or a folder with weights."
    return resource("builtin", about, locate=tagger_folder)


def open_tagger(value: str) -> Tagger:
    """Return the tagger that the setting names."""
    return Tagger.default() if value == "builtin" else Tagger.load(tagger_folder(value))


@dataclass(frozen=True, kw_only=True)
class HybridSettings(Settings):
    """Synonyms from domain groups and WordNet by part of speech, and a few typos."""

    p_synonym_adj: float = rate(0.70, "Probability of replacing an adjective.")
    p_synonym_adv: float = rate(0.70, "Probability of replacing an adverb.")
    p_synonym_noun: float = rate(0.30, "Probability of replacing a noun.")
    p_synonym_verb: float = rate(0.25, "Probability of replacing a verb.")
    min_word_length: int = count(4, "Shortest word that is replaced or mistyped.", least=1)
    p_typo: float = rate(0.10, "Probability of a typo in a word that was not replaced.")
    max_typos_per_example: int = count(2, "Most typos in one text.")
    second_draw: bool = flag(
        True, "Whether a word that its group did not replace gets a second draw, from WordNet."
    )
    groups: str | tuple[tuple[str, ...], ...] = resource(
        "builtin",
        "Domain groups: builtin, a TOML file, or lists of words; [] for WordNet alone.",
        freeze=freeze_groups,
    )
    tagger: str = tagger_field()
    keyboard: str | tuple[tuple[str, str], ...] = layout("hybrid")
    render: str = choice("treebank", RENDERS, RENDER)


@dataclass(frozen=True, eq=False)
class HybridPlanner:
    """Domain groups, WordNet and a few typos. `memory` has the groups, and WordNet by part of speech.

    `replace` are the rates for nouns, verbs, adjectives and adverbs; `second_draw` says whether a word of a
    group that loses its draw gets WordNet's draw too.
    """

    memory: Memory
    tagger: Tagger
    keyboard: Keyboard
    replace: tuple[float, float, float, float]
    p_typo: float
    min_word_length: int
    max_typos: int
    second_draw: bool = True

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        memo, words = self.memory.memo, chunk.words
        types = chunk.types
        _, parts = chunk.tags(self.tagger)
        places = words.offsets.astype(np.int32)
        known = memo.types(words.data, places[types.firsts], places[types.firsts + 1])
        table = TypeTable(known.numbers[types.numbers], known.lengths, known.made_of)
        long = known.lengths >= self.min_word_length
        groups, wordnet = (memo.choices(long, which) for which in (GROUPS, BY_PART))
        rates = HybridRates(
            Rule.GROUP,
            Rule.WORDNET,
            Rule.TYPO,
            np.array([threshold(rate) for rate in self.replace], np.uint64),
            threshold(self.p_typo),
            threshold(severity),
            self.min_word_length,
            self.max_typos,
            chunk.whole,
            self.second_draw,
        )
        fixed = load_characters(), self.keyboard, chunk.tokens, table, parts, groups, wordnet
        return fill_edits(chunk, partial(plan_hybrid, *fixed, rates))


def make_planner(settings: HybridSettings) -> HybridPlanner:
    """Return the planner for some settings."""
    groups, exclude = open_groups(settings.groups), excluded_words(settings)
    by_group = WordTable({word: groups.synonyms(word) for word in groups.by_word}, exclude)
    by_part = Synonyms(by_part=True, letters_only=True, exclude=exclude)
    return HybridPlanner(
        Memory(keep_polarity(settings, by_group), keep_polarity(settings, by_part)),
        open_tagger(settings.tagger),
        open_keyboard(settings.keyboard),
        (settings.p_synonym_noun, settings.p_synonym_verb, settings.p_synonym_adj, settings.p_synonym_adv),
        settings.p_typo,
        settings.min_word_length,
        settings.max_typos_per_example,
        settings.second_draw,
    )


HYBRID = Preset(
    name="hybrid",
    version=2,
    family="corruption",
    settings=HybridSettings,
    make_planner=make_planner,
    tokenizer="nltk",
    tagged=True,
)
