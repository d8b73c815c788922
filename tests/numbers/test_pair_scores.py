"""The numbers of a condition: equal to a slow count of rows, to scikit-learn, and whole for any answers."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap
from sklearn.metrics import f1_score

from salva.errors import UsageError
from salva.numbers import (
    Estimate,
    PairTable,
    clustered_mean,
    compare,
    curve,
    metric_change,
    score,
    score_audited,
    score_entities,
    score_replies,
    score_several,
    score_several_variants,
    wilson,
    with_holm,
)
from salva.numbers.intervals import DROP_CLUSTERS, mcnemar, sign_flip_clusters

CODES = st.integers(-1, 3)
ROWS = st.lists(st.tuples(CODES, CODES, CODES), max_size=40)
NONE = Estimate(None, None, None)


def columns(rows: list[tuple[int, int, int]]) -> tuple[list[int], ...]:
    return tuple([row[side] for row in rows] for side in range(3))


def made_up(n: int, classes: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, n)
    before = np.where(generator.random(n) < 0.92, labels, generator.integers(0, classes, n))
    after = np.where(generator.random(n) < 0.9, before, generator.integers(0, classes, n))
    return labels, before, after


@given(ROWS)
def test_counts_are_those_of_the_rows(rows):
    found = score(*columns(rows), resamples=20)
    answered = [row for row in rows if row[1] >= 0 and row[2] >= 0]
    pairs = [row for row in answered if row[0] >= 0]
    assert (found.n, found.n_unlabelled) == (len(pairs), len(answered) - len(pairs))
    assert found.n + found.n_failed + found.n_unlabelled == len(rows)
    assert found.right_to_wrong == sum(label == b != a for label, b, a in pairs)
    assert found.wrong_to_right == sum(label == a != b for label, b, a in pairs)
    assert found.changed == sum(b != a for _, b, a in answered)
    assert found.consistency == wilson(len(answered) - found.changed, len(answered))
    assert found.accuracy_before == wilson(sum(label == b for label, b, _ in pairs), len(pairs))
    assert found.accuracy_after == wilson(sum(label == a for label, _, a in pairs), len(pairs))
    assert found.both_right == wilson(sum(label == b == a for label, b, a in pairs), len(pairs))


@given(ROWS)
def test_macro_f1_is_that_of_scikit_learn(rows):
    found = score(*columns(rows), resamples=1)
    pairs = [row for row in rows if min(row) >= 0]
    labels, *answers = columns(pairs)
    expected = [
        100 * f1_score(labels, side, average="macro", zero_division=0) if pairs else None for side in answers
    ]
    assert [found.macro_f1_before, found.macro_f1_after] == pytest.approx(expected)


@given(ROWS)
def test_whatever_the_answers_every_number_is_one_or_none(rows):
    found = score(*columns(rows), resamples=20)
    json.dumps(asdict(found), allow_nan=False)
    assert (found.drop == NONE) == (found.p is None) == (found.effective is None) == (found.n == 0)
    if found.n:
        assert -100 <= found.drop.low <= found.drop.value <= found.drop.high <= 100
        assert found.drop.value == pytest.approx(found.accuracy_before.value - found.accuracy_after.value)


@given(ROWS)
def test_turned_round_the_drop_turns_its_sign_and_p_stays(rows):
    labels, before, after = columns(rows)
    here, there = score(labels, before, after, resamples=20), score(labels, after, before, resamples=20)
    assert (here.p, here.consistency, here.both_right) == (there.p, there.consistency, there.both_right)
    assert here.n == 0 or here.drop.value == -there.drop.value


@pytest.mark.parametrize("rows", [[], [(1, -1, 1)] * 3, [(1, 1, -1), (0, -1, -1)]])
def test_nothing_answered_is_none_and_counted(rows):
    found = score(*columns(rows))
    assert (found.n, found.n_failed, found.n_unlabelled) == (0, len(rows), 0)
    assert found.accuracy_before == found.drop == found.consistency == found.both_right == NONE
    assert found.macro_f1_before is found.p is found.effective is found.surely_effective is None


def test_without_labels_there_is_consistency_and_nothing_else():
    found = score([-1] * 4, [0, 1, 1, 1], [0, 1, 0, 1])
    assert (found.n, found.n_unlabelled, found.consistency.value, found.changed) == (0, 4, 75.0, 1)
    assert found.accuracy_after == found.drop == NONE
    assert found.p is None


def test_json_shows_the_ends_by_name():
    drop = json.loads(json.dumps(asdict(score([0, 0], [0, 0], [0, 1]))))["drop"]
    assert drop.keys() == {"value", "low", "high"}
    assert drop["value"] == 50


@pytest.mark.parametrize("seed", range(3))
def test_with_many_pairs_the_interval_is_that_of_scipy(seed):
    """The ends have a standard error of about 1.5 % of the interval's width, theirs and ours."""
    labels, before, after = made_up(4000, 3, seed)
    right = [(side == labels).astype(float) for side in (before, after)]

    def drop(b: np.ndarray, a: np.ndarray, axis: int) -> np.ndarray:
        return 100 * (b.mean(axis=axis) - a.mean(axis=axis))

    theirs = bootstrap(right, drop, paired=True, method="percentile", n_resamples=5000, batch=500, rng=seed)
    low, high = theirs.confidence_interval
    found = score(labels, before, after, seed=seed).drop
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.06 * (high - low))


