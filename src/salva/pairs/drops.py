"""Drops in points: with intervals that hold if few pairs changed, by severity, and from published tables.

Published tables report how many answers were right before and after, but not which: the drop is not paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from salva.pairs.codes import as_clusters, as_codes
from salva.stats import Estimate, bootstrap_counts, clustered_mean, newcombe
from salva.stats.clusters import DROP_CLUSTERS

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


def mean_drop(drops: ArrayLike, counts: ArrayLike, *, seed: int, resamples: int) -> Estimate:
    """Return the mean drop in points, given the distinct drops of rows, and how many rows have each."""
    return mean_percent(drops, np.ones(np.size(drops)), counts, least=-1, seed=seed, resamples=resamples)


def mean_percent(
    sums: ArrayLike, sizes: ArrayLike, counts: ArrayLike, *, least: int, seed: int, resamples: int
) -> Estimate:
    """Return the mean over pairs in percent, with a bootstrap over clusters of pairs.

    Clusters are given by the sum of the values of their pairs, their number of pairs, and how many clusters
    are like that. Resamples are drawn from the observed clusters plus two more of one pair each, with the
    values `least` and 1, as in Bonett and Price (2012). The value is that of the observed pairs.
    """
    seen = np.stack([np.ravel(sums), np.ravel(sizes)], axis=1).astype(np.float64)
    distinct, places = np.unique(np.concatenate([[[least, 1], [1, 1]], seen]), axis=0, return_inverse=True)
    times = np.bincount(np.ravel(places), np.concatenate([[0, 0], np.ravel(counts)]), len(distinct))
    extra = np.where((distinct[:, 1] == 1) & np.isin(distinct[:, 0], [least, 1]), _EXTRA_ROWS, 0.0)
    some = times + extra > 0
    total, size = distinct[some].T
    return bootstrap_counts(
        times[some],
        lambda drawn: 100 * (drawn * total).sum(axis=1) / (drawn * size).sum(axis=1),
        pseudo_counts=extra[some],
        resamples=resamples,
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The drop in points at a severity."""

    severity: float
    drop: Estimate


@dataclass(frozen=True, slots=True)
class Curve:
    """Drops by ascending severity, and the severity at which each level is first reached, or None."""

    points: tuple[CurvePoint, ...]
    reached: dict[str, float | None]


def curve(
    labels: ArrayLike,
    before: ArrayLike,
    afters: Mapping[float, Sequence[ArrayLike]],
    *,
    clusters: ArrayLike | None = None,
    levels: Sequence[float] = (1, 5, 10),
    seed: int = 0,
    resamples: int = 10_000,
) -> Curve:
    """Return the curve of the drops at severities, each with one array of answers per replicate.

    A row's drop is the mean over its replicates that have an answer. Rows are resampled, not replicates:
    replicates of a row are not independent. A row without any answer is left out. Rows with the same number
    in `clusters` are not independent either.

    >>> curve([1, 1], [1, 1], {0.5: [[1, 0]]}, levels=[10]).reached
    {'10': 0.1}
    """
    points = tuple(
        CurvePoint(
            float(severity),
            _drop(labels, before, afters[severity], clusters, seed=seed, resamples=resamples),
        )
        for severity in sorted(afters)
    )
    return Curve(points, {f"{level:g}": _reached(points, level) for level in levels})


def _drop(
    labels: ArrayLike,
    before: ArrayLike,
    replicates: Sequence[ArrayLike],
    clusters: ArrayLike | None,
    *,
    seed: int,
    resamples: int,
) -> Estimate:
    named = {f"replicate {number}": after for number, after in enumerate(replicates)}
    label, first, *rest = as_codes(labels=labels, before=before, **named)
    after = np.array(rest, dtype=np.int64).reshape(len(rest), len(label))
    counted = (after >= 0) & (first >= 0) & (label >= 0)
    drops = (first == label).astype(np.int64) - (after == label)
    times, total = counted.sum(axis=0), (drops * counted).sum(axis=0)
    grouped = as_clusters(clusters, len(label))
    if grouped is not None:
        some = times > 0
        sums = np.bincount(grouped[some], total[some] / times[some])
        return clustered_mean(sums, np.bincount(grouped[some]), least=-1, extra=DROP_CLUSTERS)
    width = 2 * len(rest) + 1
    outcomes, counts = np.unique((times * width + total + len(rest))[times > 0], return_counts=True)
    values = (outcomes % width - len(rest)) / (outcomes // width)
    return mean_drop(values, counts, seed=seed, resamples=resamples)


def _reached(points: Sequence[CurvePoint], level: float) -> float | None:
    measured = [(point.severity, point.drop.value) for point in points if point.drop.value is not None]
    line = [(0.0, 0.0), *measured]  # severity 0 changes nothing
    for (start, less), (end, more) in pairwise(line):
        if less < level <= more:
            return start + (end - start) * (level - less) / (more - less)
    return None


@dataclass(frozen=True, slots=True)
class UnpairedDrop:
    """A drop in points between two samples that are treated as independent."""

    drop: Estimate
    effective: bool | None
    surely_effective: bool | None
    method: Literal["unpaired (Newcombe)"] = "unpaired (Newcombe)"


def unpaired(
    n_right_before: int, n_before: int, n_right_after: int, n_after: int, *, effective_over: float = 4.0
) -> UnpairedDrop:
    """Return the drop between two accuracies.

    If both samples are the same rows, the true interval is narrower; by how much cannot be known.

    >>> unpaired(23063, 25000, 21644, 25000).drop.value
    5.676
    """
    drop = newcombe(n_right_before, n_before, n_right_after, n_after)
    return UnpairedDrop(
        drop,
        effective=None if drop.value is None else drop.value > effective_over,
        surely_effective=None if drop.low is None else drop.low > effective_over,
    )
