"""Tokens equal those of NLTK, of `str.split` and of `re`, with their places in the text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.text import tokenize
from tests.conftest import COMPILED
from tests.reference import nltk_twins
from tests.text.conftest import hostile_texts, unicode

REWRITTEN = {"``": {'"', "''", "``"}, "''": {'"', "''"}}
WORD_RULE = re.compile(r"\w+|[^\w\s]+")


def places(text: str, by: str) -> list[tuple[int, int]]:
    spans = tokenize([text], by=by)
    return list(zip(spans.starts.to_pylist()[0], spans.ends.to_pylist()[0], strict=True))


def test_texts_of_many_kinds_have_the_words_that_nltk_finds(answers):
    for answer in answers:
        assert tokenize(answer["text"]) == answer["words"], answer["text"]


@given(hostile_texts)
def test_hostile_texts_have_the_words_that_nltk_finds(text):
    assert tokenize(text) == nltk_twins.words(text)


@given(hostile_texts)
def test_a_word_stands_where_its_place_says(text):
    words, found = tokenize(text), places(text, "nltk")
    for word, (start, end) in zip(words, found, strict=True):
        assert text[start:end] in REWRITTEN.get(word, {word})
    assert all(end <= start for (_, end), (start, _) in pairwise(found))
    between = [
        text[end:start]
        for (_, end), (start, _) in zip([(0, 0), *found], [*found, (len(text), 0)], strict=True)
    ]
    assert not "".join(between).strip()


@given(st.text(unicode) | hostile_texts)
def test_white_space_is_what_python_takes_for_it(text):
    assert tokenize(text, by="space") == text.split()
    assert places(text, "space") == [match.span() for match in re.finditer(r"\S+", text)]


@given(st.text(unicode) | hostile_texts)
def test_words_and_punctuation_are_what_re_takes_for_them(text):
    assert places(text, "word") == [match.span() for match in WORD_RULE.finditer(text)]


def test_quotes_keep_their_places_where_nltk_rewrites_them():
    text = "\"A\" ''B'' (\"C\")"
    assert tokenize(text) == ["``", "A", "''", "``", "B", "''", "(", "``", "C", "''", ")"]
    assert [text[start:end] for start, end in places(text, "nltk")][3] == "''"


def test_a_contraction_is_cut_only_as_a_whole_word():
    assert tokenize("cannot Gonna gotcha wannabe") == ["can", "not", "Gon", "na", "gotcha", "wannabe"]


def test_an_unknown_rule_is_named():
    with pytest.raises(UsageError, match="by='words' is not a rule; expected one of nltk, space, word"):
        tokenize("a", by="words")


@pytest.mark.parametrize(
    ("piece", "times"),
    [("x", 10_000_000), ("a ", 3_000_000), ("'", 1_000_000), ("a'", 1_000_000), (".", 3_000_000)],
)
def test_no_text_makes_it_hang(piece, times):
    text = piece * (times if COMPILED else times // 300)
    spans = tokenize([text])
    assert sum(len(word) for word in spans.to_pylist()[0]) == len(text.replace(" ", ""))
