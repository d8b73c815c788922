"""The plan of `misspellings` makes the edits of its slow twin, and errors as people make them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._presets.misspellings import (
    HARDEST,
    MisspellingPlanner,
    open_slips,
    open_vocabulary,
    weight_of,
)
from salva.edits.chunk import Draw
from salva.edits.protect import Protection
from salva.lexicon import offensive_words
from salva.lexicon.english import PLAIN, load_english
from salva.lexicon.slips import load_slips
from tests.edits.conftest import COMPILED, columns, cut, edits_by_row, few_examples, severities
from tests.reference import misspellings as slow
from tests.reference.surface import rows_of

PROB = 0.7
PIECES = [
    *("definitely", "Recommend", "recommend", "moon", "queue", "rhythm", "jazz", "This", "that", "McQueen"),
    *(
        "don't",
        "isn\u2019t",
        "actor's",
        "well-made",
        "GREAT",
        "abc123",
        "end.The",
        "Mr.",
        "!",
        '."',
        "(really)",
    ),
    *("<br />", "http://a.b/really", "Spielberg", "caf\u00e9", "cafe\u0301", "Apple", "wouldn", "2000s", "."),
    *("a" * 70, "necessarily...", "\u201cterrible\u201d", "\u2018quoted\u2019", "sleep,", "really"),
]
misspelled_texts = st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join)
misspelled_columns = st.lists(st.none() | misspelled_texts, max_size=3) | columns


@cache
def words() -> slow.Words:
    errors: dict[str, list[tuple[str, int]]] = {}
    for slip in load_slips():
        errors.setdefault(slip.context, []).append((slip.error, weight_of(slip)))
    return slow.Words(plain_words(), real_words() | offensive_words(), errors, HARDEST)


@cache
def real_words() -> frozenset[str]:
    return frozenset(load_english().words.to_pylist())


def plain_words() -> frozenset[str]:
    words, kinds = load_english()
    return frozenset(word for word, kind in zip(words.to_pylist(), kinds, strict=True) if kind & PLAIN)


@cache
def planner() -> MisspellingPlanner:
    return MisspellingPlanner(open_vocabulary(offensive_words(), real_words=False), open_slips(), PROB, 4)


def check(own: MisspellingPlanner, known: slow.Words, column, draw: Draw, protection=None) -> None:
    chunk = cut(column, "word", draw, protection)
    edits = own.plan(chunk, draw.severity)
    expected = [
        slow.plan(row, known, prob=own.prob, min_word_length=own.min_word_length)
        for row in rows_of(chunk, draw)
    ]
    assert edits_by_row(chunk, edits) == [plan.edits for plan in expected]
    assert edits.tally.eligible.tolist() == [plan.eligible for plan in expected]


@given(column=misspelled_columns, severity=severities, seed=st.integers(0, 2**64 - 1))
def test_hostile_texts_have_the_edits_of_the_slow_twin(column, severity, seed):
    check(planner(), words(), column, Draw(seed, severity, 1), Protection(markup=True, whole=True))


@cache
def free_planner():
    return replace(planner(), vocabulary=open_vocabulary((), real_words=True))


@few_examples
@given(column=misspelled_columns, seed=st.integers(0, 2**64 - 1))
def test_settings_change_the_words_of_both_alike(column, seed):
    own = replace(planner(), prob=1.0, min_word_length=6)
    check(own, words(), column, Draw(seed, 1.0, 0))
    check(free_planner(), words()._replace(forbidden=set()), column, Draw(seed, 1.0, 0))


@pytest.mark.parametrize("severity", [0.3, 1.0])
def test_bundled_reviews_have_the_edits_of_the_slow_twin(bundled, severity):
    column = bundled[:60] if COMPILED else bundled[:1]
    check(planner(), words(), column, Draw(0, severity, 3), Protection(markup=True, names=True, whole=True))


def errors(texts, **settings) -> list[tuple[str, str]]:
    edits = salva.preset("misspellings", p_misspelling=1.0, **settings).transform(texts).edits
    return list(zip(edits["old"].to_pylist(), edits["new"].to_pylist(), strict=True))


def kind_of(old: str, new: str) -> str:
    if len(old) != len(new):
        return "deletion" if len(old) > len(new) else "insertion"
    return "transposition" if Counter(old) == Counter(new) else "substitution"


def test_the_kinds_of_errors_are_those_of_three_collections(bundled):
    """Within five points of what `benchmarks/misspellings.py` measures on each of them."""
    made = errors(bundled)
    counts = Counter(kind_of(old.lower(), new.lower()) for old, new in made)
    shares = {kind: 100 * count / len(made) for kind, count in counts.items()}
    bounds = {
        "substitution": (21.4, 25.1),
        "insertion": (21.9, 26.1),
        "deletion": (36.1, 40.4),
        "transposition": (12.6, 14.0),
    }
    assert [kind for kind, (low, high) in bounds.items() if not low <= shares[kind] <= high] == []
    assert 0.5 < 100 * sum(old[0].lower() != new[0].lower() for old, new in made) / len(made) < 3


def test_an_error_makes_no_other_word_and_no_offensive_one(bundled):
    made = errors(bundled)
    assert len(made) > 1500
    assert not {new.lower() for _, new in made} & (real_words() | offensive_words())
    real = {new.lower() for _, new in errors(bundled, real_words=True)}
    assert real & real_words()
    assert not real & offensive_words()


def test_an_error_keeps_the_capital_and_touches_nothing_but_words():
    text = "Really, McQueen's GREAT movie; Spielberg says don't see it at film.com in 2000s. Terrible!"
    old = {word for word, _ in errors([text + " " * row for row in range(60)])}
    assert old == {"Really", "movie", "says", "Terrible"}
    assert all(new[0].isupper() for word, new in errors([text] * 3) if word[0].isupper())


@pytest.mark.parametrize("text", ["Великолепно", "映画は良い", "Xyzzy plugh qwrt"])
def test_words_that_are_not_english_stay(text):
    assert errors([text]) == []
