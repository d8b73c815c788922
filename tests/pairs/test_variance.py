"""Shares of the variance: equal to the textbook's two-way analysis, and to components that are known."""

from __future__ import annotations

import numpy as np
import pytest

from salva.pairs import share_variance


def simulate(n: int, ways: int, item: float, prompt: float, order: float, noise: float) -> np.ndarray:
    """Return scores; the numbers are standard deviations of items, their prompts, orders and noise."""
    chance = np.random.Generator(np.random.Philox(11))
    items = chance.normal(0, item, n)
    prompts, orders = chance.normal(0, prompt, (ways, n)), chance.normal(0, order, (ways, n))

    def ask(a: int, b: int) -> np.ndarray:
        return items + prompts[a] + orders[b] + chance.normal(0, noise, n)

    later = range(1, ways)
    columns = [ask(0, 0), *(ask(a, 0) for a in later), *(ask(0, b) for b in later), ask(0, 0), ask(0, 0)]
    return np.stack(columns, axis=1)


def test_one_axis_is_the_two_way_analysis_of_variance():
    chance = np.random.Generator(np.random.Philox(3))
    right = (chance.random((60, 4)) < chance.random((60, 1))).astype(float)
    right[:, 3] *= chance.random(60) < 0.5
    items, axis = share_variance(right, {"prompts": [0, 1, 2, 3]}, resamples=200)
    # By covariances: between ways that of items, the rest of the variance by item, means of ways on average.
    table = np.cov(right.T)
    between = table[~np.eye(4, dtype=bool)].mean()
    by_item = np.diag(table).mean() - between
    on_average = right.mean(axis=0).var(ddof=1) - by_item / 60
    total = between + by_item + on_average
    assert on_average > 0
    assert items.share.value == pytest.approx(100 * between / total)
    assert (axis.by_item, axis.on_average) == pytest.approx((100 * by_item / total, 100 * on_average / total))
    assert axis.share.value == pytest.approx(axis.by_item + axis.on_average)
    assert axis.share.low < axis.share.value < axis.share.high


def test_several_axes_give_back_the_components_they_were_made_from():
    right = simulate(4000, 5, item=1.0, prompt=0.5, order=0.3, noise=0.4)
    axes = {"prompts": [0, 1, 2, 3, 4], "order": [0, 5, 6, 7, 8], "repeat": [0, 9, 10]}
    shares = {one.source: one.share for one in share_variance(right, axes, resamples=200)}
    known = {"item": 1.0, "prompts": 0.25, "order": 0.09, "repeat": 0.16}
    assert list(shares) == list(known)
    for source, variance in known.items():
        assert shares[source].value == pytest.approx(100 * variance / sum(known.values()), abs=1.5)
        assert shares[source].low < shares[source].value < shares[source].high
    assert sum(share.value for share in shares.values()) == pytest.approx(100)


def test_a_model_that_never_varies_leaves_all_to_the_items():
    right = np.array([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    items, order = share_variance(right, {"order": [0, 1, 2]}, resamples=100)
    assert (items.share.value, order.share.value) == pytest.approx((100, 0))


def test_copies_of_items_widen_the_intervals_and_change_no_share():
    chance = np.random.Generator(np.random.Philox(5))
    right = (chance.random((40, 3)) < 0.6).astype(float)
    copies = np.repeat(right, 5, axis=0)
    plain = share_variance(copies, {"order": [0, 1, 2]})[1].share
    clustered = share_variance(copies, {"order": [0, 1, 2]}, clusters=np.repeat(range(40), 5))[1].share
    assert clustered.value == plain.value
    assert clustered.high - clustered.low > 1.5 * (plain.high - plain.low)


@pytest.mark.parametrize("right", [np.ones((5, 2)), np.ones((1, 2)), np.zeros((0, 2))])
def test_without_variance_there_is_no_share(right):
    assert all(one.share.value is None for one in share_variance(right, {"order": [0, 1]}, resamples=100))
