"""Values with intervals, and exact tests: rates, drops, means over clusters, the percentile bootstrap.

A bootstrap creates its own counter-based generator, so equal arguments give equal bytes. The tests of pairs
ask how likely sums are if every sign is random; nothing is sampled. Holm's correction (1979) bounds the
probability of even one false alarm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from salva._types import Floats, Ints, Ints64
from salva.errors import UsageError

_MOST_NUMBERS = 1 << 21  # drawn at a time: 16 MB
_MOST_UNDEFINED = 0.05  # share of the resamples; with more, the interval would hide them

# If no pair changed, every resample is the same and a plain bootstrap is certain of a drop of 0. The table
# shows how often 95 % intervals of 10,000 resamples contain the true drop, in percent, weighted by the
# probability of each outcome: 30, 100, 500 or 2000 pairs, of which 0.5, 2 or 10 % change, for the worse in
# 50, 80 or 100 % of the cases:
#
#                               least   mean   width in points (500 pairs, 2 % change, 4 worse to 1 better)
#     percentile                 11.3   84.0   2.43
#     BCa                        11.3   83.0   2.47
#     half a row added each way  91.7   97.4   2.56
#     one row added each way     95.2   98.2   2.68
#
# In a search over 200 shares for each number of pairs, the worst case (few change, all for the worse) is 90.6
# with 10 pairs, 92.2 with 30 and 92.8 with 100 and 400; with half a row it is 87.5.
_EXTRA_ROWS = 1.0

DROP_CLUSTERS, RATE_CLUSTERS = 1, 2  # added at each end of the scale
_MANY = 1000  # degrees of freedom, from which the expansion is exact to 14 digits


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the ends of its interval; all None if there was nothing to measure."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


def wilson(successes: float, n: int, *, level: float = 0.95) -> Estimate:
    """Return a rate in percent with its score interval (Wilson 1927); all None without trials.

    `successes` may be a sum of shares, whose mean varies less than a rate: the interval is then wide enough.

    >>> rate = wilson(9, 10)
    >>> rate.value, round(rate.low, 2), round(rate.high, 2)
    (90.0, 59.58, 98.21)
    """
    if not 0 <= successes <= n:
        raise UsageError(f"successes={successes!r} must be between 0 and n={n!r}")
    return Estimate(100 * successes / n, *_score_ends(successes, n, level)) if n else Estimate()


def newcombe(successes_a: int, n_a: int, successes_b: int, n_b: int, *, level: float = 0.95) -> Estimate:
    """Return rate a minus rate b in points, for two samples that are not paired (Newcombe 1998).

    Answers to the same rows are paired and mostly agree: for them, the interval is too wide.

    >>> newcombe(23063, 25000, 21644, 25000).value
    5.676
    """
    a, b = wilson(successes_a, n_a, level=level), wilson(successes_b, n_b, level=level)
    if a.value is None or b.value is None:
        return Estimate()
    low_a, high_a = _score_ends(successes_a, n_a, level)
    low_b, high_b = _score_ends(successes_b, n_b, level)
    # Whole numbers for as long as possible, so that a published 5.676 comes out as 5.676.
    value = 100 * (successes_a * n_b - successes_b * n_a) / (n_a * n_b)
    below = math.hypot(a.value - low_a, high_b - b.value)
    above = math.hypot(high_a - a.value, b.value - low_b)
    return Estimate(value, value - below, value + above)


def _score_ends(successes: float, n: int, level: float) -> tuple[float, float]:
    rate, z = successes / n, NormalDist().inv_cdf((1 + level) / 2)
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Rounding must not exclude a rate of 0 if nothing succeeded, or a rate of 100 if everything did.
    return 100 * (middle - reach) if successes else 0.0, 100 * (middle + reach) if successes < n else 100.0


def bootstrap_counts(
    counts: ArrayLike,
    statistic: Callable[[Floats], Floats],
    *,
    pseudo_counts: ArrayLike = 0.0,
    resamples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """Return a statistic of the number of rows of each kind, with its interval.

    Rows of a kind are alike, so drawing the number of rows of each kind (a multinomial draw) is the bootstrap
    of rows, at a cost that does not grow with their number. `statistic` takes counts, one resample per line,
    and returns one number per line. `pseudo_counts` are added to the counts to draw from, never to the value.

    >>> bootstrap_counts([30, 70], lambda counts: counts[:, 0] / counts.sum(axis=1))
    Estimate(value=0.3, low=0.21, high=0.39)
    """
    seen = np.asarray(counts, dtype=np.float64)
    n = int(seen.sum())
    if n == 0:
        return Estimate()
    weights = seen + np.asarray(pseudo_counts, dtype=np.float64)
    generator = np.random.Generator(np.random.Philox(seed))
    lines = max(1, _MOST_NUMBERS // len(seen))
    parts = (min(lines, resamples - start) for start in range(0, resamples, lines))
    draws = (generator.multinomial(n, weights / weights.sum(), size=size) for size in parts)
    drawn = np.concatenate([np.asarray(statistic(draw.astype(np.float64))) for draw in draws])
    return between(float(statistic(seen[np.newaxis])[0]), drawn, level)


def bootstrap_rows(
    n: int,
    statistic: Callable[[Ints], float],
    *,
    clusters: Ints | None = None,
    resamples: int = 1_000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """Return a statistic of rows, given by their numbers, with its interval; called once per resample.

    Rows with the same number in `clusters` are drawn together.

    >>> data = np.arange(101.0)
    >>> bootstrap_rows(len(data), lambda rows: data[rows].mean()).value
    50.0
    """
    if n == 0:
        return Estimate()
    numbers = np.arange(n) if clusters is None else clusters
    rows = np.argsort(numbers, kind="stable")
    _, starts, sizes = np.unique(numbers[rows], return_index=True, return_counts=True)

    def draw() -> Iterator[float]:
        generator = np.random.Generator(np.random.Philox(seed))
        for _ in range(resamples):
            chosen = generator.integers(0, len(sizes), size=len(sizes))
            ends = np.cumsum(sizes[chosen])
            shifts = np.repeat(starts[chosen] - (ends - sizes[chosen]), sizes[chosen])
            yield float(statistic(rows[np.arange(ends[-1]) + shifts]))

    return between(float(statistic(np.arange(n))), np.fromiter(draw(), np.float64, resamples), level)


def between(value: float, drawn: Floats, level: float = 0.95) -> Estimate:
    """Return the value with the central interval of the draws; undefined draws are left out if few."""
    defined = drawn[np.isfinite(drawn)]
    if not math.isfinite(value):
        return Estimate()
    if len(defined) < (1 - _MOST_UNDEFINED) * len(drawn):
        return Estimate(value)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, min(float(low), value), max(float(high), value))


def mean_drop(drops: ArrayLike, counts: ArrayLike, *, seed: int, resamples: int) -> Estimate:
    """Return the mean drop in points, given the distinct drops of rows, and how many rows have each.

    Resamples are drawn from the rows plus two more, which drop by -1 and by 1, as in Bonett and Price (2012).
    """
    values, places = np.unique(np.append([-1.0, 1.0], drops), return_inverse=True)
    times = np.bincount(places, np.append([0, 0], counts))
    extra = np.where(np.abs(values) == 1, _EXTRA_ROWS, 0.0)
    some = times + extra > 0
    return bootstrap_counts(
        times[some],
        lambda drawn: 100 * (drawn * values[some]).sum(axis=1) / drawn.sum(axis=1),
        pseudo_counts=extra[some],
        resamples=resamples,
        seed=seed,
    )


class ClusterSums(NamedTuple):
    """For each cluster that has rows, the sum of their values, and their number."""

    sums: NDArray[Any]
    sizes: Ints


def sum_clusters(clusters: Ints64, values: ArrayLike) -> ClusterSums:
    """Return the sums of values by cluster; of whole numbers, as whole numbers."""
    weights = np.asarray(values)
    sizes = np.bincount(clusters)
    some = sizes > 0
    sums = np.bincount(clusters, weights)[some]
    return ClusterSums(sums if weights.dtype.kind == "f" else sums.astype(np.int64), sizes[some])


def clustered_mean(
    sums: ArrayLike, sizes: ArrayLike, *, least: float = 0.0, extra: int = RATE_CLUSTERS, level: float = 0.95
) -> Estimate:
    """Return the mean over rows in percent, given the sum of the rows' values and the size of each cluster.

    Rows of one cluster vary together, clusters do not. Values are between `least` and 1. The mean is a ratio.
    Its variance is the jackknife's, which leaves out one cluster at a time, and its interval uses Student's t
    with as many degrees of freedom as there are equally large clusters of the same effect (Kish). For the
    interval alone, `extra` clusters of mean size are added at both ends of the scale, as in Bonett and Price
    (2012) for a drop and in Agresti and Coull (1998) for a rate, so that it holds if few clusters changed. A
    percentile bootstrap of clusters is too narrow if there are few: `tests/numbers/test_clusters.py` has the
    simulation, docs/numbers.md its figures.

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
    usual = size.sum() / len(size)
    total = np.concatenate([total, np.repeat([least * usual, usual], extra)])
    size = np.concatenate([size, np.repeat(usual, 2 * extra)])
    rows, number = size.sum(), len(size)
    mean = total.sum() / rows
    left_out = (total - mean * size) / (rows - size)
    variance = float((number - 1) / number * (left_out**2).sum())
    freedom = max(1.0, float(rows**2 / (size**2).sum()) - 1)
    reach = student(level, freedom) * math.sqrt(variance)
    low, high = 100 * max(least, float(mean) - reach), 100 * min(1.0, float(mean) + reach)
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


