"""Spec 2 (`synonyms`, `typos`), its numbers: how many words and characters change in real texts."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest

from salva.lexicon import KEYBOARDS
from salva.text import tokenize
from tests.spec.candidates import first_synsets, has_synonyms, how_many_typos
from tests.spec.conftest import assert_rate, assert_shares, edits_of, to_the_letter, variants

KEYS = KEYBOARDS["typos"]
SEED = 1


@pytest.fixture(scope="module")
def able_places(corpus) -> list[tuple[int, int]]:
    spans = tokenize(corpus)
    rows = zip(spans.to_pylist(), spans.starts.to_pylist(), strict=True)
    found = ((row, s, w) for row, lists in enumerate(rows) for w, s in zip(*lists, strict=True))
    return [(row, start) for row, start, word in found if has_synonyms(word)]


@pytest.mark.parametrize("prob", [0.5, 0.1, 0.9])
def test_half_of_the_words_with_synonyms_are_replaced(corpus, able_places, prob):
    twins = to_the_letter("synonyms", prob=prob).transform(corpus, seed=SEED)
    edited = {edit.place for edit in edits_of(twins)}
    assert edited <= set(able_places)
    assert_rate((place in edited for place in able_places), prob)


def test_all_synonyms_are_chosen_equally_often():
    edits = edits_of(to_the_letter("synonyms").transform(variants("picture", 20000), seed=SEED))
    chosen = Counter(edit.new for edit in edits)
    assert chosen.keys() == first_synsets("picture")
    assert_shares(list(chosen.values()), [1] * len(chosen))


@pytest.mark.parametrize("prob", [0.25, 0.6])
def test_a_quarter_of_the_words_get_typos(corpus, prob):
    edited = {edit.place for edit in edits_of(to_the_letter("typos", prob=prob).transform(corpus, seed=SEED))}
    found = ((row, word) for row, text in enumerate(corpus) for word in re.finditer(r"\S+", text))
    plain = [(row, w.start()) for row, w in found if len(w[0]) > 2 and w[0].isascii() and w[0].isalpha()]
    assert_rate((place in edited for place in plain), prob)


def test_all_places_and_all_neighbours_are_chosen_equally_often():
    """Two of five places: ten pairs."""
    edits = edits_of(to_the_letter("typos", prob=1.0).transform(variants("shelf", 10000), seed=SEED))
    pairs = Counter(tuple(edit.changed) for edit in edits)
    assert len(pairs) == 10
    assert_shares(list(pairs.values()), [1] * 10)
    keys = Counter(edit.new[0] for edit in edits if 0 in edit.changed)
    assert keys.keys() == set(KEYS["s"])
    assert_shares(list(keys.values()), [1] * 6)


def changed_characters(texts: list[str]) -> int:
    edits = to_the_letter("typos").transform(texts, seed=SEED).edits
    old, new = (np.array(list("".join(edits[name].to_pylist()))) for name in ("old", "new"))
    return int((old != new).sum())


def test_the_changed_characters_are_as_many_as_words_and_places_make_them(corpus):
    """A quarter of the places that are chosen in a word, of which those with a key change."""
    words = [word for text in corpus for word in text.split() if len(word) > 2]
    keys = (sum(letter.lower() in KEYS for letter in word) / len(word) for word in words)
    expected = 0.25 * sum(how_many_typos(word) * share for word, share in zip(words, keys, strict=True))
    assert changed_characters(corpus) == pytest.approx(expected, rel=0.03)


def test_the_10_percent_of_characters_are_nominal_and_about_7_on_imdb(imdb):
    """A quarter of 0.4 is 10 %, but places are rounded down and short words stay; 6 % with white space."""
    texts = pq.read_table(imdb / "test.parquet", columns=["text"])["text"].to_pylist()[::5]
    changed, inside = changed_characters(texts), sum(len(word) for text in texts for word in text.split())
    assert changed / inside == pytest.approx(0.073, abs=0.001)
    assert changed / sum(map(len, texts)) == pytest.approx(0.060, abs=0.001)
