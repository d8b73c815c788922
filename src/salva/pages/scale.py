"""Round numbers along an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from salva.pages.numbers import number


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on an axis and the number shown there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of values mapped to a range of positions."""

    low: float
    high: float
    start: float = 0.0
    end: float = 100.0
    step: float = 1.0

    def at(self, value: float) -> float:
        """Return the position of a value; one outside the range is placed at its end.

        >>> Scale(0, 10).at(2.5)
        25.0
        """
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self) -> tuple[Tick, ...]:
        """Return one tick per step."""
        digits = len(f"{self.step:.9g}".partition(".")[2])
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        values = [i * self.step for i in range(first, last + 1)]
        return tuple(Tick(self.at(value), number(value, digits)) for value in values)


def scale(low: float, high: float, *, start: float = 0.0, end: float = 100.0, most: int = 6) -> Scale:
    """Return a scale between two round numbers, with at most about `most` steps.

    >>> scale(-0.3, 9.6)
    Scale(low=-2.0, high=10.0, start=0.0, end=100.0, step=2.0)
    """
    span = max(high - low, 0.001)  # equal numbers get a scale too
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor * most >= span * 0.999)
    first = math.floor(low / step)
    last = max(first + 1, math.ceil(high / step))
    return Scale(first * step, last * step, start, end, step)