def student(level: float, freedom: float) -> float:
    """Return how far from 0, to both sides, a share `level` of Student's t is; `freedom` is at least 1.

    Accurate to 12 digits. Loading scipy.special for it took longer than the rest of a small evaluation.

    >>> round(student(0.95, 3), 6)
    3.182446
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    if freedom > _MANY:  # Abramowitz and Stegun 26.7.5
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(term / freedom**power for power, term in enumerate(terms, 1))
    half = freedom / 2
    peak = math.exp(math.lgamma(half + 0.5) - math.lgamma(half)) / math.sqrt(math.pi * freedom)
    t, step = z, math.inf
    while step > 1e-14 * t:  # Newton's method: beyond 0 the tail is convex, so no step goes too far
        x = freedom / (freedom + t * t)
        density = peak * x ** (half + 0.5)
        k = np.arange(int(-40 / math.log(x)) + 1)  # the terms that a sum of 16 digits needs
        series = 1 + float(np.cumprod((half + 0.5 + k) / (half + 1 + k) * x).sum())
        both_tails = density * t / half * series
        step = (both_tails - (1 - level)) / (2 * density)
        t += step
    return t


_MOST_STEPS = 30_000_000  # of the exact distribution of sums: tens of milliseconds


class Tested(Protocol):
    """A dataclass with a p-value and room for the corrected one."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def p(self) -> float | None:
        """The p-value of this test alone."""
        ...


