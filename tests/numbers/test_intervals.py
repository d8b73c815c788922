"""Intervals: those of scipy and statsmodels, equal bytes every time, and sure of no more than they know."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap, multinomial
from statsmodels.stats.proportion import confint_proportions_2indep

from salva.errors import UsageError
from salva.numbers import intervals as module
from salva.numbers.intervals import Estimate, bootstrap_counts, bootstrap_rows, mean_drop, newcombe, wilson

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


SEEN = [130, 2000, 370]
VALUES = np.array([-1.0, 0.0, 1.0])


def mean(counts: np.ndarray) -> np.ndarray:
    return (counts * VALUES).sum(axis=1) / counts.sum(axis=1)


def ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.low, estimate.high


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_rows_give_the_interval_of_scipy(seed):
    """The ends have a standard error of about 1.5 % of the interval's width, with so many resamples."""
    rows = np.repeat(VALUES, SEEN)
    theirs = bootstrap([rows], np.mean, n_resamples=10_000, method="percentile", rng=seed, batch=500)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    expected = pytest.approx(list(theirs.confidence_interval), abs=0.06 * width)
    assert ends(bootstrap_counts(SEEN, mean, seed=seed)) == expected
    assert ends(bootstrap_rows(len(rows), lambda chosen: rows[chosen].mean(), seed=seed)) == expected


def test_equal_arguments_give_equal_bytes_and_other_seeds_others():
    assert bootstrap_counts(SEEN, mean, seed=3) == bootstrap_counts(SEEN, mean, seed=3)
    lows = {bootstrap_counts([13, 200, 37], lambda c: c[:, 0] / c[:, 2], seed=seed).low for seed in range(4)}
    assert len(lows) > 1


def test_no_generator_but_its_own_is_touched():
    before = random.getstate(), np.random.get_state()[1].tolist()
    bootstrap_counts(SEEN, mean)
    bootstrap_rows(10, lambda chosen: chosen.mean(), resamples=10)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_drawing_in_parts_changes_nothing(monkeypatch):
    whole = bootstrap_counts(SEEN, mean)
    monkeypatch.setattr(module, "_MOST_NUMBERS", 1000)
    assert bootstrap_counts(SEEN, mean) == whole


def test_a_billion_rows_cost_no_more_than_a_few():
    found = bootstrap_counts([10**9, 10**9], lambda c: c[:, 0] / c.sum(axis=1))
    assert found.low == pytest.approx(0.5 - 1.96 * 0.5 / math.sqrt(2e9), abs=1e-6)


def test_pseudo_counts_widen_the_interval_and_leave_the_value():
    plain, wider = (bootstrap_counts([0, 50, 0], mean, pseudo_counts=extra) for extra in (0, [1, 0, 1]))
    assert plain == Estimate(0, 0, 0)
    assert wider.value == 0
    assert wider.low < 0 < wider.high


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3), st.integers(0, 2**64))
def test_the_value_is_inside_and_nothing_is_no_number(counts, seed):
    found = bootstrap_counts(counts, mean, seed=seed, resamples=50)
    if sum(counts):
        assert found.low <= found.value <= found.high
    else:
        assert found == Estimate(None, None, None)


@pytest.mark.parametrize("sign", [-1, 1])
def test_an_interval_of_what_no_resample_reaches_still_holds_it(sign):
    found = bootstrap_rows(40, lambda chosen: sign * len(set(chosen.tolist())), resamples=50)
    assert found.value == sign * 40
    assert found.value in ends(found)


def test_no_rows_have_no_statistic():
    assert bootstrap_rows(0, lambda chosen: 1 / len(chosen)) == Estimate(None, None, None)


def test_a_value_that_is_no_number_is_none():
    assert bootstrap_rows(5, lambda chosen: math.nan, resamples=9) == Estimate(None, None, None)