def test_p_is_mcnemars_and_holms_is_over_the_family():
    scores = [score(*made_up(300, 2, seed)) for seed in range(3)]
    expected = [binomtest(s.right_to_wrong, s.right_to_wrong + s.wrong_to_right).pvalue for s in scores]
    assert [s.p for s in scores] == pytest.approx(expected)
    corrected = with_holm([*scores, score([], [], [])])
    assert corrected[3].p_holm is None
    assert min(s.p_holm for s in corrected[:3]) == pytest.approx(3 * min(expected))


def test_effective_is_over_the_limit_and_surely_so_is_its_lower_end():
    labels, before = np.ones(1000, int), np.ones(1000, int)
    after = np.where(np.arange(1000) < 50, 0, 1)
    limits = {over: score(labels, before, after, effective_over=over) for over in (5.0, 4.0, 2.0)}
    told = {over: (found.effective, found.surely_effective) for over, found in limits.items()}
    assert told == {5.0: (False, False), 4.0: (True, False), 2.0: (True, True)}
    assert not score(labels, before, after, effective_over=limits[2.0].drop.low).surely_effective


def test_order_and_names_of_classes_do_not_matter():
    labels, before, after = made_up(500, 30)
    expected = score(labels, before, after)
    assert score(labels[::-1], before[::-1], after[::-1]) == expected
    far = score(labels * 10**12, before * 10**12, after * 10**12)
    assert far == expected


def test_columns_may_be_of_any_whole_numbers():
    labels, before, after = made_up(200, 2)
    expected = score(labels, before, after)
    assert score(labels.astype(bool), before.astype(np.int8), after.tolist()) == expected


def test_every_code_below_0_is_none_except_those_of_unparsed_and_unjudged_replies():
    assert score([0, -7, 0], [0, 0, -4], [1, 1, 0]) == score([0, -1, 0], [0, 0, -1], [1, 1, 0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0.5], [0], [0]), "labels has shape (1,) and type float64; expected one whole number per pair"),
        (([0], ["a"], [0]), "before has shape (1,) and type <U1; expected one whole number per pair"),
        (([0], [0], [[0]]), "after has shape (1, 1) and type int64; expected one whole number per pair"),
    ],
)
def test_what_is_no_column_of_codes_is_refused(columns, message):
    with pytest.raises(UsageError) as error:
        score(*columns)
    assert str(error.value) == message


def table(right_before, right_after, **columns) -> PairTable:
    size = len(right_before)
    usual = {
        "answered": np.ones(size, bool),
        "labelled": np.ones(size, bool),
        "same": np.array(right_before) == np.array(right_after),
    }
    flags = {"right_before": np.array(right_before, bool), "right_after": np.array(right_after, bool)}
    return PairTable(**(usual | flags | columns))


def test_flips_are_counted_among_labelled_pairs():
    found = table([1, 1, 0, 1], [0, 1, 1, 0], labelled=np.array([True, True, True, False]))
    assert (found.n, found.n_unlabelled, found.right_to_wrong, found.wrong_to_right) == (3, 1, 1, 1)
    assert found.drop().value == 0


def test_the_method_is_that_of_clusters_if_there_are_any():
    sides = [1, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0]
    plain, clustered = table(*sides), table(*sides, clusters=np.array([0, 0, 0, 1, 1, 2]))
    assert (plain.accuracy_before(), plain.p, plain.design_effect) == (wilson(4, 6), mcnemar(2, 1), None)
    assert clustered.accuracy_before() == clustered_mean([2, 1, 1], [3, 2, 1])
    assert clustered.drop() == clustered_mean([1, -1, 1], [3, 2, 1], least=-1, extra=DROP_CLUSTERS)
    assert clustered.p == sign_flip_clusters(np.array([1, -1, 1]))
    assert clustered.design_effect > 0


