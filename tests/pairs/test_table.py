"""The table of pairs: counts, and intervals with and without clusters."""

from __future__ import annotations

import numpy as np

from salva.pairs.table import PairTable


def table(right_before, right_after, **columns) -> PairTable:
    size = len(right_before)
    usual = {
        "answered": np.ones(size, bool),
        "labelled": np.ones(size, bool),
        "same": np.array(right_before) == np.array(right_after),
        "counts": np.ones(size, np.int64),
    }
    flags = {"right_before": np.array(right_before, bool), "right_after": np.array(right_after, bool)}
    return PairTable(**(usual | flags | columns))


def test_flips_are_counted_among_labelled_pairs():
    found = table([1, 1, 0, 1], [0, 1, 1, 0], labelled=np.array([True, True, True, False]))
    assert (found.n, found.n_unlabelled, found.right_to_wrong, found.wrong_to_right) == (3, 1, 1, 1)
    assert found.drop().value == 0


def test_a_row_stands_for_as_many_pairs_as_it_counts():
    few = table([1, 0], [0, 0], counts=np.array([3, 1]))
    many = table([1, 1, 1, 0], [0, 0, 0, 0])
    assert (few.drop(), few.accuracy_before(), few.p) == (many.drop(), many.accuracy_before(), many.p)


def test_clusters_of_one_pair_have_the_drop_of_independent_pairs():
    sides = [1, 1, 0, 1, 0], [0, 1, 0, 1, 1]
    assert table(*sides, clusters=np.arange(5)).drop() == table(*sides).drop()


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
