"""Words are put together as NLTK's `TreebankWordDetokenizer` does."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salva.errors import InputError
from salva.text import detokenize, tokenize
from tests.conftest import COMPILED
from tests.reference import nltk_twins
from tests.text.conftest import hostile_texts, hostile_words

MARKED = [  # what the rules look at, with several kinds of spaces inside words
    *("'", "''", "`", "``", '"', "'''", "'.'", "''x", "x''", "' '", "'\u3000'", "'t", "'tis", "is", "was"),
    *(".", "..", "...", ",", ";", ":", "?", "!", "-", "--", "#", "$", "%", *"()[]{}<>", "It", "gim", "me"),
    *("'s", "'S", "'ll", "n't", "N'T", "d", "'ye", "can", "not", "more", "'n", "Gon", "na", "wan"),
    *("d\u00a0'ye", "can\u3000not", "more 'n", "e 'n", "\u00a0", " ", "", "caf\u00e9", "seven77", "eight-88"),
]


def test_words_of_many_kinds_are_joined_as_nltk_joins_them(answers):
    for answer in answers:
        assert detokenize(answer["words"]) == answer["joined"]


@given(hostile_words)
def test_hostile_words_are_joined_as_nltk_joins_them(words):
    assert detokenize(words) == nltk_twins.detokenize(words)


@given(st.lists(st.sampled_from(MARKED), max_size=12))
@example(["d\u00a0'ye", "can\u3000not", "more 'n"])
@example(["'", "'t", "is", "'"])
def test_words_with_marks_and_spaces_are_joined_as_nltk_joins_them(words):
    assert detokenize(words) == nltk_twins.detokenize(words)


@given(hostile_texts)
def test_words_of_hostile_texts_are_joined_as_nltk_joins_them(text):
    words = tokenize(text)
    assert detokenize(words) == nltk_twins.detokenize(words)


def test_a_column_of_lists_becomes_a_column_of_texts():
    lists = pa.array([["It", "'s", "on", "."], None, []], pa.list_(pa.string()))
    assert detokenize(lists).to_pylist() == ["It's on.", None, ""]
    assert detokenize(lists.slice(1)).to_pylist() == [None, ""]
    assert detokenize(pa.chunked_array([lists, lists])).to_pylist() == ["It's on.", None, ""] * 2
    assert detokenize(tokenize(["It's on.", None])).to_pylist() == ["It's on.", None]


def test_a_null_word_is_refused():
    with pytest.raises(InputError, match="a list of words holds a null"):
        detokenize(pa.array([["a", None]]))


def test_a_word_that_is_no_string_is_refused():
    with pytest.raises(InputError, match="row 0: word 1: 7 is int, not str"):
        detokenize([["a", 7]])


@pytest.mark.parametrize("word", ["''", "'", " ", "", ".", "``", '"', "n't"])
def test_no_list_makes_it_hang(word):
    times = 300 if COMPILED else 5
    few, many = detokenize([word] * 1_000), detokenize([word] * 1_000 * times)
    assert set(many) == set(few)
    assert len(many) == pytest.approx(times * len(few), rel=0.01, abs=2)
