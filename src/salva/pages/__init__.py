"""Self-contained HTML pages: environment, CSS, charts and marked text; runs nothing."""

from salva.pages.bars import Bar, BarChart, Measure, Tone, bar_chart
from salva.pages.curves import Panel, Point, Series, curve_panels
from salva.pages.environment import render
from salva.pages.marked import Mark, Segment, marked
from salva.pages.numbers import count, interval, number, p_value, size
from salva.pages.strings import Piece, pieces, short

__all__ = [
    "Bar",
    "BarChart",
    "Mark",
    "Measure",
    "Panel",
    "Piece",
    "Point",
    "Segment",
    "Series",
    "Tone",
    "bar_chart",
    "count",
    "curve_panels",
    "interval",
    "marked",
    "number",
    "p_value",
    "pieces",
    "render",
    "short",
    "size",
]
