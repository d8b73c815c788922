"""Several models asked in the same ways: differences of single items."""

from __future__ import annotations

import numpy as np
import pytest

from salva.pairs import score_several_variants, score_variants

LABELS = [0, 0, 0, 0]
A = [[0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 1, 3]]
B = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]


def test_numbers_are_those_of_each_model_and_differences_are_paired():
    found = score_several_variants(LABELS, [A, B])
    assert found.scores == (score_variants(LABELS, A), score_variants(LABELS, B))
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
