"""A number and how sure we are of it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value between the ends of its interval; all None where there was nothing to measure."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