T = TypeVar("T", bound=Tested)


def mcnemar(worse: int, better: int) -> float:
    """Return the two-sided p-value for changed pairs being equally likely to change either way.

    >>> round(mcnemar(8, 2), 6)
    0.109375
    """
    return sign_flip(worse - better, ones=worse + better)


def fewest_worse(tests: int = 1, level: float = 0.05) -> int:
    """Return how many pairs must get worse, if none gets better, for one of several tests to be significant.

    The p-value is that of `mcnemar`, multiplied by the number of tests, as Holm does with the smallest one.

    >>> fewest_worse(), fewest_worse(tests=6)
    (6, 8)
    """
    return next(worse for worse in count(1) if tests * mcnemar(worse, 0) < level)


def sign_flip(total: int, *, ones: int, twos: int = 0) -> float:
    """Return the probability that ones and twos with random signs add up to `total` or farther from 0.

    This is the sign-flip permutation test of a mean of 0 for differences from -2 to 2, over all flips. It is
    exact if a difference and its opposite are equally likely; with ones only, it is McNemar's test.

    >>> round(sign_flip(4, ones=2, twos=1), 6)
    0.25
    """
    far = abs(total)
    if far == 0:
        return 1.0
    up = np.arange(twos + 1)  # number of positive twos, which gives the least number of positive ones
    needed = np.clip((far + ones) // 2 + twos - 2 * up, 0, ones + 1)
    at_least = np.append(np.cumsum(heads(ones)[::-1])[::-1], 0.0)
    return min(1.0, 2 * float(np.sum(heads(twos) * at_least[needed])))


def sign_flip_sums(differences: Sequence[int]) -> float:
    """Return the two-sided probability that whole numbers with random signs add up as far from 0 as these do.

    >>> sign_flip_sums([1, 1, 1])
    0.25
    """
    sizes, total = _reduce(np.array(differences, np.int64))
    return _tail(sizes, total, ones=0) if total else 1.0


def sign_flip_clusters(sums: Ints) -> float:
    """Return the two-sided p-value of the sums of clusters: 0 on average, each as likely with either sign.

    If all sums are -1, 0 or 1, this is McNemar's exact test. It is exact, unless that takes too long: then
    there are so many clusters that their sum is normal.

    >>> sign_flip_clusters(np.array([10, 10, 10, 0]))
    0.25
    """
    sizes, total = _reduce(sums)
    if not total:
        return 1.0
    ones, larger = int((sizes == 1).sum()), sizes[sizes > 1]
    if sizes.max() <= 2:
        return sign_flip(total, ones=ones, twos=len(larger))
    if len(larger) * int(sizes.sum()) > _MOST_STEPS:
        spread = math.sqrt(2 * float((sizes.astype(np.float64) ** 2).sum()))
        return math.erfc((total - 1) / spread)  # sums are two apart: half of that less
    return _tail(larger, total, ones=ones)


def _reduce(differences: Ints) -> tuple[Ints, int]:
    """Return the sorted sizes of the differences that are not 0, and that of their sum, in common units."""
    sizes = np.abs(differences[differences != 0])
    step = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    return np.sort(sizes // step), abs(int(differences.sum())) // step


def _tail(sizes: Ints, total: int, *, ones: int) -> float:
    """Return the probability that ones and sizes with random signs add up to `total` or farther from 0."""
    reach = ones + int(sizes.sum())
    chances: Floats = np.zeros(reach + 1)  # that the positive ones add up to so much
    chances[: ones + 1] = heads(ones)
    top = ones
    for size in sizes.tolist():
        top += size
        chances[size : top + 1] = (chances[size : top + 1] + chances[: top + 1 - size]) / 2
        chances[:size] /= 2
    return min(1.0, 2 * float(chances[(reach + total) // 2 :].sum()))


def heads(coins: int) -> Floats:
    """Return the probability of each number of heads, from 0 to `coins`.

    Each is a multiple of the one nearer to the middle, so that even the smallest are exact to 14 digits.

    >>> heads(3).tolist()
    [0.125, 0.375, 0.375, 0.125]
    """
    number = np.arange((coins + 1) // 2, coins)
    upper = np.cumprod(np.concatenate([[1.0], (coins - number) / (number + 1)]))
    lower = upper[::-1] if coins % 2 else upper[:0:-1]
    chances: Floats = np.concatenate([lower, upper])
    chances /= chances.sum()
    return chances


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return every p-value corrected for all of them; None means no test, stays None and does not count.

    >>> holm([0.01, None, 0.03])
    [0.02, None, 0.03]
    """
    tests = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    times = (min(1.0, p * (len(tests) - rank)) for rank, (p, _) in enumerate(tests))
    corrected = dict(zip((place for _, place in tests), accumulate(times, max), strict=True))
    return [corrected.get(place) for place in range(len(p_values))]


def with_holm(results: Sequence[T]) -> list[T]:
    """Return results with `p_holm` set: their p-values, corrected for all of them."""
    corrected = holm([result.p for result in results])
    return [replace(result, p_holm=p) for result, p in zip(results, corrected, strict=True)]
