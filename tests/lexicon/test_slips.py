"""The shipped counts of errors are well formed, and are what the tool counts."""

from __future__ import annotations

import re

import pytest

from salva.lexicon.slips import ADDED, EDGE, SWAPPED, context_of, load_slips
from tools.build_misspellings import count_contexts, count_slips, find_errors, merge


def test_every_error_is_possible_in_its_context():
    slips = load_slips()
    assert len(slips) > 1000
    assert len({(slip.context, slip.error) for slip in slips}) == len(slips)
    assert all(re.fullmatch(r"[srl][a-z.][a-z][a-z.]", slip.context) for slip in slips)
    assert all(re.fullmatch(r"[-~]|[=+][a-z]", slip.error) for slip in slips)
    for slip in slips:
        _, _, letter, after = slip.context
        assert slip.times > 0 < slip.chances
        assert slip.error != "=" + letter
        assert slip.error != SWAPPED or after not in (EDGE, letter)


@pytest.mark.parametrize(
    ("written", "right", "context", "error"),
    [
        ("taht", "that", "stha", SWAPPED),
        ("seperate", "separate", "lpar", "=e"),
        ("recomend", "recommend", "lmme", "-"),
        ("untill", "until", "sil.", ADDED + "l"),
        ("caracter", "character", "rcha", "-"),
    ],
)
def test_an_error_is_counted_between_its_letters(written, right, context, error):
    assert count_slips([(written, right)]) == {(context, error): 1}
    assert count_contexts([(written, right)])[context] == 1


def test_words_with_two_errors_or_a_letter_before_them_are_not_counted():
    pairs = [("xthat", "that"), ("thxxt", "that"), ("hte", "the"), ("a lot", "alot")]
    assert count_slips(pairs) == {}
    assert [right for right, _ in find_errors(pairs)] == ["that", "that"]


def test_words_of_one_family_count_once():
    family = [("acomodate", "accomodate"), ("acomodating", "accomodating"), ("acuse", "accuse")]
    assert count_slips(family)[context_of("accuse", 2), "-"] == 1
    assert count_contexts(family)[context_of("accomodate", 2)] == 1


def test_rare_errors_are_left_out():
    every = count_slips([(f"{a}xtten", f"{a}xxtten") for a in ("abc", "ebc", "ibc")])
    context = context_of("abcxxtten", 4)
    assert merge(every, count_slips([]), count_contexts([])) == {context: {"-": 3}}
    every[context, "-"] = 2
    assert merge(every, count_slips([]), count_contexts([])) == {}
