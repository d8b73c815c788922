"""How the drop grows with severity, and where it first reaches a given number of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from salva.pairs.codes import as_codes
from salva.pairs.drops import mean_drop
from salva.stats import Estimate


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
    levels: Sequence[float] = (1, 5, 10),
    seed: int = 0,
    resamples: int = 10_000,
) -> Curve:
    """Return the curve of the drops at severities, each with one array of answers per replicate.

    A row's drop is the mean over its replicates that have an answer. Rows are resampled, not replicates:
    replicates of a row are not independent. A row without any answer is left out.

    >>> curve([1, 1], [1, 1], {0.5: [[1, 0]]}, levels=[10]).reached
    {'10': 0.1}
    """
    points = tuple(
        CurvePoint(float(severity), _drop(labels, before, afters[severity], seed=seed, resamples=resamples))
        for severity in sorted(afters)
    )
    return Curve(points, {f"{level:g}": _reached(points, level) for level in levels})


def _drop(
    labels: ArrayLike, before: ArrayLike, replicates: Sequence[ArrayLike], *, seed: int, resamples: int
) -> Estimate:
    named = {f"replicate {number}": after for number, after in enumerate(replicates)}
    label, first, *rest = as_codes(labels=labels, before=before, **named)
    after = np.array(rest, dtype=np.int64).reshape(len(rest), len(label))
    counted = (after >= 0) & (first >= 0) & (label >= 0)
    drops = (first == label).astype(np.int64) - (after == label)
    times, total = counted.sum(axis=0), (drops * counted).sum(axis=0)
    width = 2 * len(rest) + 1
    kinds, counts = np.unique((times * width + total + len(rest))[times > 0], return_counts=True)
    values = (kinds % width - len(rest)) / (kinds // width)
    return mean_drop(values, counts, seed=seed, resamples=resamples)


def _reached(points: Sequence[CurvePoint], level: float) -> float | None:
    measured = [(point.severity, point.drop.value) for point in points if point.drop.value is not None]
    line = [(0.0, 0.0), *measured]  # severity 0 changes nothing
    for (start, less), (end, more) in pairwise(line):
        if less < level <= more:
            return start + (end - start) * (level - less) / (more - less)
    return None
