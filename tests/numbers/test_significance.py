"""Exact tests against slow twins and scipy, and Holm's correction."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from salva.numbers import intervals as module
from salva.numbers.intervals import heads, holm, mcnemar, sign_flip, sign_flip_clusters, sign_flip_sums

CHANGED = st.integers(0, 3000)
VALUES = np.array([-2, -1, 0, 1, 2])


def p_of(counts: np.ndarray) -> float:
    total, sizes = int((counts * VALUES).sum()), counts[::-1] + counts
    return sign_flip(total, ones=int(sizes[1]), twos=int(sizes[0]))


def p_by_trying_all_signs(counts: list[int]) -> float:
    rows = np.repeat(VALUES, counts)
    sums = np.array([rows @ signs for signs in product([-1, 1], repeat=len(rows))])
    return float(np.mean(np.abs(sums) >= abs(rows.sum())))


@given(CHANGED, CHANGED)
def test_mcnemar_is_that_of_scipy_and_statsmodels(worse, better):
    theirs = binomtest(worse, worse + better).pvalue if worse + better else 1.0
    assert mcnemar(worse, better) == pytest.approx(theirs, rel=1e-9)
    assert mcnemar(worse, better) == pytest.approx(
        statsmodels_mcnemar([[0, worse], [better, 0]], exact=True).pvalue, rel=1e-9
    )


@given(CHANGED, CHANGED)
def test_a_p_is_a_chance_and_the_same_either_way(worse, better):
    assert 0 <= mcnemar(worse, better) == mcnemar(better, worse) <= 1
    assert mcnemar(worse, worse) == 1


@given(st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_sign_flips_are_counted_as_if_all_were_tried(counts):
    assert p_of(np.array(counts)) == pytest.approx(p_by_trying_all_signs([*counts[:2], 0, *counts[3:]]))


@pytest.mark.parametrize("coins", [0, 1, 2, 3, 10, 11, 1000, 3001])
def test_each_number_of_heads_has_its_probability_even_the_rarest(coins):
    exact = [float(Fraction(math.comb(coins, up), 2**coins)) for up in range(coins + 1)]
    assert heads(coins) == pytest.approx(exact, rel=1e-13, abs=1e-300)


def test_many_rows_cost_little_and_stay_in_bounds():
    assert 0 < sign_flip(3000, ones=1_000_000, twos=200_000) < 0.05
    assert sign_flip(30_000, ones=20_000, twos=20_000) == pytest.approx(0, abs=1e-300)


ALIKE = [0.01, 0.04, 0.9, 0.04, 0.01]
RARE = [0.002, 0.004, 0.988, 0.004, 0.002]
ONLY_EQUAL_ON_AVERAGE = [0.0, 0.04, 0.94, 0.0, 0.02]  # a few rows drop by two, twice as many rise by one


@pytest.mark.parametrize("chances", [ALIKE, RARE, ONLY_EQUAL_ON_AVERAGE])
@pytest.mark.parametrize("n", [30, 100, 500, 2000])
def test_at_5_percent_there_are_no_more_than_5_percent_false_alarms(chances, n):
    """Four thousand trials have a standard error of 0.34 points."""
    draws = np.random.default_rng(5).multinomial(n, chances, size=4000)
    kinds, times = np.unique(draws[:, [0, 1, 3, 4]], axis=0, return_counts=True)
    alarms = [p_of(np.insert(kind, 2, 0)) <= 0.05 for kind in kinds]
    assert np.average(alarms, weights=times) <= 0.05 + 2 * 0.0034


def test_the_test_sees_what_is_there():
    draws = np.random.default_rng(6).multinomial(500, [0.002, 0.02, 0.918, 0.05, 0.01], size=500)
    assert np.mean([p_of(draw) <= 0.05 for draw in draws]) > 0.8


SUMS = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


@given(SUMS)
def test_the_test_counts_all_signs(sums):
    total = abs(sum(sums))
    signs = product([-1, 1], repeat=len(sums))
    far = [abs(sum(map(int.__mul__, some, sums))) >= total for some in signs]
    assert sign_flip_clusters(np.array(sums)) == pytest.approx(sum(far) / len(far))


def test_with_rows_of_their_own_it_is_mcnemar_s_test():
    assert sign_flip_clusters(np.array([1] * 8 + [-1] * 2 + [0] * 5)) == mcnemar(8, 2)


def test_very_many_clusters_are_tested_by_a_normal_sum(monkeypatch):
    sums = np.random.Generator(np.random.Philox(5)).integers(-5, 6, 400)
    exact = sign_flip_clusters(sums)
    assert exact == pytest.approx(sign_flip_sums(sums.tolist()))
    monkeypatch.setattr(module, "_MOST_STEPS", 0)
    normal = sign_flip_clusters(sums)
    assert normal != exact
    assert normal == pytest.approx(exact, abs=0.001)


CHANCES = st.floats(0, 1)


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_statsmodels(seed):
    p_values = (np.random.default_rng(seed).random(4 * seed + 1) ** 4).round(2).tolist()
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


@given(st.lists(CHANCES))
def test_the_order_stays_and_nothing_gets_smaller(p_values):
    corrected = holm(p_values)
    assert all(p <= after <= 1 for p, after in zip(p_values, corrected, strict=True))
    in_order = [after for _, after in sorted(zip(p_values, corrected, strict=True))]
    assert in_order == sorted(in_order)


@given(st.lists(st.none() | CHANCES))
def test_what_was_not_tested_stays_none_and_does_not_count(p_values):
    corrected = holm(p_values)
    assert [p is None for p in corrected] == [p is None for p in p_values]
    assert [p for p in corrected if p is not None] == holm([p for p in p_values if p is not None])
