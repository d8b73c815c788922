"""Horizontal bars with intervals, positioned in percent of the width so that they fit any page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from salva.pages.scale import Tick, scale

Tone: TypeAlias = Literal["plain", "warning", "alarm"]


@dataclass(frozen=True, slots=True)
class Measure:
    """What a bar shows: a name, a value with its interval, and a tone."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Bar:
    """A measure and its position; no position if there is nothing to draw."""

    measure: Measure
    start: float | None = None
    width: float | None = None
    at: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars on one scale, with a line at a limit."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    zero: float
    limit: Tick | None = None


def bar_chart(measures: Sequence[Measure], *, limit: float | None = None, to: float = 1.0) -> BarChart:
    """Return bars from zero, on a scale that reaches at least to the limit and to `to`.

    >>> bar_chart([Measure("a", 5, 4, 6)], to=10).bars[0].width
    50.0
    """
    ends = [end for m in measures for end in (m.value, m.low, m.high) if end is not None]
    fits = scale(min([0.0, *ends]), max([to, limit or 0.0, *ends]))
    bars = []
    for measure in measures:
        value, low, high = measure.value, measure.low, measure.high
        if value is None:
            bars.append(Bar(measure))
            continue
        start, end = sorted((fits.at(0), fits.at(value)))
        whiskers = (None, None) if low is None or high is None else (fits.at(low), fits.at(high))
        bars.append(Bar(measure, start, round(end - start, 2), fits.at(value), *whiskers))
    line = None if limit is None else Tick(fits.at(limit), f"{limit:g}")
    return BarChart(tuple(bars), fits.ticks(), fits.at(0), line)
