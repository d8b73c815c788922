"""Rates with score intervals (Wilson 1927), and differences of two unpaired rates (Newcombe 1998)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from salva.errors import UsageError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the ends of its interval; all None if there was nothing to measure."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


def wilson(successes: float, n: int, *, level: float = 0.95) -> Estimate:
    """Return a rate in percent with its interval; all None without trials.

    `successes` may be a sum of shares, whose mean varies less than a rate: the interval is then wide enough.

    >>> rate = wilson(9, 10)
    >>> rate.value, round(rate.low, 2), round(rate.high, 2)
    (90.0, 59.58, 98.21)
    """
    if not 0 <= successes <= n:
        raise UsageError(f"successes={successes!r} must be between 0 and n={n!r}")
    return Estimate(100 * successes / n, *_ends(successes, n, level)) if n else Estimate()


def newcombe(successes_a: int, n_a: int, successes_b: int, n_b: int, *, level: float = 0.95) -> Estimate:
    """Return rate a minus rate b in points, for two samples that are not paired.

    Answers to the same rows are paired and mostly agree: for them, the interval is too wide.

    >>> newcombe(23063, 25000, 21644, 25000).value
    5.676
    """
    a, b = wilson(successes_a, n_a, level=level), wilson(successes_b, n_b, level=level)
    if a.value is None or b.value is None:
        return Estimate()
    low_a, high_a = _ends(successes_a, n_a, level)
    low_b, high_b = _ends(successes_b, n_b, level)
    # Whole numbers for as long as possible, so that a published 5.676 comes out as 5.676.
    value = 100 * (successes_a * n_b - successes_b * n_a) / (n_a * n_b)
    below = math.hypot(a.value - low_a, high_b - b.value)
    above = math.hypot(high_a - a.value, b.value - low_b)
    return Estimate(value, value - below, value + above)


def _ends(successes: float, n: int, level: float) -> tuple[float, float]:
    rate, z = successes / n, NormalDist().inv_cdf((1 + level) / 2)
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Rounding must not exclude a rate of 0 if nothing succeeded, or a rate of 100 if everything did.
    return 100 * (middle - reach) if successes else 0.0, 100 * (middle + reach) if successes < n else 100.0
