"""The bootstrap: that of scipy, of counts as of rows, the same bytes every time."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from salva.stats import Estimate, bootstrap_counts, bootstrap_rows
from salva.stats import bootstrap as module

COUNTS = [130, 2000, 370]
VALUES = np.array([-1.0, 0.0, 1.0])


def mean(counts: np.ndarray) -> np.ndarray:
    return (counts * VALUES).sum(axis=1) / counts.sum(axis=1)


def ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.low, estimate.high


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_rows_give_the_interval_of_scipy(seed):
    """The ends have a standard error of about 1.5 % of the interval's width, with so many resamples."""
    rows = np.repeat(VALUES, COUNTS)
    theirs = bootstrap([rows], np.mean, n_resamples=10_000, method="percentile", rng=seed, batch=500)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    expected = pytest.approx(list(theirs.confidence_interval), abs=0.06 * width)
    assert ends(bootstrap_counts(COUNTS, mean, seed=seed)) == expected
    assert ends(bootstrap_rows(len(rows), lambda chosen: rows[chosen].mean(), seed=seed)) == expected


def test_equal_arguments_give_equal_bytes_and_other_seeds_others():
    assert bootstrap_counts(COUNTS, mean, seed=3) == bootstrap_counts(COUNTS, mean, seed=3)
    lows = {bootstrap_counts([13, 200, 37], lambda c: c[:, 0] / c[:, 2], seed=seed).low for seed in range(4)}
    assert len(lows) > 1


def test_no_generator_but_its_own_is_touched():
    before = random.getstate(), np.random.get_state()[1].tolist()
    bootstrap_counts(COUNTS, mean)
    bootstrap_rows(10, lambda chosen: chosen.mean(), resamples=10)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_drawing_in_parts_changes_nothing(monkeypatch):
    whole = bootstrap_counts(COUNTS, mean)
    monkeypatch.setattr(module, "_MOST_NUMBERS", 1000)
    assert bootstrap_counts(COUNTS, mean) == whole


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
