"""Charts as positions for templates: bars with intervals, curves with bands, and heat maps.

A chart is one function here and its macro in `templates/charts.jinja`. Nothing lists the charts: the module
of a page imports the function, and the template of a section imports the macro.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from salva._show import number
from salva.pages.rendering import typeset

Tone: TypeAlias = Literal["plain", "warning", "alarm"]

# Positions in a panel of curves, and in a heat map, in pixels.
WIDTH, HEIGHT = 300, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 288, 12, 172
_HEAT_NAMES, _HEAT_CELL, _HEAT_ROW, _HEAT_TOP = 146, 27, 18, 18
_LOUDEST = 0.5  # of full colour, so that the number in the cell stays readable


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
        return tuple(Tick(self.at(value), typeset(number(value, digits))) for value in values)


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


@dataclass(frozen=True, slots=True)
class Point:
    """A measured value with its interval."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """A named curve, and where it reaches some levels (None: nowhere)."""

    name: str
    points: tuple[Point, ...]
    reached: Mapping[float, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A level, its height, and where the curve reaches it."""

    level: str
    y: float
    x: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One curve in front of the others: points and polygons in SVG notation."""

    name: str
    line: str
    band: str
    dots: tuple[tuple[float, float], ...]
    others: tuple[str, ...]
    crossings: tuple[Crossing, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    zero: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = _RIGHT
    top: int = _TOP
    bottom: int = _BOTTOM


def curve_panels(series: Sequence[Series], *, to: float = 1.0) -> tuple[Panel, ...]:
    """Return one panel per series, all on a common scale; `x` covers at least 0 to 1."""
    ends = [end for s in series for p in s.points for end in (p.value, p.low, p.high) if end is not None]
    x = scale(0, max([1.0, *(p.x for s in series for p in s.points)]), start=_LEFT, end=_RIGHT, most=4)
    y = scale(min([0.0, *ends]), max([to, *ends]), start=_BOTTOM, end=_TOP, most=5)
    lines = [_places([(x.at(p.x), y.at(p.value)) for p in s.points]) for s in series]
    return tuple(
        Panel(
            name=s.name,
            line=lines[i],
            band=_band(s, x, y),
            dots=tuple((x.at(p.x), y.at(p.value)) for p in s.points),
            others=tuple(line for j, line in enumerate(lines) if j != i),
            crossings=tuple(_crossing(level, place, x, y) for level, place in s.reached.items()),
            x_ticks=x.ticks(),
            y_ticks=y.ticks(),
            zero=y.at(0),
        )
        for i, s in enumerate(series)
    )


def _band(series: Series, x: Scale, y: Scale) -> str:
    known = [(p.x, p.low, p.high) for p in series.points if p.low is not None and p.high is not None]
    upper = [(x.at(place), y.at(high)) for place, _, high in known]
    lower = [(x.at(place), y.at(low)) for place, low, _ in reversed(known)]
    return _places(upper + lower)


def _crossing(level: float, place: float | None, x: Scale, y: Scale) -> Crossing:
    at = None if place is None else x.at(place)
    return Crossing(f"{level:g}", y.at(level), at, "not reached" if place is None else f"{place:.2g}")


def _places(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A name and the values of its cells, None if empty; `loud` gives colour strengths from 0 to 1."""

    name: str
    texts: tuple[str, ...]
    loud: tuple[float | None, ...]
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeatCell:
    """The position of a cell, its colour strength and its text."""

    x: float
    y: float
    opacity: float | None
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class HeatPanel:
    """Some rows of a heat map under the names of its columns: names as (position, text), then cells."""

    columns: tuple[tuple[float, str], ...]
    names: tuple[tuple[float, str], ...]
    cells: tuple[HeatCell, ...]
    width: int
    height: int
    cell_width: int = _HEAT_CELL
    cell_height: int = _HEAT_ROW


def heat_panels(rows: Sequence[HeatRow], columns: Sequence[str], *, most: int = 32) -> tuple[HeatPanel, ...]:
    """Return panels of at most `most` rows each, as even as possible.

    >>> [len(panel.names) for panel in heat_panels([HeatRow("a", ("1",), (1.0,), ("",))] * 5, ["x"], most=3)]
    [3, 2]
    """
    count = -(-len(rows) // most)
    size = -(-len(rows) // count) if count else 0
    return tuple(_heat_panel(rows[first : first + size], columns) for first in range(0, len(rows), size or 1))


def _heat_panel(rows: Sequence[HeatRow], columns: Sequence[str]) -> HeatPanel:
    cells = [
        HeatCell(
            _HEAT_NAMES + k * _HEAT_CELL,
            _HEAT_TOP + i * _HEAT_ROW,
            None if row.loud[k] is None else round(_LOUDEST * min(max(row.loud[k] or 0.0, 0.0), 1.0), 3),
            row.texts[k],
            row.titles[k],
        )
        for i, row in enumerate(rows)
        for k in range(len(columns))
    ]
    return HeatPanel(
        tuple((_HEAT_NAMES + (k + 0.5) * _HEAT_CELL, name) for k, name in enumerate(columns)),
        tuple((_HEAT_TOP + (i + 0.5) * _HEAT_ROW, row.name) for i, row in enumerate(rows)),
        tuple(cells),
        _HEAT_NAMES + len(columns) * _HEAT_CELL,
        _HEAT_TOP + len(rows) * _HEAT_ROW + 2,
    )
