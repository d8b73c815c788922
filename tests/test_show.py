"""Numbers are readable, and what is missing says so."""

from __future__ import annotations

import math

import pytest

from salva._show import count, interval, number, p_value, size
from salva.pages import typeset
from salva.pages.charts import Measure


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (8.24, 1, "8.2"),
        (-8.25, 2, "\u22128.25"),
        (-0.04, 1, "0.0"),
        (12345.6, 1, "12,345.6"),
        (None, 1, "n/a"),
        (math.nan, 1, "n/a"),
        (math.inf, 1, "n/a"),
    ],
)
def test_a_number_has_a_real_minus_and_no_negative_zero(value, digits, shown):
    assert typeset(number(value, digits)) == shown


def test_an_interval_without_an_end_is_none():
    assert interval(Measure("", 1, 0.5, 2)) == "[0.5, 2.0]"
    assert interval(Measure("", 1, None, 2)) == "n/a"
    assert interval(Measure("", 1, None, 2), missing="") == ""


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0312, "0.0312"), (1e-9, "< 0.0001"), (1.0, "1.0000"), (0.0, "< 0.0001"), (None, "n/a")],
)
def test_a_small_p_is_not_spelt_out(p, shown):
    assert p_value(p) == shown


def test_counts_and_sizes_are_grouped():
    assert (count(1234567), count(None), size(183_500), size(2_400_000)) == (
        "1,234,567",
        "n/a",
        "184 kB",
        "2.4 MB",
    )
