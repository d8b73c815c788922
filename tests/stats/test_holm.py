"""Holm's correction: equal to statsmodels, never smaller than the p itself, blind to what was not tested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from salva.stats import holm

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
