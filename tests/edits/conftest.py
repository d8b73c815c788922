"""What tests of edits share: planners with high rates, hostile columns, and what a plan makes of them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from salva._arrow import as_strings
from salva._presets import Planner
from salva._presets.corrupt import CORRUPT, CorruptPlanner
from salva._presets.hybrid import HYBRID, HybridPlanner
from salva._presets.synonyms import SYNONYMS, SynonymPlanner
from salva._presets.typos import TYPOS, TypoPlanner
from salva._types import Ragged
from salva.edits.chunk import RULES, Chunk, Draw, Edits
from salva.edits.common import Completions, Corrections
from salva.edits.letters import compile_keyboard
from salva.edits.memo import Memory
from salva.edits.protect import Protection
from salva.edits.sources import WordSource, WordTable
from salva.edits.wordnet import Synonyms
from salva.lexicon import KEYBOARDS, load_groups, stop_words
from salva.rows import reviews
from salva.text import Tagger, tokenize
from salva.text.tokens import TOKENIZERS
from tests.conftest import COMPILED
from tests.text.conftest import hostile_texts

# For slow twins that look at every word with all of its rules.
few_examples = settings(max_examples=min(25, settings.default.max_examples))

KNOWN = (  # noqa: SIM905  (words are easier to read than a list)
    "Films films WERE really loved movie best acting geese McQueen ITS well mouse 22 ran wolves the Worst "
    "quickly plot kelvin nai\u0308ve Paris going ice_cream K k\u0301ings sto\u0301ry don't can't Straße a an "
    "movies, (good) terrible. overacted international"
).split()
VOCABULARY = (  # noqa: SIM905
    "movie movies story stories wolve acting actress really reality straße strasse naïve kings going "
    "日本語ab quick quickly internal interval terribly ΟΔΟΣ οδος éclair éclairs worse plots"
).split()
THESAURUS = {
    "movie": ["ﬁlm", "MOTION picture", "日本"],
    "acting": ["ŉ", "performance " * 900],
    "k": ["ǆungla", "s"],
    "straße": ["Weg"],
    "a": ["iPad"],
    "οδος": ["x"],
    "films": ["movies"],
}
known_words = st.lists(st.sampled_from(KNOWN), max_size=9).map(" ".join)
texts = st.builds("{} {}{}".format, known_words, hostile_texts, st.sampled_from(KNOWN)) | hostile_texts
columns = st.lists(st.none() | texts | known_words, max_size=3)
severities = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])

SYNONYM_PROB = 0.7
TYPO_SETTINGS = {"prob": 0.7, "typo_per_word": 0.4, "min_word_length": 3}
HYBRID_SETTINGS = {"replace": (0.3, 0.5, 0.6, 0.7), "p_typo": 0.5, "min_word_length": 4, "max_typos": 2}
WEIGHTS = (0.2, 0.3, 0.3, 0.35)


@cache
def word_sources() -> dict[str, Synonyms | WordTable | Completions | Corrections]:
    groups = load_groups()
    return {
        "groups": WordTable({word: groups.synonyms(word) for word in groups.by_word} | THESAURUS),
        "by class": Synonyms(by_part=True, letters_only=True),
        "first three": Synonyms(most_synsets=3),
        "all": Synonyms(),
        "thesaurus": WordTable(THESAURUS),
        "completions": Completions(VOCABULARY),
        "corrections": Corrections(VOCABULARY),
        "thesaurus as written": WordTable(THESAURUS | {"Films": ["Flicks"]}, written=True),
        "completions as written": Completions(VOCABULARY, written=True),
        "corrections as written": Corrections(VOCABULARY, common_only=True, written=True),
    }


@cache
def planners() -> dict[str, Planner]:
    source = word_sources()
    common = source["completions"], source["corrections"]
    written = (source[f"{name} as written"] for name in ("completions", "corrections", "thesaurus"))
    both, tagger = Memory(source["groups"], source["by class"]), Tagger.default()
    return {
        "typos": TypoPlanner(compile_keyboard(KEYBOARDS["typos"]), **TYPO_SETTINGS),
        "synonyms": SynonymPlanner(Memory(Synonyms(most_synsets=3, stop_words=stop_words())), SYNONYM_PROB),
        "hybrid": HybridPlanner(both, tagger, compile_keyboard(KEYBOARDS["hybrid"]), **HYBRID_SETTINGS),
        "corrupt": CorruptPlanner(Memory(*common, source["all"]), WEIGHTS),
        "corrupt by hand": CorruptPlanner(Memory(*common, source["thesaurus"]), WEIGHTS),
        "corrupt as written": CorruptPlanner(Memory(*written), WEIGHTS, every_token=True),
        "corrupt tokens": CorruptPlanner(Memory(*common, source["all"]), WEIGHTS, every_token=True),
    }


PRESET_OF = {TypoPlanner: TYPOS, SynonymPlanner: SYNONYMS, HybridPlanner: HYBRID, CorruptPlanner: CORRUPT}
PLANS = (
    "typos",
    "synonyms",
    "hybrid",
    "corrupt",
    "corrupt by hand",
    "corrupt as written",
    "corrupt tokens",
)


# The module here that compares the plan of each preset with its slow twin in tests/reference.
TWIN_TESTS = dict.fromkeys(("typos", "synonyms", "hybrid", "corrupt"), "test_plans") | {
    "natural": "test_natural",
    "contractions": "test_natural",
    "misspellings": "test_misspellings",
    "case": "test_surface",
    "punctuation": "test_surface",
    "spaces": "test_surface",
    **dict.fromkeys(("negation", "antonyms", "numbers", "names"), "test_contrast"),
}


def tokenizer_of(planner: Planner) -> str:
    return PRESET_OF[type(planner)].tokenizer


def cut(column: list[str | None], by: str, draw: Draw, protection: Protection | None = None) -> Chunk:
    return Chunk.of(as_strings(column), TOKENIZERS[by].cut, draw, protection or Protection())


def edits_by_row(chunk: Chunk, edits: Edits) -> list[list[tuple[int, str, str]]]:
    """Return the place among the tokens of its row, the rule and the new word of every edit."""
    out: list[list[tuple[int, str, str]]] = [[] for _ in chunk.cuts.texts.array]
    for k, token in enumerate(edits.tokens.tolist()):
        row = int(np.searchsorted(chunk.cuts.rows, token, "right")) - 1
        new = edits.new[edits.offsets[k] : edits.offsets[k + 1]].tobytes().decode()
        out[row].append((token - int(chunk.cuts.rows[row]), RULES[edits.rules[k]], new))
    return out


def spelled(source: WordSource, lists: Ragged) -> list[list[str]]:
    """Return the lists of a source as lists of words, in the case that the source gives them."""
    names = source.words.array.take(lists.values).to_pylist()
    return [names[start:stop] for start, stop in pairwise(lists.starts.tolist())]


@pytest.fixture(scope="session")
def bundled() -> list[str]:
    return reviews("train")["text"].to_pylist()


@pytest.fixture(scope="session")
def word_types(bundled: list[str]) -> list[str]:
    """The words of the bundled reviews, the most frequent first; few without the compiler."""
    counts = Counter(word.lower() for text in bundled for word in tokenize(text, by="word"))
    return [word for word, _ in counts.most_common(3000 if COMPILED else 300)]
