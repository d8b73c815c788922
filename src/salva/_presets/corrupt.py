"""The preset `corrupt`: typos, bad completions and corrections, and synonyms out of context."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from salva._kernels import (
    CorruptRules,
    TypeTable,
    choose_corruptions,
    mark_wanted,
    pick_words,
    threshold,
    write_corruptions,
)
from salva._kernels.constants import BUCKETS, NO_WORDS
from salva._presets.preset import Preset
from salva._presets.resources import (
    excluded_words,
    freeze_thesaurus,
    keep_polarity,
    read_thesaurus,
    read_vocabulary,
)
from salva._presets.settings import RENDER, Settings, amount, choice, count, resource, words
from salva._types import Bytes, Ints32, Ints64
from salva.edits.chunk import RULES, Chunk, Edits, Rule, Tally, fill_edits
from salva.edits.common import Completions, Corrections
from salva.edits.letters import load_alphabets
from salva.edits.memo import Memory
from salva.edits.render import RENDERS
from salva.edits.sources import WordSource, WordTable
from salva.edits.wordnet import Synonyms
from salva.errors import UsageError
from salva.lexicon import embedded_vocabulary
from salva.text.words import load_characters

CORRUPT_RULES = CorruptRules(Rule.TYPO, Rule.AUTOCOMPLETE, Rule.AUTOCORRECT, Rule.SYNONYM)
COMPLETIONS, CORRECTIONS, SYNONYMS = range(3)  # the sources in the memory


@dataclass(frozen=True, kw_only=True)
class CorruptSettings(Settings):
    """Bad autocorrection, bad autocompletion, synonyms out of context, and typos."""

    typo_weight: float = amount(0.05, "How often a word gets a typo, relative to the other weights.")
    autocomplete_weight: float = amount(0.30, "How often a word is completed to another.")
    autocorrect_weight: float = amount(0.30, "How often a word is corrected to another.")
    synonym_weight: float = amount(0.35, "How often a word becomes a synonym, whatever its sense.")
    dictionary_size: int = count(4000, "How many common words to use for corrections and completions.")
    vocabulary: str | tuple[str, ...] = words(
        "builtin", "Common words, most frequent first: builtin, a file, or a list."
    )
    thesaurus: str | tuple[tuple[str, tuple[str, ...]], ...] = resource(
        "wordnet",
        "Synonyms: wordnet, a TSV file of words and their synonyms, or a mapping.",
        freeze=freeze_thesaurus,
    )
    share_of: str = choice("words", ("words", "tokens"), "What severity is a share of: words, or all tokens.")
    look_up: str = choice("lower", ("lower", "written"), "Look words up in lower case, or as written.")
    correct: str = choice("any", ("any", "common"), "Which words are corrected: any, or only common ones.")
    render: str = choice("spaces", RENDERS, RENDER)

    def __post_init__(self) -> None:
        """Refuse weights that are all 0."""
        if not any(self.weights):
            raise UsageError("all weights are 0; give at least one corruption a weight")

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """The weights of typo, autocomplete, autocorrect and synonym."""
        return self.typo_weight, self.autocomplete_weight, self.autocorrect_weight, self.synonym_weight


@dataclass(frozen=True, eq=False)
class CorruptPlanner:
    """A typo, a wrong completion or correction, or a synonym out of context in a share of the words.

    `memory` has completions, corrections and synonyms; `weights` are those of typo, autocomplete, autocorrect
    and synonym. With `every_token`, severity is a share of all tokens; chosen tokens that are not words stay.
    """

    memory: Memory
    weights: tuple[float, float, float, float]
    every_token: bool = False

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        eligible = np.empty(len(chunk.cuts.texts), np.int32)
        chosen, chosen_rules = self._choose(chunk, severity, eligible)
        memo, tokens, cuts = self.memory.memo, chunk.tokens, chunk.cuts
        types = memo.types(cuts.texts.data, cuts.starts[chosen], cuts.stops[chosen])
        wanted = np.zeros((len(RULES), len(types.lengths)), np.bool_)
        mark_wanted(chosen_rules, types.numbers, wanted)
        completions = memo.choices(wanted[Rule.AUTOCOMPLETE], COMPLETIONS)
        lost = wanted[Rule.AUTOCOMPLETE] & (np.asarray(completions.entries)[: wanted.shape[1]] == NO_WORDS)
        corrections = memo.choices(wanted[Rule.AUTOCORRECT] | lost, CORRECTIONS)
        synonyms = memo.choices(wanted[Rule.SYNONYM], SYNONYMS)
        new_words = np.zeros(len(chosen), np.int32)
        sources = completions, corrections, synonyms
        pick_words(tokens, TypeTable(*types), chosen, *sources, CORRUPT_RULES, chosen_rules, new_words)
        tables = load_characters(), load_alphabets()
        fixed = *tables, tokens, chosen, chosen_rules, new_words, memo.lists, CORRUPT_RULES, chunk.whole
        edits = fill_edits(chunk, partial(write_corruptions, *fixed), len(chosen))
        return edits._replace(tally=Tally(eligible, edits.tally.parts))

    def _choose(self, chunk: Chunk, severity: float, eligible: Ints32) -> tuple[Ints64, Bytes]:
        """Return the tokens to corrupt, and the rule of each."""
        count, longest = len(chunk.cuts.starts), int(np.diff(chunk.cuts.rows).max(initial=0))
        shares = np.cumsum(self.weights)
        limits = np.array([threshold(share / shares[-1]) for share in shares[:-1]], np.uint64)
        draws, scratch = np.empty((2, longest + 1), np.uint64)
        counts = np.empty(BUCKETS, np.int64)
        chosen, chosen_rules = np.empty(count + 1, np.int64), np.empty(count, np.uint8)
        places = np.empty(longest + 1, np.int64)
        fixed = load_characters(), chunk.tokens, severity, self.every_token, limits, CORRUPT_RULES
        size = choose_corruptions(*fixed, draws, scratch, counts, places, eligible, chosen, chosen_rules)
        return chosen[:size], chosen_rules[:size]


def make_planner(settings: CorruptSettings) -> CorruptPlanner:
    """Return the planner for some settings."""
    exclude, written = excluded_words(settings), settings.look_up == "written"
    common = _common_words(settings, exclude)
    return CorruptPlanner(
        Memory(
            Completions(common, written=written),
            Corrections(common, common_only=settings.correct == "common", written=written),
            keep_polarity(settings, _synonyms(settings, exclude, written=written)),
        ),
        settings.weights,
        settings.share_of == "tokens",
    )


def _common_words(settings: CorruptSettings, exclude: tuple[str, ...]) -> tuple[str, ...]:
    common = settings.vocabulary
    if common == "builtin":
        common = embedded_vocabulary(settings.dictionary_size)
    elif isinstance(common, str):
        common = read_vocabulary(common)
    excluded = {word.lower() for word in exclude}
    lowered = dict.fromkeys(word.lower() for word in common[: settings.dictionary_size])
    return tuple(word for word in lowered if word not in excluded)


def _synonyms(settings: CorruptSettings, exclude: tuple[str, ...], *, written: bool) -> WordSource:
    thesaurus = settings.thesaurus
    if thesaurus == "wordnet":
        return Synonyms(exclude=exclude, written=written)
    lists = read_thesaurus(thesaurus) if isinstance(thesaurus, str) else dict(thesaurus)
    return WordTable(lists, exclude, written=written)


CORRUPT = Preset(
    name="corrupt",
    version=2,
    family="corruption",
    settings=CorruptSettings,
    make_planner=make_planner,
    tokenizer="word",
    severity=0.5,
    leaning=True,
)
