"""Unparsed replies are counted apart; scores between 0 and 1 have a mean and a paired interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from salva.pairs import score, score_judged, score_replies


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
