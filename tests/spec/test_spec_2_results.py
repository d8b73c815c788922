"""Spec 2 (`synonyms`, `typos`), its results from its counts: 25,000 reviews of IMDB's test half."""

from __future__ import annotations

import pytest

from salva.numbers import unpaired

ROWS = 25_000
ACCURACY = {"baseline": 92.252, "synonyms": 86.576, "typos": 86.932}
RIGHT = {"baseline": 23_063, "synonyms": 21_644, "typos": 21_733}
DROPS = {"synonyms": 5.676, "typos": 5.320}
INTERVALS = {"synonyms": (5.139, 6.214), "typos": (4.787, 5.854)}  # statsmodels gives the same


def drop_of(name: str, **options):
    return unpaired(RIGHT["baseline"], ROWS, RIGHT[name], ROWS, **options)


@pytest.mark.parametrize("name", RIGHT)
def test_the_counts_are_those_of_the_percentages(name):
    assert 100 * RIGHT[name] / ROWS == ACCURACY[name]


@pytest.mark.parametrize("name", DROPS)
def test_the_drops_are_the_documents_with_unpaired_intervals_that_say_so(name):
    found = drop_of(name)
    assert found.drop.value == DROPS[name]
    assert (found.drop.low, found.drop.high) == pytest.approx(INTERVALS[name], abs=0.001)
    assert found.method == "unpaired (Newcombe)"


@pytest.mark.parametrize("name", DROPS)
def test_both_are_effective_and_surely_so(name):
    """Over 4 points, and so is the lower end."""
    found = drop_of(name)
    assert (found.effective, found.surely_effective) == (True, True)
    assert drop_of(name, effective_over=DROPS[name]).effective is False


def test_synonyms_drop_more_than_typos_but_by_these_counts_not_surely():
    """The document calls typos slightly less effective; its counts alone leave 0 inside the interval."""
    difference = unpaired(RIGHT["typos"], ROWS, RIGHT["synonyms"], ROWS)
    assert difference.drop.value == 0.356
    assert difference.drop.value == pytest.approx(DROPS["synonyms"] - DROPS["typos"])
    assert difference.drop.low < 0 < difference.drop.high
    assert (difference.drop.low, difference.drop.high) == pytest.approx((-0.238, 0.950), abs=0.001)


@pytest.mark.parametrize("name", ACCURACY)
def test_the_document_says_so(document, name):
    told = [f"{ACCURACY[name]:.3f}%"] + ([f"{DROPS[name]:.3f}%"] if name in DROPS else [])
    assert all(f"| {number} |" in document(2) for number in told)
