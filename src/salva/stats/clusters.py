"""Means and tests of rows that are not independent: rows of one cluster vary together, clusters do not.

A mean over rows is a ratio, the sums of the clusters over their sizes. Its variance is the jackknife's, which
leaves out one cluster at a time, and its interval uses Student's t with as many degrees of freedom as there
are equally large clusters of the same effect (Kish). Before, clusters of mean size are added at both ends of
the scale, as in Bonett and Price (2012) for a drop and in Agresti and Coull (1998) for a rate, so that an
interval holds if few clusters changed. A percentile bootstrap of clusters is too narrow if there are few:
`tests/stats/test_clusters.py` has the simulation, docs/numbers.md its figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Floats, Ints
from salva.stats.rates import Estimate
from salva.stats.significance import sign_flip

DROP_CLUSTERS, RATE_CLUSTERS = 1, 2  # added at each end of the scale
_MOST_STEPS = 30_000_000  # of the exact distribution of sums: tens of milliseconds


@dataclass(frozen=True, slots=True)
class _Spread:
    """A mean with its variance and degrees of freedom."""

    mean: float
    variance: float
    freedom: float


def clustered_mean(
    sums: ArrayLike, sizes: ArrayLike, *, least: float = 0.0, extra: int = RATE_CLUSTERS, level: float = 0.95
) -> Estimate:
    """Return the mean over rows in percent, given the sum of the rows' values and the size of each cluster.

    Values are between `least` and 1. `extra` clusters are added at both ends for the interval alone.

    >>> clustered_mean([10, 0, 10, 10], [10, 10, 10, 10]).value
    75.0
    """
    from scipy.special import stdtrit

    total, size = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    rows = float(size.sum())
    if not rows:
        return Estimate()
    value = 100 * float(total.sum()) / rows
    if len(size) + extra < 2:
        return Estimate(value)
    spread = _spread(total, size, least, extra)
    reach = float(stdtrit(spread.freedom, (1 + level) / 2)) * math.sqrt(spread.variance)
    low, high = 100 * max(least, spread.mean - reach), 100 * min(1.0, spread.mean + reach)
    return Estimate(value, min(low, value), max(high, value))


def design_effect(sums: ArrayLike, sizes: ArrayLike, squares: float) -> float | None:
    """Return how many times larger clusters make the variance of a mean.

    `squares` is the sum of the squares of all rows' values.

    >>> design_effect([10, 0, 10, 10], [10, 10, 10, 10], 30)
    10.0
    """
    total, size = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    rows = float(size.sum())
    if rows < 2:
        return None
    mean = float(total.sum()) / rows
    apart = squares - rows * mean**2
    together = float(((total - mean * size) ** 2).sum())
    return together / apart if apart > 0 else None


def _spread(total: Floats, size: Floats, least: float, extra: int) -> _Spread:
    usual = size.sum() / len(size)
    total = np.concatenate([total, np.repeat([least * usual, usual], extra)])
    size = np.concatenate([size, np.repeat(usual, 2 * extra)])
    rows, number = size.sum(), len(size)
    mean = total.sum() / rows
    left_out = (total - mean * size) / (rows - size)
    variance = (number - 1) / number * (left_out**2).sum()
    return _Spread(float(mean), float(variance), max(1.0, float(rows**2 / (size**2).sum()) - 1))


def sign_flip_clusters(sums: Ints) -> float:
    """Return the two-sided p-value of the sums of clusters: 0 on average, each as likely with either sign.

    If all sums are -1, 0 or 1, this is McNemar's exact test. It is exact, unless that takes too long: then
    there are so many clusters that their sum is normal.

    >>> sign_flip_clusters(np.array([10, 10, 10, 0]))
    0.25
    """
    changed = np.abs(sums[sums != 0])
    total = abs(int(sums.sum()))
    if not total:
        return 1.0
    step = int(np.gcd.reduce(changed))
    sizes = changed // step
    if sizes.max() <= 2:
        return sign_flip(total // step, ones=int((sizes == 1).sum()), twos=int((sizes == 2).sum()))
    if int((sizes > 1).sum()) * int(sizes.sum()) > _MOST_STEPS:
        spread = math.sqrt(2 * float((sizes.astype(np.float64) ** 2).sum()))
        return math.erfc((total // step - 1) / spread)  # sums are two apart: half of that less
    return _tail(sizes, total // step)


def _tail(sizes: Ints, total: int) -> float:
    """Return the probability that sizes with random signs add up to `total` or farther from 0."""
    from scipy.special import gammaln

    ones, reach = int((sizes == 1).sum()), int(sizes.sum())
    chances: Floats = np.zeros(reach + 1)  # that the positive ones add up to so much
    up = np.arange(ones + 1)
    chances[: ones + 1] = np.exp(
        gammaln(ones + 1) - gammaln(up + 1) - gammaln(ones - up + 1) - ones * math.log(2)
    )
    top = ones
    for size in np.sort(sizes[sizes > 1]).tolist():
        top += size
        chances[size : top + 1] = (chances[size : top + 1] + chances[: top + 1 - size]) / 2
        chances[:size] /= 2
    return min(1.0, 2 * float(chances[(reach + total) // 2 :].sum()))
