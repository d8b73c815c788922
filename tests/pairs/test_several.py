"""Several models on the same rows: scores, differences, rows that only one loses, and the rate of errors."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.pairs import compare, score, score_several
from salva.stats import with_holm

CODES = st.integers(-1, 2)


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


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(UsageError, match="columns of different lengths"):
        score_several([1, 1], [[1, 1], [1]], [[1, 1], [1, 1]])


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
