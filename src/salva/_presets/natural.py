"""The preset `natural`: other words with the same meaning, where reading has shown that they keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from salva._arrow import as_numbers, as_strings
from salva._kernels.pairs import WordsOfRows
from salva._kernels.plan_natural import NaturalScratch, plan_natural
from salva._kernels.rng import threshold
from salva._presets.hybrid import open_tagger, tagger_field
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva._presets.settings import SpliceSettings, flag, resources
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.edits.pairs import CompiledPairs, compile_pairs
from salva.errors import InputError
from salva.lexicon import check_pairs
from salva.lexicon.pair_checks import OPPOSITE
from salva.lexicon.pairs import Pair, load_pairs, merge_pairs, read_pairs
from salva.text.tagger import Tagger
from salva.text.words import find_words, lower

SOURCES = {"pairs": Rule.PAIR, "contractions": Rule.CONTRACTION, "spellings": Rule.SPELLING}


def pair_files(what: str) -> Any:
    """Return a field for files of pairs."""
    doc = f"{what}: builtin, none, a file, or a list of these, of which the first pair that applies is used."
    return resources("builtin", doc, shipped=("none",))


@dataclass(frozen=True, kw_only=True)
class NaturalSettings(SpliceSettings):
    """Words, contractions and spellings that mean the same, chosen by reading; everything else stays."""

    pairs: str | tuple[str, ...] = pair_files("Pairs of words")
    contractions: str | tuple[str, ...] = pair_files("Contractions")
    spellings: str | tuple[str, ...] = pair_files("Spelling variants")
    keep_polarity: bool = flag(True, "Refuse pairs that turn praise into blame, or blame into praise.")
    tagger: str = tagger_field()


@dataclass(frozen=True, eq=False)
class NaturalPlanner:
    """Pairs of words whose conditions hold."""

    pairs: CompiledPairs
    tagger: Tagger

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        types = chunk.types
        numbers, parts = chunk.tags(self.tagger)
        distinct = lower(as_strings(chunk.words.array.take(as_numbers(types.firsts))))
        known = find_words(self.pairs.words, distinct, np.arange(len(distinct)))
        words = WordsOfRows(known[types.numbers], numbers, parts)
        longest = int(np.diff(chunk.cuts.rows).max(initial=0))
        scratch = NaturalScratch(np.empty(longest, np.bool_), np.empty(longest, np.int32))
        fixed = self.pairs.rules, chunk.tokens, chunk.cuts.texts.offsets, words, self.pairs.special
        rates = Rule.SPELLING, threshold(severity)
        return fill_edits(chunk, lambda tally, out: plan_natural(*fixed, *rates, scratch, tally, out))


def make_planner(settings: NaturalSettings) -> NaturalPlanner:
    """Return the planner for some settings."""
    tagger = open_tagger(settings.tagger)
    named = {
        rule: open_pairs(name, getattr(settings, name), keep_polarity=settings.keep_polarity)
        for name, rule in SOURCES.items()
    }
    exclude = excluded_words(settings)
    pairs = compile_pairs(named, tagger.tags, checked=[Rule.PAIR], exclude=exclude)
    return NaturalPlanner(pairs, tagger)


def open_pairs(name: str, value: str | tuple[str, ...], *, keep_polarity: bool = True) -> tuple[Pair, ...]:
    """Return the pairs of a setting: those of several files are tried in the order of the files."""
    listed = (value,) if isinstance(value, str) else value
    return merge_pairs([(own, _open_file(name, own, keep_polarity=keep_polarity)) for own in listed])


def _open_file(name: str, value: str, *, keep_polarity: bool) -> tuple[Pair, ...]:
    """Return the shipped pairs of a source, none at all, or those of a file; refuse bad ones."""
    if value in {"builtin", "none"}:
        return load_pairs(name) if value == "builtin" else ()
    pairs = read_pairs(value)
    for finding in check_pairs(pairs):
        if finding.level == "error" and (keep_polarity or finding.code != OPPOSITE):
            raise InputError.at(value, finding.line, finding.message)
    return pairs


NATURAL = Preset(
    name="natural",
    version=1,
    family="meaning",
    settings=NaturalSettings,
    make_planner=make_planner,
    tokenizer="nltk",
    tagged=True,
)
