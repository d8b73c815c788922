"""A user-defined metric, before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from salva._crashes import place_of
from salva._types import Ints
from salva.errors import UsageError
from salva.pairs.codes import as_clusters, refuse_lengths
from salva.pairs.statistics import Statistic
from salva.stats import Estimate, bootstrap_rows

Metric: TypeAlias = Callable[[list[str], list[str]], float]


@dataclass(frozen=True, slots=True)
class MetricChange:
    """A metric in its own units; `change` is after minus before."""

    before: Annotated[float | None, Statistic("for the clean texts", "own metric|before", digits=3)]
    after: Annotated[float | None, Statistic("for the twins", "own metric|after", digits=3)]
    change: Annotated[Estimate, Statistic("after minus before", "change", digits=3)]


def metric_change(
    metric: Metric,
    labels: Sequence[str | None],
    before: Sequence[str | None],
    after: Sequence[str | None],
    *,
    clusters: ArrayLike | None = None,
    resamples: int = 1_000,
    seed: int = 0,
) -> MetricChange:
    """Return `metric(labels, answers)` before and after, over pairs with a label and two answers.

    Resamples for which the metric fails (an error, or not a finite number) are left out; if they are more
    than 5 %, there is no interval. Pairs with the same number in `clusters` are drawn together.

    >>> def share(labels, answers): return sum(map(str.__eq__, labels, answers)) / len(labels)
    >>> metric_change(share, ["a", "b"], ["a", "b"], ["a", "a"]).change.value
    -0.5
    """
    refuse_lengths({"labels": labels, "before": before, "after": after})
    places = [k for k, row in enumerate(zip(labels, before, after, strict=True)) if None not in row]
    rows = [(labels[k], before[k], after[k]) for k in places]
    grouped = as_clusters(clusters, len(labels))
    if not rows:
        return MetricChange(None, None, Estimate())
    target, first, second = np.array(rows, dtype=object).T
    start, end = (_measured(metric, target.tolist(), side.tolist()) for side in (first, second))

    def change(chosen: Ints) -> float:
        right = target[chosen].tolist()
        try:
            return _measured(metric, right, second[chosen].tolist()) - _measured(
                metric, right, first[chosen].tolist()
            )
        except UsageError:
            return math.nan

    some = None if grouped is None else grouped[places]
    interval = bootstrap_rows(len(rows), change, clusters=some, resamples=resamples, seed=seed)
    return MetricChange(_finite(start), _finite(end), interval)


def _measured(metric: Metric, labels: list[str], answers: list[str]) -> float:
    try:
        return float(metric(labels, answers))
    except Exception as error:
        name = getattr(metric, "__name__", type(metric).__name__)
        problem = f"{type(error).__name__}: {error}{place_of(error)}"
        raise UsageError(f"metric {name!r} failed: {problem}; it must take labels and answers") from error


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
