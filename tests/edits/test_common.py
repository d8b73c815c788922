"""Common words near a word, and those that begin alike: equal to looking at every word of the vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from salva._arrow import as_strings
from salva.edits.common import Completions, Corrections
from salva.errors import InputError
from salva.lexicon import embedded_vocabulary
from tests.edits.conftest import COMPILED, spelled
from tests.text.conftest import unicode

TIMES = {1: 6, 2: 3, 3: 2}
few_letters = st.text("abcé日", max_size=8) | st.text("ab", min_size=3, max_size=9)
any_letters = st.text(unicode, max_size=8)
long_words = st.builds(
    lambda letter, middle, end: letter * 70 + middle + "x" * end,
    st.sampled_from("aé日"),
    few_letters,
    st.integers(0, 3),
)
words = (few_letters | any_letters | long_words).map(str.lower)
vocabularies = st.lists(words, max_size=16, unique=True)


def nearest(vocabulary, word: str) -> dict[str, int]:
    pairs = sorted((Levenshtein.distance(word, other), i) for i, other in enumerate(vocabulary))
    return {vocabulary[i]: distance for distance, i in [p for p in pairs if 0 < p[0] <= 3][:5]}


def completed(vocabulary, word: str) -> list[str]:
    for letters in (5, 4, 3):
        start = word[:letters]
        found = [other for other in vocabulary if other[:letters] == start and other != word]
        if len(start) == letters and found:
            return sorted(found)
    return []


@given(vocabularies, words)
def test_corrections_are_the_five_nearest_words_within_three_edits(vocabulary, word):
    found = Corrections(vocabulary).of(word)
    assert list(found.items()) == list(nearest(vocabulary, word).items())


@given(vocabularies, st.data())
def test_words_of_the_vocabulary_are_not_corrected_to_themselves(vocabulary, data):
    word = data.draw(st.sampled_from(vocabulary or ["alone"]))
    found = Corrections(vocabulary).of(word)
    assert list(found.items()) == list(nearest(vocabulary, word).items())
    assert word not in found


@given(vocabularies, st.lists(words, max_size=6))
def test_nearer_corrections_stand_in_a_list_more_often(vocabulary, some):
    source = Corrections(vocabulary)
    found = spelled(source, source.lists(as_strings(some), np.arange(len(some))))
    expected = [
        [other for other, distance in nearest(vocabulary, word).items() for _ in range(TIMES[distance])]
        for word in some
    ]
    assert found == expected


def test_frequent_words_are_corrected_as_by_brute_force(word_types):
    vocabulary = embedded_vocabulary()
    source = Corrections(vocabulary)
    for word in word_types[::10]:
        assert list(source.of(word).items()) == list(nearest(vocabulary, word).items()), word


def test_ties_go_to_the_words_that_come_first():
    vocabulary = ["bat", "cat", "hat", "mat", "rat", "sat", "ats"]
    assert list(Corrections(vocabulary).of("at")) == ["bat", "cat", "hat", "mat", "rat"]
    assert list(Corrections(vocabulary[::-1]).of("at")) == ["ats", "sat", "rat", "mat", "hat"]


def test_letters_may_be_put_in_before_others_are_left_out():
    assert Corrections(["xabc", "bcdx", "xyabc", "dcba"]).of("abcd") == {"xabc": 2, "bcdx": 2, "xyabc": 3}


def test_edits_are_of_characters_not_of_bytes():
    assert Corrections(["日本語", "日本", "éé"]).of("日本国") == {"日本語": 1, "日本": 1, "éé": 3}


@pytest.mark.parametrize("source", [Corrections, Completions])
def test_an_empty_vocabulary_gives_nothing(source):
    assert not source([]).of("movie")
    assert source([]).lists(as_strings(["movie", ""]), np.arange(2)).starts.tolist() == [0, 0, 0]


def test_a_vocabulary_may_have_one_word():
    assert Corrections(["movie"]).of("movies") == {"movie": 1}
    assert Corrections(["movie"]).of("movie") == {}
    assert Completions(["movie"]).of("moving") == ["movie"]
    assert Completions(["movie"]).of("movie") == []


@given(vocabularies, words)
def test_completions_begin_with_as_many_letters_as_any_does(vocabulary, word):
    assert Completions(vocabulary).of(word) == completed(vocabulary, word)


@given(vocabularies, st.lists(words, max_size=6))
def test_completions_of_many_words_are_those_of_each(vocabulary, some):
    source = Completions(vocabulary)
    found = spelled(source, source.lists(as_strings(some), np.arange(len(some))))
    assert found == [completed(vocabulary, word) for word in some]


def test_frequent_words_are_completed_as_by_brute_force(word_types):
    vocabulary = embedded_vocabulary()
    source = Completions(vocabulary)
    for word in word_types[:: 3 if COMPILED else 20]:
        assert source.of(word) == completed(vocabulary, word), word


def test_five_letters_go_before_four_and_four_before_three():
    source = Completions(["movement", "moves", "movie", "mover"])
    assert source.of("mover") == ["movement", "moves"]
    assert source.of("moved") == ["movement", "mover", "moves"]
    assert source.of("mov") == ["movement", "mover", "moves", "movie"]
    assert source.of("mo") == []


def test_letters_are_counted_in_code_points():
    source = Completions(["日本語学", "日本語", "日本", "ééé", "éé"])
    assert source.of("日本語") == ["日本語学"]
    assert source.of("日本") == []
    assert source.of("éééa") == ["ééé"]


def test_70_completions_that_would_fill_the_memory_are_refused():
    """60,000 words that begin like 200,000 common ones: 12 billion strings."""
    alike = as_strings([f"begin{number}" for number in range(200_000)])
    completions = Completions(alike.array.to_pylist())
    problem = (
        r"60,000 words have 12,000,000,000 completions in a vocabulary of 200,000 words, over 16,777,216"
    )
    with pytest.raises(InputError, match=rf"{problem}; give fewer words, or lower dictionary_size"):
        completions.lists(as_strings([f"begins{number}" for number in range(60_000)]), np.arange(60_000))
