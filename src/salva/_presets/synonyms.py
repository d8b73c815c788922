"""The preset `synonyms`: a WordNet synonym for a share of the words."""

from __future__ import annotations

from dataclasses import dataclass

from salva._kernels.plan_synonyms import SynonymRates, plan_synonyms
from salva._kernels.rng import threshold
from salva._kernels.words import ALL_LETTERS
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
        memo, tokens = self.memory.memo, chunk.tokens
        table = memo.types(tokens.data, tokens.starts, tokens.stops)
        synonyms = memo.choices(table.made_of & ALL_LETTERS > 0)
        rates = SynonymRates(Rule.WORDNET, threshold(self.prob), threshold(severity))
        return fill_edits(chunk, lambda tally, out: plan_synonyms(tokens, table, synonyms, rates, tally, out))


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
