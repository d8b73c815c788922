"""Case patterns of any script, where a change of case may change the length."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.text import casing
from tests.reference import casing as slow
from tests.text.conftest import unicode

SPECIAL = st.sampled_from([*"ΣςσßŉǰΐǅǆǄﬁﬀﬃİıſKÅẞꭰaZ'’-1 日\u0301\u0345\u00ad", "́"])
words = st.lists(SPECIAL | unicode, max_size=12).map("".join)


@given(words)
def test_patterns_equal_the_slow_twin(word):
    assert casing.detect(word) == slow.detect(word)


@given(words)
def test_lower_and_upper_case_are_python_s(word):
    assert casing.apply("lower", word) == word.lower()
    assert casing.apply("upper", word) == word.upper()
    assert casing.apply("mixed", word) == word


@given(words)
def test_titles_equal_the_slow_twin(word):
    assert casing.apply("title", word) == slow.apply("title", word)


@given(st.sampled_from(["lower", "title", "upper", "mixed"]), words)
def test_a_word_may_keep_its_own_capitals(pattern, word):
    assert casing.apply(pattern, word, keep_capitals=True) == slow.apply_to_lemma(pattern, word)


@pytest.mark.parametrize(
    ("pattern", "word", "expected"),
    [
        ("title", "ΟΔΟΣ", "Οδος"),
        ("title", "'tis", "'Tis"),
        ("title", "e-mail", "E-mail"),
        ("title", "ﬁlm", "Film"),
        ("title", "ŉ", "ʼN"),
        ("upper", "ŉ", "ʼN"),
        ("upper", "weiß", "WEISS"),
        ("upper", "\u0390", "\u0399\u0308\u0301"),
        ("lower", "İ", "i̇"),
        ("lower", "ΑΣ.", "ας."),
        ("lower", "ΣΑΣΑ", "σασα"),
        ("title", "", ""),
        ("upper", "映画", "映画"),
    ],
)
def test_a_change_of_case_may_change_the_length(pattern, word, expected):
    assert casing.apply(pattern, word) == expected


@given(st.sampled_from(["lower", "title", "upper"]), st.text("abcdefXYZé", min_size=2))
def test_what_a_pattern_makes_has_the_pattern(pattern, word):
    assert casing.detect(casing.apply(pattern, word)) == pattern


@pytest.mark.parametrize(
    ("word", "pattern"), [("A", "title"), ("3D", "title"), ("NASA", "upper"), ("McQueen", "mixed")]
)
def test_one_capital_is_a_title(word, pattern):
    assert casing.detect(word) == pattern


def test_columns_of_words_are_done_in_one_call():
    column = pa.array(["film", None, "Weiß", "", "iPhone"])
    assert casing.detect(column).to_pylist() == ["lower", None, "title", "mixed", "mixed"]
    assert casing.apply("upper", column).to_pylist() == ["FILM", None, "WEISS", "", "IPHONE"]
    assert casing.apply("lower", column.slice(2)).to_pylist() == ["weiß", "", "iphone"]
    assert casing.apply("title", []).to_pylist() == casing.detect([]).to_pylist() == []


def test_half_of_a_surrogate_pair_is_named():
    with pytest.raises(InputError, match="row 0: lone surrogate"):
        casing.apply("upper", "\ud800")


def test_an_unknown_pattern_is_named():
    with pytest.raises(
        UsageError, match="'Title' is not a case pattern; expected one of lower, title, upper, mixed"
    ):
        casing.apply("Title", "film")
