"""No replacement by meaning turns praise into blame, makes either of other words, or takes it away."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._arrow import as_strings
from salva.edits.sources import SamePolarity, WordTable
from salva.lexicon import load_groups, polarity
from tests.edits.conftest import COMPILED, KNOWN, spelled, word_sources

BY_MEANING = {"group", "wordnet", "synonym"}
ALL_SYNONYMS = {f"p_synonym_{part}": 1.0 for part in ("adj", "adv", "noun", "verb")}
SETTINGS = {
    "hybrid": {"p_typo": 0.0, **ALL_SYNONYMS},
    "synonyms": {"prob": 1.0},
    "corrupt": {
        "synonym_weight": 1.0,
        "typo_weight": 0.0,
        "autocorrect_weight": 0.0,
        "autocomplete_weight": 0.0,
    },
}
SOURCES = ("groups", "by class", "first three", "all", "thesaurus")
words = st.sampled_from([*polarity(), *KNOWN, "big", "picture", "ﬁlm"])


def sign(word: str) -> int:
    return polarity().get(word.lower(), 0)


def changed_signs(name: str, texts: list[str], **settings) -> set[tuple[str, str]]:
    """Return the replacements whose polarity is not that of the word."""
    twins = salva.preset(name, **SETTINGS[name], **settings).transform(texts, severity=1.0)
    edits = [edit for edit in twins.edits.to_pylist() if edit["rule"] in BY_MEANING]
    assert len(edits) > 100
    return {(edit["old"], edit["new"]) for edit in edits if sign(edit["old"]) != sign(edit["new"])}


@pytest.mark.parametrize("name", SETTINGS)
def test_no_preset_changes_praise_or_blame_by_meaning(bundled, name):
    listed = [f"It was {word}, {word.title()} and {word.upper()}." for word in polarity()]
    texts = bundled + listed if COMPILED else bundled[::10] + listed[::10]
    assert changed_signs(name, texts) == set()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_turns_the_guard_off(bundled, name):
    assert len(changed_signs(name, bundled, keep_polarity=False)) > 20


@pytest.mark.parametrize("pair", ["amazing awful", "bad big", "big bad", "good well"])
def test_a_thesaurus_of_the_user_is_guarded_as_well(tmp_path, pair):
    old, new = pair.split()
    path = tmp_path / "own.tsv"
    path.write_text(f"{old}\t{new}\n")
    for keep, expected in ((True, set()), (False, {new})):
        own = salva.preset("corrupt", thesaurus=path, keep_polarity=keep, **SETTINGS["corrupt"])
        edits = own.transform(f"It is {old}", severity=1.0).edits.to_pylist()
        assert {edit["new"] for edit in edits if edit["rule"] == "synonym"} == expected


def test_groups_of_the_user_are_guarded_as_well(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[[group]]\nwords = ["awful", "vast"]\n')
    for keep, expected in ((True, set()), (False, {"vast"})):
        own = salva.preset("hybrid", groups=path, keep_polarity=keep, **SETTINGS["hybrid"])
        edits = own.transform("It is an awful film.").edits.to_pylist()
        assert {edit["new"] for edit in edits if edit["rule"] == "group"} == expected


def test_the_words_of_a_shipped_group_have_one_polarity():
    mixed = [group.words for group in load_groups() if len({sign(word) for word in group.words}) > 1]
    assert mixed == []


@cache
def guarded(name: str) -> SamePolarity:
    """Return a source with the guard, which looks every one of its words up."""
    return SamePolarity(word_sources()[name])


@pytest.mark.parametrize("name", SOURCES)
@given(some=st.lists(words, max_size=6))
def test_lists_keep_the_words_of_the_same_sign_in_their_order(name, some):
    some = [word.lower() for word in some]
    source = word_sources()[name]
    lists = [
        spelled(which, which.lists(as_strings(some), np.arange(len(some))))
        for which in (source, guarded(name))
    ]
    own = [sign(word) for word in some for _ in range(source.width)]
    assert lists[1] == [
        [new for new in news if sign(new) == which] for news, which in zip(lists[0], own, strict=True)
    ]


def test_an_empty_source_stays_empty():
    source = SamePolarity(WordTable({}))
    assert spelled(source, source.lists(as_strings(["good", ""]), np.arange(2))) == [[], []]
