"""A 95 % interval holds the true drop in about 95 % of all samples, or more when few pairs change.

Nothing is drawn here: every outcome that has a chance gets its interval, and is weighed by that chance.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import multinomial

from salva.pairs.drops import mean_drop
from salva.stats import Estimate, bootstrap_counts

VALUES = np.array([1.0, 0.0, -1.0])
FOR_THE_WORSE = [0.5, 0.8, 1.0]


def chances_of(n: int, worse: float, better: float) -> list[tuple[int, int, float]]:
    """Return how many of n pairs get worse and how many better, with the chance of that."""
    most = [int(n * share + 7 * (n * share) ** 0.5 + 12) if share else 0 for share in (worse, better)]
    w, b = (side.ravel() for side in np.meshgrid(*(np.arange(min(n, limit) + 1) for limit in most)))
    w, b = w[w + b <= n], b[w + b <= n]
    chance = multinomial.pmf(np.stack([w, n - w - b, b], axis=1), n, [worse, 1 - worse - better, better])
    return [(int(i), int(j), float(c)) for i, j, c in zip(w, b, chance, strict=True) if c > 1e-6]


@cache
def shipped(n: int, worse: int, better: int) -> Estimate:
    return mean_drop(VALUES, [worse, n - worse - better, better], seed=0, resamples=2000)


def plain(n: int, worse: int, better: int) -> Estimate:
    counts = [worse, n - worse - better, better]
    return bootstrap_counts(counts, lambda drawn: 100 * (drawn * VALUES).sum(axis=1) / n, resamples=500)


def coverage(n: int, rate: float, share: float, interval=shipped) -> float:
    worse, better = rate * share, rate * (1 - share)
    held = total = 0.0
    for w, b, chance in chances_of(n, worse, better):
        found = interval(n, w, b)
        held += chance * (found.low - 1e-9 <= 100 * (worse - better) <= found.high + 1e-9)
        total += chance
    return 100 * held / total


@pytest.mark.parametrize("share", FOR_THE_WORSE)
@pytest.mark.parametrize(
    ("n", "rate"), [(30, 0.005), (30, 0.02), (30, 0.1), (100, 0.005), (100, 0.02), (500, 0.005)]
)
def test_intervals_hold_when_few_pairs_change(n, rate, share):
    assert coverage(n, rate, share) >= 95


@pytest.mark.slow
@pytest.mark.parametrize("share", FOR_THE_WORSE)
@pytest.mark.parametrize(
    ("n", "rate"), [(100, 0.1), (500, 0.02), (500, 0.1), (2000, 0.005), (2000, 0.02), (2000, 0.1)]
)
def test_intervals_hold_and_are_not_too_wide_when_more_pairs_change(n, rate, share):
    """With 10,000 resamples it is 95 at least; 2,000 take half a point."""
    assert 94.5 <= coverage(n, rate, share) <= 98.5


@pytest.mark.parametrize(("n", "least"), [(10, 90), (30, 92), (100, 92)])
def test_at_their_worst_intervals_hold_nearly_as_often(n, least):
    """A handful of pairs change, and all get worse."""
    assert min(coverage(n, changed / n, 1.0) for changed in np.geomspace(0.2, 9, 60)) >= least


def test_a_plain_bootstrap_would_be_sure_of_what_it_cannot_know():
    assert coverage(30, 0.005, 1.0, plain) < 15
    assert coverage(100, 0.02, 0.8, plain) < 81


@pytest.mark.parametrize("n", [1, 2, 30, 1000])
def test_no_change_seen_is_not_no_change(n):
    found = shipped(n, 0, 0)
    assert found.low < found.value == 0 < found.high
    assert found.high == pytest.approx(-found.low, abs=100 / n)
