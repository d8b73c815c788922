"""Two drops on the same rows: which is greater, and is that more than chance."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.pairs import compare, score
from salva.stats import Estimate, mcnemar, with_holm

CODES = st.integers(-1, 2)
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


def test_holms_correction_is_over_the_family():
    labels, before = [1] * 6, [1] * 6
    pair = [compare(labels, before, before, before, after) for after in ([0] * 6, [1, 1, 0, 0, 0, 0])]
    assert [found.p for found in pair] == pytest.approx([2 / 64, 2 / 16])
    assert [found.p_holm for found in with_holm(pair)] == pytest.approx([4 / 64, 2 / 16])


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


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(UsageError, match="before_b 1, after_b 2; give one entry per pair"):
        compare([0], [0], [0], [0], [0, 0])
