"""Readable numbers: few digits, a real minus sign, `n/a` for a missing one."""

from __future__ import annotations

import math
from typing import Protocol

MISSING = "n/a"
MINUS = "\u2212"


class Between(Protocol):
    """Anything with an interval."""

    @property
    def low(self) -> float | None:
        """The lower end."""
        ...

    @property
    def high(self) -> float | None:
        """The upper end."""
        ...


def number(value: float | None, digits: int = 1) -> str:
    """Return a number with this many digits after the point.

    >>> number(8.24), number(-0.04), number(None)
    ('8.2', '0.0', 'n/a')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    rounded = round(value, digits) + 0.0  # adding 0.0 turns -0.0 into 0.0
    return f"{rounded:,.{digits}f}".replace("-", MINUS)


def count(value: int | None) -> str:
    """Return a whole number with thousands separators.

    >>> count(25000)
    '25,000'
    """
    return MISSING if value is None else f"{value:,}".replace("-", MINUS)


def interval(estimate: Between, digits: int = 1) -> str:
    """Return the interval of an estimate, or an empty string if it has none."""
    low, high = estimate.low, estimate.high
    return "" if low is None or high is None else f"[{number(low, digits)}, {number(high, digits)}]"


def p_value(p: float | None) -> str:
    """Return a p-value; below a thousandth, its exact size means little.

    >>> p_value(0.0312), p_value(1e-9), p_value(1.0)
    ('0.031', '< 0.001', '1')
    """
    if p is None or not math.isfinite(p):
        return MISSING
    if p < 0.001:
        return "< 0.001"
    return "1" if p > 0.9995 else f"{p:.3f}"


def size(number_of_bytes: int) -> str:
    """Return a file size.

    >>> size(183_500), size(2_400_000)
    ('184 kB', '2.4 MB')
    """
    thousands = number_of_bytes / 1000
    return f"{thousands:.0f} kB" if thousands < 1000 else f"{thousands / 1000:.1f} MB"
