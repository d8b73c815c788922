"""The mean of valid rows: equal to the direct count, and with intervals that hold as often as they say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.stats import Estimate, audited_mean, bootstrap_counts

# Right twice, right then wrong, wrong then right, wrong twice: what a pair adds to the drop, in points.
DROP = np.array([0.0, 100.0, -100.0, 0.0])
AFTER = np.array([100.0, 0.0, 100.0, 0.0])
FLIPS = np.array([0.0, 1.0, 1.0, 0.0])
COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9)), min_size=4, max_size=4)


class World(NamedTuple):
    """How many pairs there are, how many are read, the shares of the kinds, and how many are invalid."""

    pairs: int
    read: int
    shares: tuple[float, ...]
    invalid: tuple[float, ...]

    def truth(self, values: np.ndarray) -> float:
        valid = np.array(self.shares) * (1 - np.array(self.invalid))
        return float((valid * values).sum() / valid.sum())


WORLDS = [
    World(500, 200, (0.86, 0.04, 0.02, 0.08), (0.05, 0.4, 0.1, 0.05)),
    World(2000, 200, (0.86, 0.06, 0.02, 0.06), (0.02, 0.02, 0.02, 0.02)),
    World(2000, 100, (0.80, 0.10, 0.02, 0.08), (0.10, 0.5, 0.2, 0.10)),
    World(10_000, 500, (0.70, 0.20, 0.02, 0.08), (0.3, 0.8, 0.3, 0.3)),
    World(300, 300, (0.80, 0.10, 0.04, 0.06), (0.1, 0.5, 0.2, 0.1)),
    World(2000, 50, (0.86, 0.06, 0.02, 0.06), (0.05, 0.3, 0.1, 0.05)),
    World(25_000, 200, (0.86, 0.06, 0.02, 0.06), (0.03, 0.3, 0.1, 0.03)),
    World(10_000, 100, (0.70, 0.20, 0.02, 0.08), (0.3, 0.8, 0.3, 0.3)),
]
ALL_VALID = World(2000, 100, (0.86, 0.06, 0.02, 0.06), (0.0, 0.0, 0.0, 0.0))


def coverage(world: World, values: np.ndarray, times: int = 4000) -> float:
    """Return how often the interval contains the true mean, in percent, over simulated audits."""
    generator = np.random.Generator(np.random.Philox(16))
    truth, held = world.truth(values), 0
    for seed in range(times):
        pairs = generator.multinomial(world.pairs, world.shares)
        read = generator.multivariate_hypergeometric(pairs, world.read)
        bad = generator.binomial(read, world.invalid)
        found = audited_mean(
            values, 0 * pairs, pairs, read, bad, pseudo_counts=FLIPS, resamples=1000, seed=seed
        )
        held += found.low <= truth <= found.high
    return 100 * held / times


@pytest.mark.slow
@pytest.mark.parametrize("values", [DROP, AFTER], ids=["drop", "after"])
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_as_often_as_the_documentation_says(world, values):
    assert 93.5 <= coverage(world, values) <= 97.5


@pytest.mark.slow
def test_if_nothing_is_invalid_intervals_hold_nearly_as_often():
    assert coverage(ALL_VALID, DROP) > 95
    assert coverage(ALL_VALID, AFTER) > 91.5


def test_a_plain_mean_of_all_rows_misses_the_truth():
    world = WORLDS[3]
    plain = bootstrap_counts(
        np.array(world.shares) * world.pairs, lambda drawn: (drawn * DROP).sum(1) / drawn.sum(1)
    )
    assert plain.low > world.truth(DROP) + 10


@given(COUNTS)
def test_if_every_row_is_audited_it_is_the_mean_of_the_valid_ones(counts):
    sure, doubtful, bad = np.array(counts).T
    bad = np.minimum(bad, doubtful)
    valid = sure + doubtful - bad
    found = audited_mean(DROP, sure, doubtful, doubtful, bad, resamples=100)
    if valid.sum():
        assert found.value == pytest.approx((valid * DROP).sum() / valid.sum())
        assert found.low is None or found.low <= found.value <= found.high
    else:
        assert found.value is None


@given(COUNTS)
def test_if_no_row_is_invalid_it_is_the_mean_of_all(counts):
    sure, doubtful, read = np.array(counts).T
    read = np.maximum(np.minimum(read, doubtful), [1, 0, 0, 0])
    found = audited_mean(DROP, sure, doubtful, read, 0 * read, resamples=100)
    total = sure + doubtful
    assert found.value == pytest.approx((total * DROP).sum() / total.sum())


def test_if_no_row_is_invalid_the_interval_is_wider_than_without_an_audit():
    pairs, read = np.array([860, 60, 20, 60]), np.array([172, 12, 4, 12])
    plain = bootstrap_counts(pairs, lambda drawn: (drawn * DROP).sum(1) / 1000, pseudo_counts=FLIPS)
    found = audited_mean(DROP, 0 * pairs, pairs, read, 0 * read, pseudo_counts=FLIPS)
    assert found.low < plain.low < plain.value == found.value < plain.high
    assert found.high - found.low < 1.5 * (plain.high - plain.low)


def test_more_reading_narrows_the_interval():
    pairs = np.array([8600, 600, 200, 600])
    widths = []
    for share in (100, 20, 4):
        read = pairs // share
        found = audited_mean(DROP, 0 * pairs, pairs, read, read // 5, pseudo_counts=FLIPS)
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)


def test_a_kind_that_nobody_audited_has_the_rate_of_all():
    assert audited_mean([0, 100], [0, 0], [50, 50], [10, 0], [5, 0]).value == 50


@pytest.mark.parametrize("counts", [([0, 0], [5, 5], [0, 0], [0, 0]), ([0], [3], [3], [3])])
def test_without_an_audit_or_a_valid_row_there_is_no_mean(counts):
    assert audited_mean([100] * len(counts[0]), *counts) == Estimate()


@pytest.mark.parametrize(("read", "bad"), [([3], [4]), ([6], [0])])
def test_impossible_counts_are_refused(read, bad):
    with pytest.raises(UsageError, match="audited rows doubtful ones"):
        audited_mean([100], [0], [5], read, bad)
