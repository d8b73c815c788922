"""What the user's own patterns protect, and characters that are made of several."""

from __future__ import annotations

import pytest
import regex

from salva._presets.corrupt import CorruptPlanner
from salva.edits.chunk import Draw
from salva.edits.common import Completions, Corrections
from salva.edits.memo import Memory
from salva.edits.protect import Protection
from salva.edits.sources import WordTable
from salva.errors import UsageError
from salva.text import tokenize
from tests.edits.conftest import COMPILED, cut, edits_by_row

DRAW = Draw(0, 1.0, 0)


def left(text: str, protection: Protection, by: str = "word") -> list[str]:
    chunk = cut([text], by, DRAW, protection)
    return [word for word, no in zip(chunk.words.array.to_pylist(), chunk.blocked, strict=True) if not no]


def mistyped(text: str) -> dict[int, str]:
    planner = CorruptPlanner(Memory(Completions([]), Corrections([]), WordTable({})), (1.0, 0.0, 0.0, 0.0))
    chunk = cut([text], "word", DRAW, Protection(whole=True))
    return {place: new for place, _, new in edits_by_row(chunk, planner.plan(chunk, 1.0))[0]}


def test_a_pattern_that_matches_nothing_may_meet_a_null_row():
    cut([None], "word", DRAW, Protection(patterns=("x*",)))


def test_an_empty_match_protects_nothing():
    assert left("one two", Protection(patterns=("x*",))) == ["one", "two"]


def test_a_pattern_may_search_from_the_end():
    assert left("one two one", Protection(patterns=("(?r)one",))) == ["two"]


def test_many_matches_in_a_long_text_take_no_longer_than_in_short_ones():
    """With a loop inside a loop this takes hours, which the time limit of all tests does not give it."""
    left("one two " * (1_000_000 if COMPILED else 20_000), Protection(words=("one",)))


@pytest.mark.parametrize(
    ("text", "by"), [("a\u0600 b", "space"), ("a\u0600 b", "nltk"), ("a\u0d4e b", "word")]
)
def test_a_token_does_not_end_in_what_leans_on_the_next_character(text, by):
    assert left(text, Protection(whole=True), by) == ["b"]


@pytest.mark.parametrize("text", ["ゲーム", "スター", "ｹﾞｰﾑ"])
def test_the_long_vowel_of_katakana_is_of_a_script_without_spaces(text):
    assert mistyped(text) == {}


@pytest.mark.parametrize("text", ["\u1100\u1161\u11a8 ab", "ｶﾞ", "a\u0d4eb"])
def test_a_typo_does_not_split_a_character(text):
    words = tokenize(text, by="word")
    for place, new in mistyped(text).items():
        assert len(regex.findall(r"\X", new)) == len(regex.findall(r"\X", words[place]))


def test_an_arrow_is_no_tag_and_a_comment_is():
    assert "y" in left("x <- y and z > w", Protection(markup=True))
    assert left("x <!-- y --> w", Protection(markup=True)) == ["x", "w"]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(?:(?:a{1000}){1000}){1000}", "repeats parts over 100,000 times; make the counts smaller"),
        ("(ab?[c}]){90000}|(?:a\\)){20000,}", "repeats parts over 100,000 times"),
        ("a{999999999999}", "repeats parts over 100,000 times"),
        ("a(?R)?b", "calls a group with (?R), which may never end; write it out"),
        ("(?P<x>a(?&x)?b)", "calls a group with (?&x)"),
        ("(a)(?1)", "calls a group with (?1)"),
        ("(?:" * 5000 + "a" + ")?" * 5000, "is nested too deeply; make it simpler"),
        ("x" * 100_001, "has over 100,000 characters"),
        ("(", "is not a regular expression (missing )"),
    ],
)
def test_67_a_pattern_that_would_take_too_long_to_compile_is_refused(pattern, problem):
    """Or too much memory: the first needs 22 GB."""
    with pytest.raises(UsageError) as refused:
        left("one two", Protection(patterns=(pattern,)))
    assert str(refused.value).startswith("protect_patterns: ")
    assert problem in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "pattern", [r"\w{3}", r"[{1000000}(]o[^]{9}]e|o[n]e", r"(?:o(?:n(?:e){1,500}){1,500})"]
)
def test_67_a_pattern_with_counts_that_are_small_or_none_is_used(pattern):
    assert "one" not in left("one", Protection(patterns=(pattern,)))
