"""Charts that stand alone: SVG with its own style, for notebooks, papers and slides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from salva._files import write_atomically
from salva._types import PathLike
from salva.pages.charts import HEIGHT, WIDTH, Bar, BarChart, Measure, Panel, Series, bar_chart, curve_panels
from salva.pages.rendering import render, short

# Positions in a chart of bars, and around the panels of curves, in pixels.
_NAMES, _DRAWING, _VALUES = 200, 340, 160
_TOP, _ROW, _AXIS, _GAP, _COLUMNS = 46, 24, 26, 26, 2


@dataclass(frozen=True, slots=True)
class FigureBar:
    """A bar of a figure: its height in the figure, and the text next to it."""

    y: float
    bar: Bar
    value: str


@dataclass(frozen=True, slots=True)
class FigurePanel:
    """A panel of a figure and its place."""

    x: float
    y: float
    panel: Panel


@dataclass(frozen=True, slots=True)
class Figure:
    """What the template of figures draws: bars on one scale, or panels of curves."""

    title: str
    width: int
    height: int
    chart: BarChart | None = None
    limit: str = ""
    bars: tuple[FigureBar, ...] = ()
    panels: tuple[FigurePanel, ...] = ()
    left: int = _NAMES
    drawing: int = _DRAWING
    top: int = _TOP
    namespace: str = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as SVG: notebooks show it, and `save` writes it to a file."""

    name: str
    figure: Figure = field(repr=False)

    @property
    def svg(self) -> str:
        """The chart as the text of an SVG file."""
        return render("salva.pages", "figure.svg.jinja", {"figure": self.figure})

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the chart to an SVG file."""
        write_atomically(path, self.svg.encode(), overwrite=overwrite)

    def _repr_svg_(self) -> str:
        return self.svg


def bar_figure(
    title: str,
    measures: Sequence[tuple[Measure, str]],
    *,
    limit: float | None = None,
    limit_text: str = "",
    to: float = 1.0,
) -> Figure:
    """Return bars with their names and the texts of their values; `limit` draws a line."""
    chart = bar_chart([measure for measure, _ in measures], limit=limit, to=to)
    texts = [text for _, text in measures]
    bars = [
        FigureBar(_TOP + (k + 0.5) * _ROW, bar, text)
        for k, (bar, text) in enumerate(zip(chart.bars, texts, strict=True))
    ]
    height = _TOP + len(bars) * _ROW + _AXIS
    return Figure(short(title), _NAMES + _DRAWING + _VALUES, height, chart, limit_text, tuple(bars))


def curve_figure(title: str, series: Sequence[Series], *, to: float = 1.0) -> Figure:
    """Return one panel per curve, two next to each other."""
    panels = [
        FigurePanel(k % _COLUMNS * WIDTH, _TOP + k // _COLUMNS * (HEIGHT + _GAP), panel)
        for k, panel in enumerate(curve_panels(series, to=to))
    ]
    rows = -(-len(panels) // _COLUMNS)
    return Figure(short(title), _COLUMNS * WIDTH, _TOP + rows * (HEIGHT + _GAP), panels=tuple(panels))
