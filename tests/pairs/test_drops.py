"""Drops by severity, and between samples that are not paired."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.pairs import curve, score, unpaired
from salva.stats import Estimate, newcombe

ONES = np.ones(200, int)
CODES = st.integers(-1, 2)


def dropped(points: float) -> np.ndarray:
    """Return answers of which so many per cent are wrong."""
    return np.where(np.arange(200) < 2 * points, 0, 1)


def reached(drops: dict[float, float], **options) -> dict[str, float | None]:
    return curve(ONES, ONES, {at: [dropped(drop)] for at, drop in drops.items()}, **options).reached


def test_a_point_of_one_replicate_is_the_drop_of_its_condition():
    after = np.where(np.arange(200) % 7 == 0, -1, dropped(20))
    found = curve(ONES, ONES, {0.5: [after]}, seed=4)
    assert found.points[0].severity == 0.5
    assert found.points[0].drop == score(ONES, ONES, after, seed=4).drop


def test_points_stand_in_the_order_of_severity():
    found = curve(ONES, ONES, {1: [dropped(9)], 0.25: [dropped(3)], 0.5: [dropped(6)]})
    assert [(point.severity, point.drop.value) for point in found.points] == [(0.25, 3), (0.5, 6), (1.0, 9)]


@pytest.mark.parametrize(
    ("drops", "expected"),
    [
        ({0.25: 2, 0.5: 6, 1.0: 12}, {"1": 0.125, "5": 0.4375, "10": 0.5 + 0.5 * 4 / 6}),
        ({1.0: 4}, {"1": 0.25, "5": None, "10": None}),
        ({0.5: 10, 1.0: 2}, {"1": 0.05, "5": 0.25, "10": 0.5}),
        ({0.5: 0, 1.0: 5}, {"1": 0.6, "5": 1.0, "10": None}),
        ({0.0: 0, 1.0: 10}, {"1": 0.1, "5": 0.5, "10": 1.0}),
        ({0.0: 2, 1.0: 10}, {"1": 0.0, "5": 0.375, "10": 1.0}),
        ({}, {"1": None, "5": None, "10": None}),
    ],
)
def test_a_drop_is_reached_on_the_line_between_severities(drops, expected):
    assert reached(drops) == pytest.approx(expected)


def test_levels_are_a_setting():
    assert reached({1.0: 4}, levels=[2.5, 4]) == pytest.approx({"2.5": 0.625, "4": 1.0})


def test_a_severity_without_answers_is_passed_over():
    found = curve(ONES, ONES, {0.5: [-ONES], 1.0: [dropped(10)]})
    assert found.points[0].drop == Estimate(None, None, None)
    assert found.reached == pytest.approx({"1": 0.1, "5": 0.5, "10": 1.0})


def test_a_row_counts_by_the_mean_of_its_answered_replicates():
    found = curve([1, 1, 1], [1, 1, 1], {1.0: [[0, 1, -1], [0, -1, -1]]})
    assert found.points[0].drop.value == 50


def test_replicates_that_repeat_each_other_add_no_certainty():
    once, often = (curve(ONES, ONES, {1.0: [dropped(10)] * times}).points[0].drop for times in (1, 8))
    assert once == often


def test_replicates_that_differ_narrow_the_interval():
    generator = np.random.default_rng(0)
    labels = np.ones(2000, int)
    after = [(generator.random(2000) > 0.1).astype(int) for _ in range(4)]
    one, four = (curve(labels, labels, {1.0: after[:k]}).points[0].drop for k in (1, 4))
    assert (four.high - four.low) / (one.high - one.low) == pytest.approx(0.5, abs=0.05)


def test_intervals_hold_the_true_drop_when_rows_have_replicates():
    """Rows differ in how easily they flip; 300 trials have a standard error of 1.3 points."""
    generator, held = np.random.default_rng(1), 0
    for _ in range(300):
        chances = generator.beta(0.05, 0.45, 200)
        after = [(generator.random(200) > chances).astype(int) for _ in range(3)]
        drop = curve(ONES, ONES, {1.0: after}, resamples=500).points[0].drop
        held += drop.low <= 10 <= drop.high
    assert held / 300 >= 0.95 - 2 * 0.013


@given(st.lists(st.tuples(*[CODES] * 4), max_size=20))
def test_whatever_the_answers_every_number_is_one_or_none(rows):
    labels, before, *after = ([row[side] for row in rows] for side in range(4))
    found = curve(labels, before, {0.5: after, 1.0: after[:1], 0.7: []}, resamples=20)
    json.dumps(asdict(found), allow_nan=False)
    for drop in (point.drop for point in found.points):
        assert drop.value is None or drop.low <= drop.value <= drop.high


def test_a_replicate_of_another_length_is_refused():
    with pytest.raises(UsageError, match="labels 1, before 1, replicate 0 1, replicate 1 2; give one entry"):
        curve([0], [0], {1.0: [[0], [0, 0]]})


def test_the_drop_is_newcombes_difference_and_says_so():
    found = unpaired(90, 100, 80, 120)
    assert found.drop == newcombe(90, 100, 80, 120)
    assert json.loads(json.dumps(asdict(found)))["method"] == "unpaired (Newcombe)"


@pytest.mark.parametrize(
    ("over", "told"), [(10.0, (False, False)), (8.0, (True, False)), (4.0, (True, True))]
)
def test_effective_is_over_the_limit_and_surely_so_is_its_lower_end(over, told):
    found = unpaired(450, 500, 400, 500, effective_over=over)
    assert 4 < found.drop.low < 8 < found.drop.value == 10
    assert (found.effective, found.surely_effective) == told


def test_pairs_that_mostly_agree_are_told_more_surely():
    labels = [1] * 1000
    paired = score(labels, [1] * 900 + [0] * 100, [1] * 850 + [0] * 150).drop
    apart = unpaired(900, 1000, 850, 1000).drop
    assert paired.value == apart.value
    assert paired.high - paired.low < 0.6 * (apart.high - apart.low)


def test_no_rows_have_no_drop():
    found = unpaired(0, 0, 0, 0)
    assert (found.drop, found.effective, found.surely_effective) == (Estimate(None, None, None), None, None)


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(UsageError, match="successes=101 must be between 0 and n=100"):
        unpaired(101, 100, 80, 100)
