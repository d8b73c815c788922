"""Answers that are more than right or wrong: replies without an answer, scores, metrics of the user's."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from salva.errors import UsageError
from salva.numbers import Estimate, MetricChange, metric_change, score, score_judged, score_replies


def test_unparsed_pairs_are_in_no_other_number():
    labels = [0, 0, 0, 0, 0, -1]
    before, after = [0, 0, -2, -1, 0, 0], [0, 1, 0, -2, -2, -2]
    found = score(labels, before, after)
    assert (found.n, found.n_failed, found.n_unlabelled, found.n_unparsed) == (2, 1, 0, 3)
    apart = score([0, 0], [0, 0], [0, 1])
    assert (found.drop, found.consistency, found.accuracy_before) == (
        apart.drop,
        apart.consistency,
        apart.accuracy_before,
    )
    replies = score_replies(before, after)
    assert replies.unparsed_before.value == pytest.approx(100 / 5)
    assert replies.unparsed_after.value == pytest.approx(100 * 3 / 6)
    assert (replies.score_before, replies.score_drop.value) == (None, None)


def test_a_mean_score_is_over_pairs_with_two_scores_and_its_interval_is_paired():
    chance = np.random.default_rng(1)
    first = chance.random(400)
    second = first - 0.1
    first[0] = math.nan
    found = score_replies(np.zeros(400), np.zeros(400), scores_before=first, scores_after=second)
    assert found.score_before == pytest.approx(100 * first[1:].mean())
    assert found.score_drop.value == pytest.approx(10.0)
    assert found.score_drop.high - found.score_drop.low < 1e-9
    apart = score_replies([0], [0], scores_before=[math.nan], scores_after=[1.0])
    assert apart.score_before is None


def test_unjudged_pairs_are_in_no_other_number_and_apart_from_unparsed_ones():
    before, after = [0, 1, -3, 0, -3, -3], [0, -3, 1, 0, -2, -1]
    found = score([0, 1, 1, 1, 1, 1], before, after)
    assert (found.n, found.n_failed, found.n_unparsed, found.n_unjudged) == (2, 1, 1, 2)
    judged = score_judged(before, after)
    assert judged.unjudged_before.value == pytest.approx(100 * 3 / 6)
    assert judged.unjudged_after.value == pytest.approx(100 / 5)


LABELS = ["yes", "no"] * 50
WRONG = ["no", *LABELS[1:80], *LABELS[:20]]
NONE = Estimate(None, None, None)


def accuracy(labels: list[str], answers: list[str]) -> float:
    return sum(map(str.__eq__, labels, answers)) / len(labels)


def test_accuracy_changes_by_the_drop():
    after = [LABELS[row] if row % 5 else LABELS[row + 1] for row in range(100)]
    found = metric_change(accuracy, LABELS, LABELS, after)
    codes = [[word == "yes" for word in side] for side in (LABELS, LABELS, after)]
    assert (found.before, found.after) == (1.0, 0.8)
    assert 100 * found.change.value == pytest.approx(-score(*codes).drop.value)
    assert found.change.low == pytest.approx(-0.28, abs=0.03)
    assert found.change.high == pytest.approx(-0.12, abs=0.03)


def test_a_metric_of_scikit_learn_will_do():
    after = [LABELS[row] if row % 5 else LABELS[row - 1] for row in range(100)]
    found = metric_change(matthews_corrcoef, LABELS, LABELS, after, resamples=50, seed=1)
    assert found.after == matthews_corrcoef(LABELS, after)
    assert found == metric_change(matthews_corrcoef, LABELS, LABELS, after, resamples=50, seed=1)


def test_it_gets_lists_of_the_pairs_that_are_whole():
    seen = []

    def metric(labels, answers):
        seen.append((labels, answers))
        return np.float32(len(labels))

    found = metric_change(
        metric, ["a", None, "c", "d"], ["a", "b", None, "d"], ["x", "b", "c", "y"], resamples=2
    )
    assert seen[:2] == [(["a", "d"], ["a", "d"]), (["a", "d"], ["x", "y"])]
    assert (found.before, type(found.before), found.change) == (2.0, float, Estimate(0.0, 0.0, 0.0))


@pytest.mark.parametrize("rows", [[], [("a", None, "a")], [(None, "a", "a")]])
def test_without_pairs_it_is_not_asked(rows):
    columns = [[row[side] for row in rows] for side in range(3)]
    assert metric_change(lambda labels, answers: 1 / 0, *columns) == MetricChange(None, None, NONE)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_becomes_none(value):
    found = metric_change(lambda labels, answers: value, LABELS, LABELS, WRONG, resamples=5)
    assert found == MetricChange(None, None, NONE)
    json.dumps(asdict(found), allow_nan=False)


def needs_two_classes(labels: list[str], answers: list[str]) -> float:
    if len(set(labels)) < 2:
        raise ValueError("only one class")
    return accuracy(labels, answers)


@pytest.mark.parametrize(("n", "told"), [(8, True), (2, False)])
def test_resamples_it_cannot_measure_are_left_out_only_if_they_are_few(n, told):
    found = metric_change(needs_two_classes, LABELS[:n], LABELS[:n], WRONG[:n])
    assert found.change.value == pytest.approx(-1 / n)
    assert (found.change.low is not None) == told


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (needs_two_classes, "metric 'needs_two_classes' failed: ValueError: only one class"),
        (lambda labels: 1.0, "metric '<lambda>' failed: TypeError: "),
        (lambda labels, answers: None, "metric '<lambda>' failed: TypeError: "),
    ],
)
def test_a_metric_that_fails_is_named(metric, message):
    with pytest.raises(UsageError) as error:
        metric_change(metric, ["a", "a"], ["a", "a"], ["a", "b"])
    assert str(error.value).startswith(message)
    assert str(error.value).endswith("; it must take labels and answers")
