"""How much of the variance of being right is due to the items, and how much to each way of asking.

The model is that of a two-way analysis of variance with random effects, by the method of moments, for axes
that vary one at a time: whether an answer is right depends on the item, on the value of the axis, and on both
together. `tests/pairs/test_variance.py` compares the results with components that are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Floats, Ints, Ints64
from salva.pairs.codes import as_clusters
from salva.stats import Estimate, bootstrap_counts

ITEM, REPEAT = "item", "repeat"


@dataclass(frozen=True, slots=True)
class VarianceShare:
    """A source of variance: its part of the total in percent, on average over items, and item by item.

    The latter two add up to the share: an axis shifts all items alike, and it changes some and not others.
    """

    source: str
    share: Estimate
    on_average: float | None
    by_item: float | None


def share_variance(
    right: ArrayLike,
    axes: Mapping[str, Sequence[int]],
    *,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 1_000,
) -> tuple[VarianceShare, ...]:
    """Return the shares of items and axes, given one row per item and one column per way, 1 for right.

    Each of `axes` has the columns in which only this axis varies, the clean one first. If `repeat` is among
    them, it is the noise of the model, and is subtracted from the others. Rows with the same number in
    `clusters` are not independent.

    >>> shares = share_variance([[1, 1], [0, 0], [1, 0], [0, 1]], {"order": [0, 1]})
    >>> [(one.source, round(one.share.value)) for one in shares]
    [('item', 0), ('order', 100)]
    """
    table = np.asarray(right, np.float64)
    if len(table) < 2 or not axes:
        return ()
    features = _Features(table, axes)
    kinds, counts = _count_kinds(features.rows, clusters)
    names = [ITEM, *axes]
    parts = features.parts(features.rows.sum(axis=0)[np.newaxis])[0]
    return tuple(
        VarianceShare(
            name,
            bootstrap_counts(
                counts,
                lambda drawn, k=k: features.parts(drawn @ kinds).sum(axis=2)[:, k],  # type: ignore[misc]
                resamples=resamples,
                seed=seed,
            ),
            *(float(part) if np.isfinite(part) else None for part in parts[k]),
        )
        for k, name in enumerate(names)
    )


def compare_variance(
    right_a: ArrayLike,
    right_b: ArrayLike,
    axes: Mapping[str, Sequence[int]],
    *,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 1_000,
) -> dict[str, Estimate]:
    """Return how many points larger the share of each source is for b than for a, over the same items.

    The arguments are as for `share_variance`. Items are drawn with the answers of both.

    >>> never, always = [[1, 1], [0, 0], [1, 1], [0, 0]], [[1, 1], [0, 0], [1, 0], [0, 1]]
    >>> {name: round(one.value) for name, one in compare_variance(never, always, {"order": [0, 1]}).items()}
    {'item': -100, 'order': 100}
    """
    tables = np.asarray(right_a, np.float64), np.asarray(right_b, np.float64)
    if len(tables[0]) < 2 or not axes:
        return {}
    a, b = (_Features(table, axes) for table in tables)
    kinds, counts = _count_kinds(np.concatenate([a.rows, b.rows], axis=1), clusters)

    def subtract(drawn: Floats, k: int) -> Floats:
        first, second = np.split(drawn @ kinds, 2, axis=1)
        less: Floats = b.parts(second).sum(axis=2)[:, k] - a.parts(first).sum(axis=2)[:, k]
        return less

    return {
        name: bootstrap_counts(counts, partial(subtract, k=k), resamples=resamples, seed=seed)
        for k, name in enumerate([ITEM, *axes])
    }


def _count_kinds(rows: Floats, clusters: ArrayLike | None) -> tuple[Floats, Ints]:
    """Return the distinct sums of clusters, or rows if there are none, and how often each occurs."""
    places = as_clusters(clusters, len(rows))
    kinds, counts = np.unique(rows if places is None else _add_up(rows, places), axis=0, return_counts=True)
    return kinds, counts


def _add_up(rows: Floats, clusters: Ints64) -> Floats:
    sums = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
    np.add.at(sums, clusters, rows)
    some: Floats = sums[np.bincount(clusters, minlength=len(sums)) > 0]
    return some


class _Features:
    """What each item adds to the sums of squares, so that resamples need only counts."""

    def __init__(self, table: Floats, axes: Mapping[str, Sequence[int]]) -> None:
        self._axes = {name: list(columns) for name, columns in axes.items()}
        sums = [table[:, columns].sum(axis=1) ** 2 for columns in self._axes.values()]
        self._ways = table.shape[1]
        self.rows: Floats = np.column_stack([np.ones(len(table)), table, table**2, *sums])

    def parts(self, sums: Floats) -> Floats:
        """Return the parts of the variance in percent, given sums over items, one resample per line.

        The result has, for each line and source, the part on average and the part by item.
        """
        n, ways = sums[:, 0], self._ways
        totals, squares = sums[:, 1 : 1 + ways], sums[:, 1 + ways : 1 + 2 * ways]
        variances = (squares - totals**2 / n[:, None]) / (n[:, None] - 1)
        effects = {
            name: _analyse(n, totals[:, columns], squares[:, columns], sums[:, 1 + 2 * ways + k])
            for k, (name, columns) in enumerate(self._axes.items())
        }
        noise = sum(effects[REPEAT]) if REPEAT in effects else np.zeros(len(n))
        zero = np.zeros(len(n))
        found = {
            name: (zero, noise) if name == REPEAT else (np.maximum(main, 0), np.maximum(both - noise, 0))
            for name, (main, both) in effects.items()
        }
        rest = variances.mean(axis=1) - sum(both for _, both in found.values())
        table: Floats = np.stack(
            [np.stack(part, axis=1) for part in [(zero, np.maximum(rest, 0)), *found.values()]], axis=1
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            percent: Floats = 100 * table / table.sum(axis=(1, 2), keepdims=True)
        return percent


def _analyse(n: Floats, totals: Floats, squares: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return the variance of the columns of a two-way table, and that of rows and columns together.

    Given are the number of rows, the sums and sums of squares of the columns, and that of squared row sums.
    """
    k = totals.shape[1]
    grand = totals.sum(axis=1) ** 2 / (n * k)
    between = (totals**2).sum(axis=1) / n - grand
    left = squares.sum(axis=1) - rows / k - between
    mean_left = left / ((n - 1) * (k - 1))
    return (between / (k - 1) - mean_left) / n, mean_left
