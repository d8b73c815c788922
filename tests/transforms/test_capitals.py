"""Replacements take the case of the word, and keep the capitals of their own lemma."""

from __future__ import annotations

import pytest

import salva
from salva import compat

SYNONYMS_ONLY = {"typo_weight": 0, "autocomplete_weight": 0, "autocorrect_weight": 0}
PRESETS = {
    "synonyms": salva.preset("synonyms", prob=1.0),
    "corrupt": salva.preset("corrupt", **SYNONYMS_ONLY),
    "hybrid": salva.preset("hybrid", p_synonym_noun=1.0, p_typo=0.0),
}


def become(transform, word: str, text: str = "{} is here .") -> set[str]:
    """Return what a word becomes over many seeds."""
    rows = [text.format(word) + " " * n for n in range(60)]
    edits = transform.transform(rows, severity=1.0).edits.to_pylist()
    return {edit["new"] for edit in edits if edit["old"] == word}


@pytest.mark.parametrize("name", ["synonyms", "corrupt"])
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Dublin", {"Irish capital", "Capital of Ireland"}),
        ("dublin", {"Irish capital", "capital of Ireland"}),
        ("DUBLIN", {"IRISH CAPITAL", "CAPITAL OF IRELAND"}),
        ("Lennon", {"John Lennon"}),
    ],
)
def test_a_replacement_keeps_the_capitals_of_its_own_lemma(name, word, expected):
    assert become(PRESETS[name], word) == expected


@pytest.mark.parametrize("name", PRESETS)
def test_kennedy_becomes_jfk(name):
    assert "JFK" in become(PRESETS[name], "Kennedy")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("word", "new"), [("movie", "film"), ("Movie", "Film"), ("MOVIE", "FILM")])
def test_a_small_lemma_takes_the_case_of_the_word(name, word, new):
    assert new in become(PRESETS[name], word)


def test_words_of_a_thesaurus_and_of_groups_keep_their_capitals(tmp_path):
    (tmp_path / "de.tsv").write_text("film\tStreifen\n", "utf-8")
    own = salva.preset("corrupt", thesaurus=tmp_path / "de.tsv", **SYNONYMS_ONLY)
    assert become(own, "film") == become(own, "Film") == {"Streifen"}
    (tmp_path / "groups.toml").write_text('[[group]]\nwords = ["prize", "Academy Award"]')
    own = salva.preset("hybrid", groups=tmp_path / "groups.toml", p_synonym_noun=1.0)
    assert become(own, "prize", "The {} is here .") == {"Academy Award"}


def test_the_documents_function_keeps_capitals_too():
    assert compat.preserve_capitalization("Dublin", "capital of Ireland") == "Capital of Ireland"
    assert compat.preserve_capitalization("dublin", "capital of Ireland") == "capital of Ireland"
    assert compat.preserve_capitalization("DUBLIN", "capital of Ireland") == "CAPITAL OF IRELAND"
