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
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Floats, Ints
from salva.stats.rates import Estimate
from salva.stats.significance import heads, sign_flip

DROP_CLUSTERS, RATE_CLUSTERS = 1, 2  # added at each end of the scale
_MANY = 1000  # degrees of freedom, from which the expansion is exact to 14 digits
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
    total, size = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    rows = float(size.sum())
    if not rows:
        return Estimate()
    value = 100 * float(total.sum()) / rows
    if len(size) + extra < 2:
        return Estimate(value)
    spread = _spread(total, size, least, extra)
    reach = student(level, spread.freedom) * math.sqrt(spread.variance)
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


def student(level: float, freedom: float) -> float:
    """Return how far from 0, to both sides, a share `level` of Student's t is; `freedom` is at least 1.

    Accurate to 12 digits. Loading scipy.special for it took longer than the rest of a small evaluation.

    >>> round(student(0.95, 3), 6)
    3.182446
    """
    normal = NormalDist().inv_cdf((1 + level) / 2)
    if freedom > _MANY:
        return _nearly_normal(normal, freedom)
    half = freedom / 2
    peak = math.exp(math.lgamma(half + 0.5) - math.lgamma(half)) / math.sqrt(math.pi * freedom)
    t, step = normal, math.inf
    while step > 1e-14 * t:  # Newton's method: beyond 0 the tail is convex, so no step goes too far
        x = freedom / (freedom + t * t)
        density = peak * x ** (half + 0.5)
        k = np.arange(int(-40 / math.log(x)) + 1)  # the terms that a sum of 16 digits needs
        series = 1 + float(np.cumprod((half + 0.5 + k) / (half + 1 + k) * x).sum())
        both_tails = density * t / half * series
        step = (both_tails - (1 - level)) / (2 * density)
        t += step
    return t


def _nearly_normal(z: float, freedom: float) -> float:
    """Return Student's quantile for the normal one (Abramowitz and Stegun 26.7.5)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


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
    ones, reach = int((sizes == 1).sum()), int(sizes.sum())
    chances: Floats = np.zeros(reach + 1)  # that the positive ones add up to so much
    chances[: ones + 1] = heads(ones)
    top = ones
    for size in np.sort(sizes[sizes > 1]).tolist():
        top += size
        chances[size : top + 1] = (chances[size : top + 1] + chances[: top + 1 - size]) / 2
        chances[:size] /= 2
    return min(1.0, 2 * float(chances[(reach + total) // 2 :].sum()))
