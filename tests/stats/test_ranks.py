"""Ranks and tau-b, equal to scipy's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

from salva.stats import kendall_tau_b, rank

VALUES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)


@given(VALUES)
def test_tau_b_is_that_of_scipy(pairs):
    a, b = zip(*pairs, strict=True)
    expected, found = kendalltau(a, b, variant="b").statistic, kendall_tau_b(a, b)
    assert (found is None) == math.isnan(expected)
    assert found is None or found == pytest.approx(expected)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_the_best_is_first_and_ties_share_a_rank(values):
    assert list(rank(values)) == rankdata([-value for value in values], method="min").astype(int).tolist()
