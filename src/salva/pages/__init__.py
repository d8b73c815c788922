"""Self-contained HTML pages: environment, CSS, charts and marked text; runs nothing."""

from salva.pages.environment import Piece, pieces, render, render_page, short, typeset
from salva.pages.marked import Mark, Segment, marked
from salva.pages.saving import tabulate

__all__ = [
    "Mark",
    "Piece",
    "Segment",
    "marked",
    "pieces",
    "render",
    "render_page",
    "short",
    "tabulate",
    "typeset",
]
