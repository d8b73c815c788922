"""Intervals of rates, equal to those of scipy and statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import confint_proportions_2indep

from salva.errors import UsageError
from salva.stats import Estimate, newcombe, wilson

LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.99])


@st.composite
def counts(draw) -> tuple[int, int]:
    n = draw(st.integers(1, 10**6))
    return draw(st.integers(0, n)), n


@given(counts(), LEVELS)
def test_wilson_is_that_of_scipy(rate, level):
    found = wilson(*rate, level=level)
    low, high = binomtest(*rate).proportion_ci(level, "wilson")
    assert (found.low, found.high) == pytest.approx((100 * low, 100 * high), abs=1e-9)


@given(counts(), counts(), LEVELS)
def test_newcombe_is_that_of_statsmodels(a, b, level):
    found = newcombe(*a, *b, level=level)
    theirs = confint_proportions_2indep(*a, *b, method="newcomb", compare="diff", alpha=1 - level)
    assert (found.low, found.high) == pytest.approx([100 * end for end in theirs], abs=1e-6)


@given(counts(), counts())
def test_a_value_is_inside_its_interval_and_that_inside_what_is_possible(a, b):
    rate, difference = wilson(*a), newcombe(*a, *b)
    assert 0 <= rate.low <= rate.value <= rate.high <= 100
    assert -100.000001 <= difference.low <= difference.value <= difference.high <= 100.000001


@given(counts(), counts())
def test_turned_round_everything_turns_its_sign(a, b):
    here, there = newcombe(*a, *b), newcombe(*b, *a)
    assert (here.value, here.low, here.high) == pytest.approx((-there.value, -there.high, -there.low))


def test_without_trials_there_is_no_rate():
    assert wilson(0, 0) == newcombe(0, 0, 1, 2) == newcombe(1, 2, 0, 0) == Estimate(None, None, None)


@pytest.mark.parametrize("n", [1, 3, 7, 25_000, 10**9])
def test_none_and_all_are_exactly_0_and_100(n):
    assert wilson(0, n).low == wilson(0, n).value == 0
    assert wilson(n, n).high == wilson(n, n).value == 100


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (1, 0), (0, -1)])
def test_counts_that_cannot_be_are_refused(successes, n):
    with pytest.raises(UsageError) as error:
        wilson(successes, n)
    assert str(error.value) == f"successes={successes} must be between 0 and n={n}"
