"""Stop words, keyboards, offensive words, polarity, vocabulary."""

from __future__ import annotations

import re

import pytest

from salva.lexicon import (
    KEYBOARDS,
    WordNet,
    common_words,
    embedded_vocabulary,
    offensive_words,
    polarity,
    stop_words,
)
from tests.conftest import SHARED


def test_the_stop_words_are_nltks():
    theirs = SHARED / "nltk_data/corpora/stopwords/english"
    if not theirs.is_file():
        pytest.skip("needs ../shared/nltk_data, which is not part of the project")
    assert stop_words() == set(theirs.read_text().split())


def test_there_are_198_stop_words():
    assert len(stop_words()) == 198


@pytest.mark.parametrize(("name", "keys"), [("hybrid", 11), ("typos", 26)])
def test_a_keyboard_maps_letters_to_other_letters(name, keys):
    assert len(KEYBOARDS[name]) == keys
    for letter, near in KEYBOARDS[name].items():
        assert re.fullmatch("[a-z]{2,}", near)
        assert letter not in near
        assert len(set(near)) == len(near)


@pytest.mark.parametrize(
    ("name", "document"),
    [("hybrid", "1-hybrid-transformation.md"), ("typos", "2-synonym-and-typo-transformations.md")],
)
def test_the_keyboards_are_the_documents_own(name, document):
    path = SHARED / "spec" / document
    if not path.is_file():
        pytest.skip("needs ../shared/spec, which is not part of the project")
    pairs = re.findall(r"'(\w)' → \[([^\]]+)\]", path.read_text("utf-8"))
    assert dict(KEYBOARDS[name]) == {letter: "".join(re.findall(r"\w", near)) for letter, near in pairs}


@pytest.mark.parametrize(
    "words", [stop_words(), offensive_words(), polarity()], ids=["stop", "offensive", "polarity"]
)
def test_lists_are_lower_case_and_trimmed(words):
    assert all(word == word.lower().strip() and word for word in words)


def test_offensive_words_hold_what_users_complained_about():
    assert "lashkar e taiba" in offensive_words()
    assert not offensive_words() & {"film", "movie", "good", "bad", "terrible", "boring", "love"}


def test_wordnet_has_hundreds_of_the_offensive_words():
    wordnet = WordNet.load()
    assert sum(bool(wordnet.synsets(word.replace(" ", "_"))) for word in offensive_words()) > 1000


def test_polarity_knows_praise_from_blame():
    signs = polarity()
    assert {signs[w] for w in ("good", "great", "excellent", "finest", "loved")} == {1}
    assert {signs[w] for w in ("bad", "terrible", "awful", "boring", "worst")} == {-1}
    assert min(list(signs.values()).count(sign) for sign in (1, -1)) > 900


def test_common_words_are_chosen_as_the_design_says():
    counts = {"The": 9, "movie": 2, "Movie": 2, "films": 4, "12345": 9, "b2b4c": 1, "tale": 9}
    assert common_words(counts) == ("films", "movie", "b2b4c")
    assert common_words(counts, size=1) == ("films",)
    assert common_words({}) == ()


def test_the_embedded_vocabulary_is_4000_plain_words():
    words = embedded_vocabulary()
    assert len(words) == len(set(words)) == 4000
    assert all(len(word) > 4 and word.isalnum() and word == word.lower() for word in words)
    assert {"people", "never", "little"} < set(words[:100])