@pytest.mark.parametrize(("share", "told"), [(0.02, True), (0.2, False)])
def test_undefined_resamples_are_left_out_only_if_they_are_few(share, told):
    drawn = iter(np.random.default_rng(0).random(1000) < share)

    def sometimes(chosen: np.ndarray) -> float:
        first = (chosen == np.arange(50)).all()
        return math.nan if not first and next(drawn) else float(chosen.mean())

    found = bootstrap_rows(50, sometimes)
    assert found.value == 24.5
    assert (found.low is not None and found.high is not None) == told


# A 95 % interval holds the true drop in about 95 % of all samples, or more if few pairs change. Nothing is
# drawn here: every outcome that has a chance gets its interval, and is weighted by that chance.
DROPS = np.array([1.0, 0.0, -1.0])
FOR_THE_WORSE = [0.5, 0.8, 1.0]


def chances_of(n: int, worse: float, better: float) -> list[tuple[int, int, float]]:
    """Return how many of n pairs get worse and how many better, with the chance of that."""
    most = [int(n * share + 7 * (n * share) ** 0.5 + 12) if share else 0 for share in (worse, better)]
    w, b = (side.ravel() for side in np.meshgrid(*(np.arange(min(n, limit) + 1) for limit in most)))
    w, b = w[w + b <= n], b[w + b <= n]
    chance = multinomial.pmf(np.stack([w, n - w - b, b], axis=1), n, [worse, 1 - worse - better, better])
    return [(int(i), int(j), float(c)) for i, j, c in zip(w, b, chance, strict=True) if c > 1e-6]


@cache
def shipped(n: int, worse: int, better: int) -> Estimate:
    return mean_drop(DROPS, [worse, n - worse - better, better], seed=0, resamples=2000)


def plain(n: int, worse: int, better: int) -> Estimate:
    counts = [worse, n - worse - better, better]
    return bootstrap_counts(counts, lambda drawn: 100 * (drawn * DROPS).sum(axis=1) / n, resamples=500)


def coverage(n: int, rate: float, share: float, interval=shipped) -> float:
    worse, better = rate * share, rate * (1 - share)
    held = total = 0.0
    for w, b, chance in chances_of(n, worse, better):
        found = interval(n, w, b)
        held += chance * (found.low - 1e-9 <= 100 * (worse - better) <= found.high + 1e-9)
        total += chance
    return 100 * held / total


@pytest.mark.parametrize("share", FOR_THE_WORSE)
@pytest.mark.parametrize(
    ("n", "rate"), [(30, 0.005), (30, 0.02), (30, 0.1), (100, 0.005), (100, 0.02), (500, 0.005)]
)
def test_intervals_hold_when_few_pairs_change(n, rate, share):
    assert coverage(n, rate, share) >= 95


@pytest.mark.slow
@pytest.mark.parametrize("share", FOR_THE_WORSE)
@pytest.mark.parametrize(
    ("n", "rate"), [(100, 0.1), (500, 0.02), (500, 0.1), (2000, 0.005), (2000, 0.02), (2000, 0.1)]
)
def test_intervals_hold_and_are_not_too_wide_when_more_pairs_change(n, rate, share):
    """With 10,000 resamples it is 95 at least; 2,000 take half a point."""
    assert 94.5 <= coverage(n, rate, share) <= 98.5


@pytest.mark.parametrize(("n", "least"), [(10, 90), (30, 92), (100, 92)])
def test_at_their_worst_intervals_hold_nearly_as_often(n, least):
    """A handful of pairs change, and all get worse."""
    assert min(coverage(n, changed / n, 1.0) for changed in np.geomspace(0.2, 9, 60)) >= least


def test_a_plain_bootstrap_would_be_sure_of_what_it_cannot_know():
    assert coverage(30, 0.005, 1.0, plain) < 15
    assert coverage(100, 0.02, 0.8, plain) < 81


@pytest.mark.parametrize("n", [1, 2, 30, 1000])
def test_no_change_seen_is_not_no_change(n):
    found = shipped(n, 0, 0)
    assert found.low < found.value == 0 < found.high
    assert found.high == pytest.approx(-found.low, abs=100 / n)
