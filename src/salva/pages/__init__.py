"""Self-contained HTML pages: environment, CSS, charts and marked text; runs nothing."""

from salva.pages.charts import (
    Bar,
    BarChart,
    HeatPanel,
    HeatRow,
    Measure,
    Panel,
    Point,
    Series,
    Tone,
    bar_chart,
    curve_panels,
    heat_panels,
)
from salva.pages.environment import Piece, pieces, render, render_page, short, typeset
from salva.pages.marked import Mark, Segment, marked

__all__ = [
    "Bar",
    "BarChart",
    "HeatPanel",
    "HeatRow",
    "Mark",
    "Measure",
    "Panel",
    "Piece",
    "Point",
    "Segment",
    "Series",
    "Tone",
    "bar_chart",
    "curve_panels",
    "heat_panels",
    "marked",
    "pieces",
    "render",
    "render_page",
    "short",
    "typeset",
]
