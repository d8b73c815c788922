"""Drops by severity, between samples that are not paired, of two and of several models on the same rows."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

from salva.numbers import (
    Estimate,
    compare,
    curve,
    kendall_tau_b,
    rank,
    score,
    score_several,
    unpaired,
    with_holm,
)
from salva.numbers.intervals import mcnemar, newcombe

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
def test_whatever_the_answers_every_point_is_a_number_or_none(rows):
    labels, before, *after = ([row[side] for row in rows] for side in range(4))
    found = curve(labels, before, {0.5: after, 1.0: after[:1], 0.7: []}, resamples=20)
    json.dumps(asdict(found), allow_nan=False)
    for drop in (point.drop for point in found.points):
        assert drop.value is None or drop.low <= drop.value <= drop.high


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


ROWS = st.lists(st.tuples(*[CODES] * 5), max_size=40)


def columns(rows: list[tuple[int, ...]]) -> list[list[int]]:
    return [[row[side] for row in rows] for side in range(5)]


def answers(generator: np.random.Generator, labels: np.ndarray, right: float) -> np.ndarray:
    return np.where(generator.random(len(labels)) < right, labels, 1 - labels)


@given(ROWS)
def test_the_value_is_the_difference_of_the_two_drops_over_whole_rows(rows):
    found = compare(*columns(rows), resamples=20)
    whole = columns([row for row in rows if min(row) >= 0])
    assert (found.n, found.n + found.n_out) == (len(whole[0]), len(rows))
    if found.n:
        a, b = score(*whole[:3], resamples=1), score(whole[0], *whole[3:], resamples=1)
        assert found.value.value == pytest.approx(b.drop.value - a.drop.value)
        assert found.value.low <= found.value.value <= found.value.high


@given(ROWS)
def test_whatever_the_answers_every_number_is_one_or_none(rows):
    found = compare(*columns(rows), resamples=20)
    json.dumps(asdict(found), allow_nan=False)
    assert (found.p is None) == (found.value == Estimate(None, None, None)) == (found.n == 0)
    assert found.p_holm is None


@given(ROWS)
def test_turned_round_the_difference_turns_its_sign_and_p_stays(rows):
    labels, *sides = columns(rows)
    here, there = (compare(labels, *pair, resamples=20) for pair in (sides, sides[2:] + sides[:2]))
    assert here.p == there.p
    assert here.n == 0 or here.value.value == -there.value.value


def test_two_presets_of_one_model_are_compared_by_mcnemars_test():
    generator = np.random.default_rng(1)
    labels = generator.integers(0, 2, 400)
    before, a, b = (answers(generator, labels, right) for right in (0.95, 0.85, 0.8))
    found, one_drop = compare(labels, before, a, before, b), score(labels, a, b)
    assert found.p == mcnemar(one_drop.right_to_wrong, one_drop.wrong_to_right) == one_drop.p
    assert found.value == one_drop.drop


def test_a_model_compared_with_itself_does_not_differ():
    labels, before, after = [0, 1, 1], [0, 1, 0], [0, 0, 1]
    found = compare(labels, before, after, before, after)
    assert (found.n, found.value.value, found.p) == (3, 0, 1)
    assert found.value.low < 0 < found.value.high


def test_rows_without_a_label_or_an_answer_are_out_and_counted():
    found = compare([0, -1, 0, 0, 0], [0, 0, -1, 0, 0], [0, 0, 0, -1, 0], [0] * 5, [1, 1, 1, 1, -1])
    assert (found.n, found.n_out, found.value.value) == (1, 4, 100)
    assert compare([], [], [], [], []).p is None


def test_a_more_robust_model_is_seen():
    generator = np.random.default_rng(2)
    labels = generator.integers(0, 2, 2000)
    before_a, before_b = (answers(generator, labels, 0.9) for _ in "ab")
    after_a, after_b = (answers(generator, labels, right) for right in (0.88, 0.8))
    found = compare(labels, before_a, after_a, before_b, after_b)
    assert found.p < 0.001
    assert 0 < found.value.low < 8 < found.value.high < 16


def test_two_models_that_lose_as_much_are_told_apart_in_at_most_5_percent():
    """One is better before and after; 600 trials have a standard error of 0.9 points."""
    generator, alarms, held = np.random.default_rng(3), 0, 0
    for _ in range(600):
        labels = generator.integers(0, 2, 200)
        sides = [answers(generator, labels, right) for right in (0.95, 0.85, 0.8, 0.7)]
        found = compare(labels, *sides, resamples=500)
        alarms += found.p <= 0.05
        held += found.value.low <= 0 <= found.value.high
    assert alarms / 600 <= 0.05 + 2 * 0.009
    assert held / 600 >= 0.95 - 2 * 0.009


@given(
    st.integers(2, 4).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[CODES] * (2 * n + 1)))))
)
def test_every_number_is_that_of_the_rows_which_all_models_answered(drawn):
    models, rows = drawn
    whole = [row for row in rows if min(row) >= 0]
    sides = [[row[k] for row in rows] for k in range(2 * models + 1)]
    found = score_several(sides[0], sides[1 : models + 1], sides[models + 1 :], resamples=20)
    kept = [np.array([row[k] for row in whole], np.int64) for k in range(2 * models + 1)]
    pairs = [(kept[1 + k], kept[1 + models + k]) for k in range(models)]
    assert (found.n, found.n_out) == (len(whole), len(rows) - len(whole))
    assert list(found.scores) == [score(kept[0], *pair, resamples=20) for pair in pairs]
    expected = [
        compare(kept[0], *pairs[a], *pairs[b], resamples=20) for a, b in combinations(range(models), 2)
    ]
    assert list(found.differences) == expected


@given(st.lists(st.tuples(*[CODES] * 7)))
def test_a_row_lost_alone_is_lost_by_no_other_model(rows):
    sides = [[row[k] for row in rows] for k in range(7)]
    found = score_several(sides[0], sides[1:4], sides[4:], resamples=1)
    for place, (label, *answers) in enumerate(rows):
        whole = label >= 0 and min(answers) >= 0
        lost = [whole and answers[k] == label != answers[k + 3] for k in range(3)]
        assert [bool(found.lost_alone(k)[place]) for k in range(3)] == [
            one and sum(lost) == 1 for one in lost
        ]
        assert bool(found.lost_by_all()[place]) == all(lost)


def test_the_difference_of_two_drops_is_the_drop_of_one_less_that_of_the_other():
    generator = np.random.default_rng(5)
    labels = generator.integers(0, 2, 300)
    answers = [np.where(generator.random(300) < 0.1, -1, generator.integers(0, 2, 300)) for _ in range(6)]
    found = score_several(labels, answers[:3], answers[3:], resamples=20)
    drops = [one.drop.value for one in found.scores]
    for (a, b), one in zip(combinations(range(3), 2), found.differences, strict=True):
        assert one.value.value == pytest.approx(drops[b] - drops[a])
        assert one.n == found.n


@pytest.mark.slow
def test_equal_models_are_rarely_found_to_differ():
    """At most 5 % of comparisons of four equal models have any p (Holm) below 0.05."""
    generator, times, wrong = np.random.default_rng(0), 400, 0
    for _ in range(times):
        labels = np.ones(200, np.int64)
        before = (generator.random((4, 200)) < 0.9).astype(np.int64)
        after = (generator.random((4, 200)) < 0.8).astype(np.int64)
        found = score_several(labels, list(before), list(after), resamples=1)
        wrong += min(one.p_holm for one in with_holm(found.differences)) < 0.05
    assert wrong <= 0.05 * times + 3 * (0.05 * 0.95 * times) ** 0.5


def test_a_model_that_drops_more_is_found():
    generator = np.random.default_rng(1)
    labels = np.ones(1000, np.int64)
    before = (generator.random((3, 1000)) < 0.9).astype(np.int64)
    after = (generator.random((3, 1000)) < [[0.88], [0.88], [0.75]]).astype(np.int64)
    first, *others = with_holm(score_several(labels, list(before), list(after)).differences)
    assert first.p_holm > 0.05
    assert all(one.p_holm < 0.001 and one.value.low > 0 for one in others)


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
