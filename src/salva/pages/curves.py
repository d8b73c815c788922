"""Curves with bands, one small panel each: its own curve in front, the others grey behind it, one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from salva.pages.scale import Scale, Tick, scale

WIDTH, HEIGHT = 300, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 288, 12, 172


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
