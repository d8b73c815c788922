"""The percentile bootstrap: how a number would vary with other rows of the same kinds.

Every call creates its own counter-based generator, so equal arguments give equal bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from salva._types import Ints
from salva.stats.rates import Estimate

Floats = NDArray[np.floating[Any]]

_MOST_NUMBERS = 1 << 21  # drawn at a time: 16 MB
_MOST_UNDEFINED = 0.05  # share of the resamples; with more, the interval would hide them


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

    draw = _Clusters(np.arange(n) if clusters is None else clusters).draw

    def drawn() -> Iterator[float]:
        generator = np.random.Generator(np.random.Philox(seed))
        for _ in range(resamples):
            yield float(statistic(draw(generator)))

    return between(float(statistic(np.arange(n))), np.fromiter(drawn(), np.float64, resamples), level)


class _Clusters:
    """Draws clusters with replacement, and returns the numbers of their rows."""

    def __init__(self, clusters: Ints) -> None:
        self._rows = np.argsort(clusters, kind="stable")
        _, self._starts, self._sizes = np.unique(clusters[self._rows], return_index=True, return_counts=True)

    def draw(self, generator: np.random.Generator) -> Ints:
        number = len(self._sizes)
        chosen = generator.integers(0, number, size=number)
        sizes = self._sizes[chosen]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1]) + np.repeat(self._starts[chosen] - (ends - sizes), sizes)
        rows: Ints = self._rows[places]
        return rows


def between(value: float, drawn: Floats, level: float) -> Estimate:
    """Return the value with the central interval of the draws; undefined draws are left out if few."""
    defined = drawn[np.isfinite(drawn)]
    if not math.isfinite(value):
        return Estimate()
    if len(defined) < (1 - _MOST_UNDEFINED) * len(drawn):
        return Estimate(value)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, min(float(low), value), max(float(high), value))
