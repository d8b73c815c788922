"""Numbers over all ways of asking: the worked examples of their sources, and cases that others get wrong."""

from __future__ import annotations

import numpy as np
import pytest

from salva.numbers import score, score_several_variants, score_variants
from salva.tasks import make_task

# Four items with the right answer 0, in three ways. Right in 3, 2, 1 and 0 of them.
LABELS = [0, 0, 0, 0]
WAYS = [[0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 1, 3]]


def test_the_numbers_of_three_prompts_are_those_counted_by_hand():
    found = score_variants(LABELS, WAYS)
    assert found.accuracies == (75, 50, 25)
    assert found.mean.value == pytest.approx(50)
    assert found.spread == 50  # Sclar et al. 2024: highest minus lowest accuracy
    assert found.worst_case.value == 25  # one item of four is right in every way
    # SCORE: of three pairs of answers, 3, 1, 1 and 0 are equal.
    assert found.consistency_rate.value == pytest.approx(100 * (3 + 1 + 1 + 0) / 12)
    # ProSA: the mean difference of the scores of two prompts is 0, 2/3, 2/3 and 0.
    assert found.prompt_sensitivity.value == pytest.approx(100 * (0 + 2 / 3 + 2 / 3 + 0) / 4)
    assert found.consistency_rate.low < found.consistency_rate.value < found.consistency_rate.high


def test_the_performance_drop_rate_is_that_of_promptbench():
    # 1 - (accuracy after / accuracy before): from 4 of 5 to 3 of 5.
    found = score([0] * 5, [0, 0, 0, 0, 1], [0, 0, 0, 1, 1])
    assert found.performance_drop_rate == pytest.approx(100 * (1 - 0.6 / 0.8))
    assert score([0], [1], [0]).performance_drop_rate is None


def test_prompt_sensitivity_is_of_scores_if_there_are_any():
    scores = [np.array([1.0, 0.5]), np.array([0.5, 0.5]), np.array([0.0, 0.5])]
    found = score_variants([0, 0], [[0, 1], [1, 1], [1, 1]], scores=scores)
    assert found.prompt_sensitivity.value == pytest.approx(100 * ((0.5 + 1 + 0.5) / 3 + 0) / 2)


def test_unparsed_and_missing_answers_leave_the_item_out():
    found = score_variants([0, 0, 0, -1], [[0, 0, -2, 1], [0, -1, 0, 1]])
    assert (found.n, found.n_unlabelled, found.n_out) == (1, 1, 2)
    assert (found.worst_case.value, found.consistency_rate.value) == (100, 100)


def test_an_item_counts_in_the_ways_in_which_it_is_asked():
    some = np.array([True, False])
    found = score_variants([0, 0], [[0, 0], [0, 1], [1, -1]], asked=[None, None, some])
    assert found.n == 2
    assert found.accuracies == (100, 50, 0)
    assert found.consistency_rate.value == pytest.approx(100 * (1 / 3 + 0) / 2)


def test_items_of_a_cluster_are_not_independent():
    ways = [[0, 1] * 20, [0, 0] * 20]
    alone = score_variants([0] * 40, ways).worst_case
    together = score_variants([0] * 40, ways, clusters=[k % 2 for k in range(40)]).worst_case
    assert alone.value == together.value == 50
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert score_variants([], [[], []]).worst_case.value is None


def swaps(right: int) -> list[tuple[int, ...]]:
    """Return the orders of SCORE: the right option changes places with each of the four."""
    orders = []
    for place in range(4):
        order = list(range(4))
        order[place], order[right] = order[right], order[place]
        orders.append(tuple(order))
    return orders


TASK = make_task(
    "own",
    {
        "prompt": "{q}\n{options}",
        "edit": ["q"],
        "target": "t",
        "options": {"columns": ["a", "b", "c", "d"]},
        "answer": {"kind": "choice"},
    },
)


def rate_of(reply_of) -> float:
    """Return the consistency rate over the orders of SCORE, for one item with each letter as right answer."""
    columns = []
    for right in range(4):
        row = {"q": "Which?", "a": "w", "b": "x", "c": "y", "d": "z", "t": "ABCD"[right]}
        key = TASK.expect(row)
        grades = [TASK.grade(reply_of("ABCD"[right]), key.reorder(order)) for order in swaps(right)]
        columns.append(["ABCD".index(grade.answer) for grade in grades])
    return score_variants(range(4), np.array(columns).T).consistency_rate.value


def test_the_right_option_s_old_letter_is_never_the_same_content():
    # lm-evaluation-harness's options_consistency_rate gives 1.00.
    assert rate_of(lambda old: old) == 0


def test_a_favourite_letter_is_the_same_content_in_three_eighths_of_the_pairs():
    # lm-evaluation-harness's options_consistency_rate gives .625.
    assert rate_of(lambda old: "A") == pytest.approx(37.5)


B = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]


def test_numbers_are_those_of_each_model_and_differences_are_paired():
    found = score_several_variants(LABELS, [WAYS, B])
    assert found.scores == (score_variants(LABELS, WAYS), score_variants(LABELS, B))
    less = {one.number: one for one in found.differences}
    assert {one.n for one in less.values()} == {4}
    # By hand: the shares of right answers are 1, 2/3, 1/3, 0 and 1, 1, 1, 2/3.
    assert less["mean"].value.value == pytest.approx(100 * (0 + 1 / 3 + 2 / 3 + 2 / 3) / 4)
    assert less["worst_case"].value.value == 50
    assert less["spread"].value.value == 25 - 50
    assert less["spread"].value.low is None
    wide = less["consistency_rate"].value
    assert wide.low < wide.value < wide.high
    assert wide.value == pytest.approx(100 * ((3 + 3 + 3 + 1) - (3 + 1 + 1 + 0)) / 12)


def test_an_item_counts_if_all_models_answered_it_in_all_ways_in_which_it_is_asked():
    asked = [None, np.array([True, True, False, True])]
    found = score_several_variants(
        [0, 0, 0, -1], [[[0, 0, 0, 1], [0, -2, -1, 1]], [[0] * 4] * 2], asked=asked
    )
    assert [(one.n, one.n_unlabelled, one.n_out) for one in found.scores] == [(1, 1, 1)] * 2
    assert {one.number: one.n for one in found.differences}["consistency_rate"] == 2


def test_pairs_make_the_interval_narrow_and_clusters_make_it_wide():
    chance = np.random.Generator(np.random.Philox(5))
    label = np.zeros(400, np.int64)
    same = (chance.random((2, 400)) < 0.5).astype(np.int64)
    other = same.copy()
    other[:, :20] = 0

    def width(**options):
        less = score_several_variants(label, [list(same), list(other)], **options).differences[1].value
        return less.high - less.low

    single = score_variants(label, list(same)).mean
    assert width() < (single.high - single.low) / 2
    assert width(clusters=np.arange(400) // 20) > 2 * width()
