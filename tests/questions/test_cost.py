"""What a run would cost and could show, before anything is spent."""

from __future__ import annotations

import pytest

from salva import Measure
from salva.evaluation import evaluate
from salva.numbers import fewest_worse, score, with_holm
from salva.numbers.intervals import mcnemar
from salva.questions import estimate_cost, make_questions
from tests.evaluation.keywords import classify
from tests.flat import flat

ROWS = [(f"A great film number {k}", "positive") for k in range(40)]
ROWS += [(f"A dull film number {k}", "negative") for k in range(40)]
SCENES = {"text": [f"A great film number {k}" for k in range(80)], "label": ["positive"] * 80}


def cost_of(data, measure=None, severities=(1.0,), **options):
    questions = make_questions(data, presets="typos", severities=severities, options=flat(**options))
    return estimate_cost(questions, measure or Measure())


def test_no_run_needs_more_calls_than_were_announced():
    measure, batches = {"noise": 7, "flips": 3, "blame_calls": 4}, []
    cost = cost_of(ROWS, Measure(**measure), severities=(0.5, 1.0))

    def model(texts):
        batches.extend(texts)
        return classify(texts)

    evaluate(ROWS, model, presets="typos", severities=(0.5, 1.0), options=flat(**measure))
    assert cost.distinct + cost.noise_calls <= len(batches) <= cost.most_calls
    assert cost.characters <= sum(map(len, batches)) <= cost.most_characters
    assert (cost.distinct, cost.noise_calls) == (len(set(batches[: cost.distinct])), 14)
    assert cost.most_blame_calls == 4 * 3 * 2


def test_characters_are_those_of_the_questions_that_differ():
    cost = cost_of([("abc", "x"), ("abc", "x"), ("zz", "y")])
    assert (cost.rows, cost.distinct, cost.characters) == (3, 2, 5)
    pairs = cost_of({"a": ["abc", "abc"], "b": ["de", "de"]}, text=("a", "b"))
    assert (pairs.distinct, pairs.characters) == (1, 5)


def test_rows_without_a_question_are_counted_by_condition():
    questions = make_questions([("A good film", "x"), ("Films", "x")], presets="antonyms", severities=1)
    assert estimate_cost(questions, Measure()).not_asked == {"antonyms@1": 1}


@pytest.mark.parametrize("tests", [1, 2, 6, 40])
def test_the_smallest_drop_is_just_significant(tests):
    """Holm over this many tests, all other p-values 1: so many worse rows suffice, and one less does not."""
    worse, rows = fewest_worse(tests), 100
    for changed, established in ((worse, True), (worse - 1, False)):
        after = [1] * changed + [0] * (rows - changed)
        scores = [score([0] * rows, [0] * rows, after, resamples=100)]
        scores += [score([0] * rows, [0] * rows, [0] * rows, resamples=100)] * (tests - 1)
        assert (with_holm(scores)[0].p_holm < 0.05) == established
    assert mcnemar(worse, 0) * tests < 0.05


def test_the_smallest_drop_is_in_points_of_the_labelled_rows():
    cost = cost_of([*ROWS, ("No label here", -1)])
    assert (cost.rows, cost.tests) == (81, len(cost.conditions))
    assert cost.smallest_drop == 100 * fewest_worse(cost.tests) / 80
    assert cost_of(ROWS[:5]).smallest_drop is None


def test_rows_with_the_same_text_count_once():
    """Ten texts, each eight times: whole texts get worse, and seven of them are needed."""
    rows = [(f"A great film number {k % 10}", "positive") for k in range(80)]
    assert cost_of(rows).smallest_drop == 100 * fewest_worse(2) * 8 / 80
    for worse, established in ((fewest_worse(2), True), (fewest_worse(2) - 1, False)):
        after, clusters = [int(k % 10 < worse) for k in range(80)], [k % 10 for k in range(80)]
        found = score([0] * 80, [0] * 80, after, clusters=clusters, resamples=100)
        assert (2 * found.p < 0.05) == established
    assert cost_of(rows[:6] * 20).smallest_drop is None


@pytest.mark.parametrize(("groups", "smallest"), [(5, None), (40, 100 * fewest_worse(2) / 80)])
def test_a_drop_needs_enough_groups(groups, smallest):
    data = SCENES | {"family": [k % groups for k in range(80)]}
    assert cost_of(data, group="family").smallest_drop == smallest


def test_progress_is_reported():
    seen = []
    make_questions(ROWS, presets="typos", progress=seen.append)
    assert {one.phase for one in seen} == {"making questions"}
