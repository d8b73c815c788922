"""Clusters of rows: intervals hold and tests keep their size if rows repeat; other formulas fail."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from salva.numbers import Estimate, clustered_mean, compare, score
from salva.numbers.intervals import design_effect, student


@given(st.floats(0.5, 0.9999), st.floats(1, 2000) | st.floats(1, 1e15))
def test_the_quantiles_of_student_are_those_of_scipy(level, freedom):
    assert student(level, freedom) == pytest.approx(-stdtrit(freedom, (1 - level) / 2), rel=1e-12)


class World(NamedTuple):
    """Clusters, their mean size, whether sizes vary, the share whose rows are alike, and the changes."""

    clusters: int
    size: int
    varied: bool
    alike: float
    worse: float
    better: float

    def draw(self, generator: np.random.Generator, shares: tuple[float, float]) -> tuple[np.ndarray, ...]:
        """Return the cluster, the answer before and the answer after of every row; 1 is right."""
        sizes = np.full(self.clusters, self.size)
        if self.varied:
            sizes = generator.geometric(1 / self.size, self.clusters)
        rows = np.repeat(np.arange(self.clusters), sizes)
        alike = (generator.random(self.clusters) < self.alike)[rows]
        luck = np.where(alike, generator.random(self.clusters)[rows], generator.random(len(rows)))
        worse, better = luck < shares[0], luck > 1 - shares[1]
        before = np.where(worse, 1, np.where(better, 0, luck < 0.5 + shares[0] / 2)).astype(int)
        after = np.where(worse, 0, np.where(better, 1, before)).astype(int)
        return rows, before, after


# The design effect of all is about 10; with varied sizes it is twice the mean size.
WORLDS = [
    World(200, 10, False, 1.0, 0.10, 0.02),
    World(200, 10, False, 1.0, 0.02, 0.0),
    World(200, 5, True, 1.0, 0.10, 0.04),
    World(50, 19, False, 0.5, 0.15, 0.05),
    World(30, 10, False, 1.0, 0.20, 0.10),
]


class Held(NamedTuple):
    """How often, in percent, intervals contain the true drop and accuracy, and tests reject no drop."""

    drop: float
    accuracy: float
    size: float


def simulate(world: World, times: int, *, clustered: bool = True) -> Held:
    generator = np.random.Generator(np.random.Philox(17))
    held = np.zeros(3)
    truth = 100 * (world.worse - world.better)
    accuracy = 100 * (world.worse + 0.5 - world.worse / 2)
    changed = (world.worse + world.better) / 2
    for _ in range(times):
        rows, before, after = world.draw(generator, (world.worse, world.better))
        options = {"clusters": rows if clustered else None, "resamples": 200}
        found = score(np.ones(len(rows), int), before, after, **options)
        held[0] += found.drop.low <= truth <= found.drop.high
        held[1] += found.accuracy_before.low <= accuracy <= found.accuracy_before.high
        rows, before, after = world.draw(generator, (changed, changed))
        options["clusters"] = rows if clustered else None
        held[2] += score(np.ones(len(rows), int), before, after, **options).p < 0.05
    return Held(*(100 * held / times))


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS[:3])
def test_intervals_hold_and_tests_keep_their_size(world):
    """Of 400 simulated runs, 95 % is sure to 1.1 points; the limits leave twice that."""
    held = simulate(world, 400)
    assert held.drop >= 92.5
    assert held.accuracy >= 92.5
    assert held.size <= 7


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_as_often_as_the_documentation_says(world):
    held = simulate(world, 4000)
    assert held.drop >= 93
    assert held.accuracy >= 93
    assert held.size <= 6


def test_formulas_for_independent_rows_fail():
    held = simulate(WORLDS[0], 100, clustered=False)
    assert held.drop < 60
    assert held.accuracy < 60
    assert held.size > 30


def test_repeating_every_row_changes_almost_nothing():
    generator = np.random.Generator(np.random.Philox(3))
    labels = generator.integers(0, 2, 2500)
    before, after = (np.where(generator.random(2500) < share, labels, 1 - labels) for share in (0.9, 0.8))
    once = score(labels, before, after)
    many = [np.repeat(column, 10) for column in (labels, before, after)]
    tenfold = score(*many, clusters=np.repeat(np.arange(2500), 10))
    assert tenfold.p == pytest.approx(once.p)
    assert tenfold.design_effect == pytest.approx(10)
    for name in ("drop", "accuracy_before", "accuracy_after", "consistency", "both_right"):
        mine, theirs = getattr(tenfold, name), getattr(once, name)
        assert mine.value == pytest.approx(theirs.value)
        assert (mine.low, mine.high) == (
            pytest.approx(theirs.low, abs=0.05),
            pytest.approx(theirs.high, abs=0.05),
        )
    naive = score(*many).drop
    assert naive.high - naive.low < (once.drop.high - once.drop.low) / 3


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=9))
def test_the_value_is_the_mean_and_lies_in_its_interval(clusters):
    hits = [min(pair) for pair in clusters]
    sizes = [size for _, size in clusters]
    found = clustered_mean(hits, sizes)
    if not clusters:
        assert found == Estimate()
        return
    assert found.value == pytest.approx(100 * sum(hits) / sum(sizes))
    assert 0 <= found.low <= found.value <= found.high <= 100


def test_one_cluster_says_nothing():
    found = clustered_mean([100], [100])
    assert (found.value, found.high) == (100, 100)
    assert found.low < 50


def test_rows_that_never_change_have_no_design_effect():
    assert design_effect([0, 0], [3, 4], 0) is None
    assert design_effect([1], [1], 1) is None


def test_clusters_of_one_row_give_the_same_bytes():
    labels, before, after = [0, 1, 1, 0, 1], [0, 1, 1, 1, 0], [0, 0, 1, -1, 1]
    alone = [7, 3, 99, 12, 0]
    assert score(labels, before, after, clusters=alone) == score(labels, before, after)
    assert compare(labels, before, after, before, labels, clusters=alone) == compare(
        labels, before, after, before, labels
    )
