"""Charts are numbers and strings: everything stands on its scale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.pages.charts import Measure, Point, Series, bar_chart, curve_panels, scale

values = st.floats(-100, 100)


@given(values, values)
def test_a_scale_has_few_ticks_and_holds_its_values(a, b):
    fits = scale(min(a, b), max(a, b))
    assert fits.low - 1e-9 <= min(a, b) <= max(a, b) <= fits.high + 1e-9
    assert 2 <= len(fits.ticks()) <= 10
    assert len({tick.text for tick in fits.ticks()}) == len(fits.ticks())


@pytest.mark.parametrize(
    ("high", "texts"), [(1, ["0.00", "0.25", "0.50", "0.75", "1.00"]), (4, list("01234"))]
)
def test_ticks_have_the_digits_that_their_steps_need(high, texts):
    assert [tick.text for tick in scale(0, high, most=4).ticks()] == texts


def test_bars_begin_at_zero_in_both_directions():
    up, down = bar_chart([Measure("a", 5, 4, 6), Measure("b", -5, -6, -4)]).bars
    assert up.start == down.at + down.width
    assert down.start == down.at
    assert up.low < up.at < up.high


def test_a_missing_value_is_not_drawn():
    (bar,) = bar_chart([Measure("a", None)]).bars
    assert (bar.at, bar.width, bar.low) == (None, None, None)


def test_a_value_without_an_interval_has_no_whisker():
    (bar,) = bar_chart([Measure("a", 3)]).bars
    assert bar.at is not None
    assert bar.low is None


def test_the_scale_reaches_to_the_limit():
    chart = bar_chart([Measure("a", 0.1)], limit=4)
    assert chart.limit.text == "4"
    assert 0 < chart.limit.at <= 100


@given(st.lists(st.tuples(values, values, values), max_size=5))
def test_everything_drawn_is_inside_the_width(triples):
    chart = bar_chart([Measure("", value, low, high) for value, low, high in triples], limit=4)
    drawn = [place for bar in chart.bars for place in (bar.start, bar.at, bar.low, bar.high)]
    assert all(0 <= place <= 100 for place in [*drawn, chart.zero, chart.limit.at])


def test_panels_share_a_scale_and_show_the_others_behind():
    a = Series("a", (Point(0, 0), Point(1, 10, 8, 12)), {5.0: 0.5, 10.0: None})
    b = Series("b", (Point(0, 0), Point(1, 2)))
    first, second = curve_panels([a, b])
    assert first.y_ticks == second.y_ticks
    assert first.others == (second.line,)
    assert [crossing.text for crossing in first.crossings] == ["0.5", "not reached"]
    assert first.crossings[0].x == (first.left + first.right) / 2


def test_a_curve_without_points_is_an_empty_panel():
    (panel,) = curve_panels([Series("a", ())])
    assert (panel.line, panel.band, panel.dots) == ("", "", ())
