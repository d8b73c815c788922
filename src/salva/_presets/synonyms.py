"""The preset `synonyms`: a WordNet synonym for a share of the words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from salva._kernels import Rates, TypeTable, plan_synonyms, threshold
from salva._kernels.constants import ALL_LETTERS
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words, keep_polarity, open_words
from salva._presets.settings import RENDER, Settings, choice, count, rate, words
from salva.edits.chunk import Chunk, Edits, Rule, fill_edits
from salva.edits.memo import Memory
from salva.edits.render import RENDERS
from salva.edits.wordnet import Synonyms
from salva.lexicon import stop_words


@dataclass(frozen=True, kw_only=True)
class SynonymSettings(Settings):
    """WordNet synonyms for half of the words that are not stop words."""

    prob: float = rate(0.5, "Probability of replacing a word.")
    max_synsets: int = count(3, "How many synsets of a word to look at.", least=1)
    stop_words: str | tuple[str, ...] = words(
        "english", "Words to leave alone: english (NLTK's), a file, or a list."
    )
    render: str = choice("spaces", RENDERS, RENDER)


@dataclass(frozen=True, eq=False)
class SynonymPlanner:
    """A synonym for a share of the words that have one and consist of letters only."""

    memory: Memory
    prob: float

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        memo, cuts = self.memory.memo, chunk.cuts
        types = memo.types(cuts.texts.data, cuts.starts, cuts.stops)
        synonyms = memo.choices(types.made_of & ALL_LETTERS > 0)
        rates = Rates(Rule.WORDNET, threshold(self.prob), threshold(severity))
        return fill_edits(chunk, partial(plan_synonyms, chunk.tokens, TypeTable(*types), synonyms, rates))


def make_planner(settings: SynonymSettings) -> SynonymPlanner:
    """Return the planner for some settings."""
    source = Synonyms(
        most_synsets=settings.max_synsets,
        exclude=excluded_words(settings),
        stop_words=open_words(settings.stop_words, english=stop_words),
    )
    return SynonymPlanner(Memory(keep_polarity(settings, source)), settings.prob)


SYNONYMS = Preset(
    name="synonyms",
    version=2,
    family="corruption",
    settings=SynonymSettings,
    make_planner=make_planner,
    tokenizer="nltk",
)
