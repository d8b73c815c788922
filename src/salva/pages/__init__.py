"""Self-contained HTML pages: environment, CSS, charts and marked text; runs nothing."""

from salva.pages.environment import (
    Mark,
    Piece,
    Segment,
    marked,
    pieces,
    render,
    render_page,
    short,
    tabulate,
    typeset,
)
from salva.pages.figures import Chart, bar_figure, curve_figure

__all__ = [
    "Chart",
    "Mark",
    "Piece",
    "Segment",
    "bar_figure",
    "curve_figure",
    "marked",
    "pieces",
    "render",
    "render_page",
    "short",
    "tabulate",
    "typeset",
]
