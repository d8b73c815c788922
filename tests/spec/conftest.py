"""What tests of the five specs share: real texts, the same words with other draws, edits, and intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

import salva
from salva.rows import reviews
from salva.transforms import Transform, Twins
from tests.conftest import SHARED
from tests.spec.candidates import Word, tagged_words
from tests.text.conftest import hostile_texts

CONFIDENCE = 0.999
# The specs know neither of these guards, which are on by default.
LETTER = {"keep_polarity": False, "protect_markup": False}

FILM_WORDS = (  # noqa: SIM905  (words are easier to read than a list)
    "This movie was REALLY great and Entertaining but the Actors were terrible films, like McQueen's best "
    "acting; I loved it! See a story (well-made) or 2 in 1999 slowly developed CHARACTERS an ending"
).split()
words = st.sampled_from(FILM_WORDS) | st.text("abdeilnorstuxAEKRSTZ", min_size=1, max_size=12)
texts = st.lists(words | hostile_texts, max_size=8).map(" ".join)
seeds = st.integers(0, 2**64 - 1)


def for_any_text(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with texts and seeds of hypothesis."""
    return settings(max_examples=50)(given(text=texts, seed=seeds)(test))


def to_the_letter(name: str, **settings: Any) -> Transform:
    """Return a preset that does what its spec says, without the guards that go beyond it."""
    return salva.preset(name, **LETTER | settings)


class Edit(NamedTuple):
    row: int
    start: int
    old: str
    new: str
    rule: str

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.start

    @property
    def changed(self) -> list[int]:
        """The places of the word that another character stands at; it is as long as it was."""
        return [i for i, (old, new) in enumerate(zip(self.old, self.new, strict=True)) if old != new]


def edits_of(twins: Twins) -> list[Edit]:
    return [Edit(*row) for row in zip(*(twins.edits[name].to_pylist() for name in Edit._fields), strict=True)]


def variants(text: str, count: int) -> list[str]:
    """Return texts that differ in white space at the end alone: the same words, and draws of their own."""
    bits = range(count.bit_length())
    return [text + "".join(" \t"[number >> bit & 1] for bit in bits) for number in range(count)]


def assert_rate(outcomes: Iterable[bool], rate: float) -> None:
    """Hold that a rate is within the exact 99.9 % interval of what happened."""
    found = list(outcomes)
    assert len(found) >= 100, f"{len(found)} words are too few to tell"
    low, high = binomtest(sum(found), len(found)).proportion_ci(CONFIDENCE)
    assert low <= rate <= high, f"{sum(found)} of {len(found)} is {low:.4f} to {high:.4f}, not {rate}"


def assert_shares(counts: Sequence[int], weights: Sequence[float]) -> None:
    """Hold that at least one in a thousand draws by the weights would be further off."""
    expected = [sum(counts) * weight / sum(weights) for weight in weights]
    assert min(expected) >= 20, f"{list(counts)} are too few to tell"
    assert chisquare(counts, expected).pvalue > 1 - CONFIDENCE, f"{list(counts)} is not {expected}"


@pytest.fixture(scope="session")
def review_texts() -> list[str]:
    both = [text for split in ("train", "test") for text in reviews(split)["text"].to_pylist()]
    return list(dict.fromkeys(both))


def some_of_imdb(folder: Path, count: int) -> list[str]:
    column = pq.read_table(folder / "test.parquet", columns=["text"])["text"].to_pylist()
    return list(dict.fromkeys(column[:: len(column) // count]))


@pytest.fixture(scope="session")
def imdb_texts(imdb) -> list[str]:
    return some_of_imdb(imdb, 300)


@pytest.fixture(scope="session")
def more_imdb_texts(imdb) -> list[str]:
    return some_of_imdb(imdb, 2000)


MORE = pytest.param("more_imdb_texts", marks=pytest.mark.slow)


@pytest.fixture(scope="session", params=["review_texts", "imdb_texts", MORE])
def corpus(request) -> list[str]:
    """Distinct texts: equal ones would have equal draws."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def document():
    def read(number: int) -> str:
        found = sorted((SHARED / "spec").glob(f"{number}-*"))
        if not found:
            pytest.skip("needs the documents in ../shared/spec, which are not part of the project")
        return found[0].read_text("utf-8")

    return read


@pytest.fixture(scope="session")
def corpus_words(corpus) -> list[Word]:
    return tagged_words(corpus)


@pytest.fixture(scope="session")
def review_words(review_texts) -> list[Word]:
    return tagged_words(review_texts)
