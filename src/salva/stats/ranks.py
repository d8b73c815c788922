"""Ranks, and how far two rankings agree (Kendall 1945)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def rank(values: Sequence[float]) -> tuple[int, ...]:
    """Return the rank of every value: 1 for the largest; equal values have the same rank.

    >>> rank([90.0, 95.0, 90.0, 80.0])
    (2, 1, 2, 4)
    """
    return tuple(1 + sum(other > value for other in values) for value in values)


def kendall_tau_b(a: ArrayLike, b: ArrayLike) -> float | None:
    """Return how far two orders of the same things agree, from -1 to 1, corrected for ties.

    Every two things are compared, so the time grows with the square of their number. None if all values on
    one side are equal: then there is no order.

    >>> kendall_tau_b([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    left, right = (np.sign(np.subtract.outer(side, side)) for side in (np.asarray(a), np.asarray(b)))
    untied = float((left**2).sum()) * float((right**2).sum())
    if untied == 0:
        return None
    return min(1.0, max(-1.0, float((left * right).sum()) / math.sqrt(untied)))
