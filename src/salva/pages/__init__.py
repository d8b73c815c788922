"""Self-contained HTML pages: environment, CSS, charts and marked text; runs nothing."""

from salva.pages.figures import Chart, bar_figure, curve_figure
from salva.pages.rendering import (
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
