"""Pairs whose answer must change: rows without an edit are in no rate, and every row is counted once."""

from __future__ import annotations

import numpy as np
import pytest

from salva.numbers import score_contrast, wilson
from salva.numbers.intervals import clustered_mean

FLAGS = {name: [True] * 6 for name in ("edited", "known", "right_before", "right_after")}


def test_rates_are_over_edited_pairs_with_two_answers():
    edited, known = [True, True, True, True, False, True], [True, True, False, False, True, True]
    right = {"right_before": [True] * 6, "right_after": [True, False, True, True, True, True]}
    found = score_contrast([0, 0, 1, 1, 0, -1], [1, 0, 0, 0, 1, 0], edited=edited, known=known, **right)
    assert (found.n, found.stayed, found.n_unedited, found.n_failed) == (4, 1, 1, 1)
    assert found.sensitivity == wilson(3, 4)
    assert (found.n_targets, found.on_target, found.both_on_target) == (2, wilson(1, 2), wilson(1, 2))


def test_unparsed_replies_are_counted_apart_from_failed_ones():
    before, after = [0, 0, -2, -1, 0, 0], [1, -2, -2, -2, 0, -1]
    found = score_contrast(before, after, **FLAGS | {"edited": [True] * 5 + [False]})
    assert (found.n, found.n_failed, found.n_unparsed, found.n_unedited) == (2, 1, 2, 1)


@pytest.mark.parametrize("clusters", [[3, 3, 3, 8, 8, 9]])
def test_rows_of_a_cluster_are_not_independent(clusters):
    found = score_contrast([0] * 6, [1, 1, 0, 0, 0, 1], **FLAGS, clusters=np.array(clusters))
    assert found.sensitivity == clustered_mean([2, 0, 1], [3, 2, 1])
