"""Sentences equal those of NLTK's Punkt, with their places in the text."""

from __future__ import annotations

import pytest
from hypothesis import given

from salva.lexicon.shipped import read_tables
from salva.text import sentences
from tests.conftest import SHARED
from tests.reference import nltk_twins
from tests.text.conftest import hostile_texts


def places(text: str) -> list[tuple[int, int]]:
    found = sentences([text])
    return list(zip(found.starts.to_pylist()[0], found.ends.to_pylist()[0], strict=True))


def test_texts_of_many_kinds_have_the_sentences_that_nltk_finds(answers):
    assert sum(len(answer["sentences"]) for answer in answers) >= 300
    for answer in answers:
        assert [list(place) for place in places(answer["text"])] == answer["sentences"], answer["text"]


@given(hostile_texts)
def test_hostile_texts_have_the_sentences_that_nltk_finds(text):
    expected = nltk_twins.sentence_spans(text)
    assert places(text) == expected
    assert sentences(text) == [text[start:end] for start, end in expected]


def test_an_abbreviation_an_initial_and_a_number_do_not_end_a_sentence():
    text = "Mr. Ford met J. Wayne at 3. p.m. in the U.S. and paid $3.50."
    assert sentences(f"{text} It was dear.") == [text, "It was dear."]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x1c", "\u3000"])
def test_there_is_no_sentence_in_white_space(text):
    assert sentences(text) == []


@pytest.mark.parametrize("mark", "!?.\"'")
def test_a_long_run_of_marks_takes_linear_time(mark):
    text = f"a{mark * 300_000} b"
    assert "".join(sentences(text)).replace(" ", "") == text.replace(" ", "")


def test_the_shipped_parameters_are_those_of_nltk(monkeypatch):
    folder = SHARED / "nltk_data/tokenizers/punkt_tab/english"
    if not folder.is_dir():
        pytest.skip("needs NLTK's punkt_tab in ../shared, which is not part of the project")
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(SHARED / "nltk_data")])
    ours = nltk_twins.punkt()._params
    theirs = nltk.tokenize.punkt.PunktTokenizer()._params
    assert ours.abbrev_types == theirs.abbrev_types
    assert ours.sent_starters == theirs.sent_starters
    assert ours.collocations == theirs.collocations
    assert _without_zeros(ours.ortho_context) == _without_zeros(theirs.ortho_context)


def _without_zeros(contexts: dict[str, int]) -> dict[str, int]:
    return {word: flags for word, flags in contexts.items() if flags}  # a look-up leaves a zero


def test_types_are_ascii_as_the_kernel_takes_for_granted():
    assert all(word.isascii() for word in read_tables("punkt.arrow")["types"].to_pylist())
