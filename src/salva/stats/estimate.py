"""A number with its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the ends of its interval; all None if there was nothing to measure."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
