"""The preset `natural`: other words with the same meaning, where reading has shown that they keep it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from salva._arrow import as_numbers, as_strings
from salva._kernels import RowState, WordsOfRows, plan_natural, threshold
from salva._presets.hybrid import open_tagger, tagger_field
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva._presets.settings import SpliceSettings, amount, flag, resources
from salva._presets.shared import shared
from salva._presets.verification import Verifier, language_model_field
from salva.edits.chunk import Chunk, Edits, Rule, count_parts, fill_edits
from salva.edits.contexts import rewordings
from salva.edits.merge import keep_edits
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
class PairSettings(SpliceSettings):
    """The settings of presets that use pairs; a subclass has a setting for each of its sources."""

    keep_polarity: bool = flag(True, "Refuse pairs that turn praise into blame, or blame into praise.")
    tagger: str = tagger_field()


@dataclass(frozen=True, kw_only=True)
class NaturalSettings(PairSettings):
    """Words, contractions and spellings that mean the same, chosen by reading; everything else stays."""

    pairs: str | tuple[str, ...] = pair_files("Pairs of words")
    contractions: str | tuple[str, ...] = pair_files("Contractions")
    spellings: str | tuple[str, ...] = pair_files("Spelling variants")
    verify: str = language_model_field()
    max_loss: float = amount(4.0, "Most nats that a sentence may lose by an edit that verify must pass.")
    candidates: str | tuple[str, ...] = pair_files("Pairs of words that verify must pass")


@dataclass(frozen=True, eq=False)
class NaturalPlanner:
    """Pairs of words whose conditions hold; candidates must pass the verifier."""

    pairs: CompiledPairs
    tagger: Tagger
    verifier: Verifier | None = None

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        types = chunk.types
        numbers, parts = chunk.tags(self.tagger)
        distinct = lower(as_strings(chunk.words.array.take(as_numbers(types.firsts))))
        known = find_words(self.pairs.words, distinct, np.arange(len(distinct)))
        words = WordsOfRows(known[types.numbers], numbers, parts)
        longest = int(np.diff(chunk.cuts.rows).max(initial=0))
        row = RowState(np.empty(longest, np.uint8), np.empty(longest, np.int32))
        rules, special = self.pairs.rules, self.pairs.special
        kept = Rule.SPELLING, threshold(severity)
        edits = fill_edits(chunk, partial(plan_natural, rules, chunk.tokens, words, special, *kept, row))
        return edits if self.verifier is None else _verify(self.verifier, chunk, edits)


def _verify(verifier: Verifier, chunk: Chunk, edits: Edits) -> Edits:
    """Return the edits without the candidates that fail; words that keep them are not eligible."""
    asked = np.flatnonzero(edits.rules == Rule.CANDIDATE)
    failed = asked[~verifier.passes(rewordings(chunk, edits, asked.tolist()))]
    np.subtract.at(edits.tally.eligible, np.searchsorted(edits.rows, failed, "right") - 1, 1)
    edits.tally.parts[:, 1] -= count_parts(edits.parts[failed])
    kept = np.ones(len(edits.rules), np.bool_)
    kept[failed] = False
    return keep_edits(edits, kept)


@shared
def make_planner(settings: NaturalSettings) -> NaturalPlanner:
    """Return the planner for some settings."""
    tagger = open_tagger(settings.tagger)
    named = open_sources(settings)
    verifier = None
    if settings.verify != "off":
        verifier = Verifier(settings.verify, settings.max_loss)
        candidates = open_pairs("candidates", settings.candidates, keep_polarity=settings.keep_polarity)
        named[Rule.CANDIDATE] = candidates
    exclude = excluded_words(settings)
    checked, last = [Rule.PAIR, Rule.CANDIDATE], [Rule.CANDIDATE]
    pairs = compile_pairs(named, tagger.tags, checked=checked, last=last, exclude=exclude)
    return NaturalPlanner(pairs, tagger, verifier)


def open_sources(settings: PairSettings) -> dict[int, tuple[Pair, ...]]:
    """Return the pairs of each source that the settings have, by the number of its rule."""
    return {
        rule: open_pairs(name, getattr(settings, name), keep_polarity=settings.keep_polarity)
        for name, rule in SOURCES.items()
        if name in vars(settings)
    }


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