def test_pairs_of_few_clusters_have_wide_intervals():
    right = [1] * 20 + [0] * 20
    apart = table(right, right, clusters=np.arange(40)).accuracy_before()
    together = table(right, right, clusters=np.repeat([0, 1], 20)).accuracy_before()
    assert apart.value == together.value == 50
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_without_pairs_nothing_is_measured():
    found = table([], [], clusters=np.empty(0, np.int64))
    assert (found.n, found.p, found.drop().value, found.consistency().value) == (0, None, None, None)


def test_some_rows_are_a_table():
    some = table([1, 1, 0], [0, 1, 0], clusters=np.array([0, 0, 1])).where(np.array([True, False, True]))
    assert (some.n, some.right_to_wrong, some.clusters.tolist()) == (2, 1, [0, 1])


@pytest.mark.parametrize(
    ("call", "lengths"),
    [
        (lambda: score([0], [0, 1], [0]), "labels 1, before 2, after 1"),
        (lambda: score([0], [0], [0], changed=[True, False]), "labels 1, before 1, after 1, changed 2"),
        (lambda: score([0], [0], [0], clusters=[1, 1]), "clusters 2, rows 1"),
        (lambda: compare([0], [0], [0], [0], [0, 0]), "before_b 1, after_b 2"),
        (lambda: curve([0], [0], {1.0: [[0], [0, 0]]}), "replicate 0 1, replicate 1 2"),
        (lambda: score_several([0, 1], [[0, 1], [0]], [[0, 1]] * 2), "before 0 2, before 1 1"),
        (lambda: score_several_variants([0], [[[0], [0, 1]]]), "answers 0, 0 1, answers 0, 1 2"),
        (lambda: score_audited([0, 0], [0, 0], [0, 0], [1, 1], [1], readers=1), "changed 2, verdicts 1"),
        (lambda: score_replies([0], [0, 1]), "before 1, after 2"),
        (lambda: score_entities([None], [None], []), "targets 1, before 1, after 0"),
        (lambda: metric_change(len, ["a"], ["a"], ["a", "b"]), "labels 1, before 1, after 2"),
    ],
)
def test_columns_of_different_lengths_are_refused(call, lengths):
    with pytest.raises(
        UsageError, match=f"columns of different lengths: .*{lengths}.*; give one entry per pair"
    ):
        call()


def test_twins_equal_to_their_original_count_for_the_drop_and_not_for_consistency():
    labels, before, after = [0, 0, 0, 0, -1, 0], [0, 0, 1, 0, 0, -1], [0, 1, 1, 0, 0, -1]
    plain = score(labels, before, after)
    found = score(labels, before, after, changed=[True, True, True, False, False, False])
    assert (plain.consistency, plain.unchanged) == (wilson(4, 5), 0)
    assert (found.consistency, found.changed, found.unchanged) == (wilson(2, 3), 1, 2)
    assert found.n + found.n_unlabelled - found.unchanged == 3
    same = {"consistency": plain.consistency, "unchanged": 0}
    assert replace(found, **same) == plain


def test_if_every_twin_changed_nothing_differs():
    columns = made_up(300, 3)
    assert score(*columns, changed=np.ones(300, bool)) == score(*columns)


@pytest.mark.parametrize("clusters", [None, [0, 0, 1]])
def test_if_no_twin_changed_consistency_is_not_measured(clusters):
    found = score([0, 0, 0], [0, 0, 1], [0, 0, 1], changed=[False] * 3, clusters=clusters)
    assert (found.consistency, found.changed, found.unchanged) == (NONE, 0, 3)
    assert (found.n, found.drop.value) == (3, 0)


def test_consistency_of_changed_twins_is_over_their_clusters():
    changed, rows = np.array([True, True, True, True, False]), [0, 0, 1, 2, 2]
    found = score([0] * 5, [0] * 5, [0, 1, 0, 0, 0], changed=changed, clusters=rows)
    assert found.consistency == clustered_mean([1, 1, 1], [2, 1, 1])
    some = PairTable.of([0] * 5, [0] * 5, [0, 1, 0, 0, 0], changed=changed).where(np.arange(5) > 2)
    assert some.consistency() == wilson(1, 1)
