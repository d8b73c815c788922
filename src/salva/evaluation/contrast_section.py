"""The section of the report about contrasts: sensitivity, and pairs whose answer wrongly stayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from salva._results import choose_evenly
from salva.evaluation.results import CONTRAST_COLUMNS, Flip, Results
from salva.pages import Mark, Segment, marked
from salva.pages.charts import BarChart, Measure, bar_chart

MOST_ROWS, MOST_PAIRS = 200, 60


class ShownPair(NamedTuple):
    """A pair whose answer stayed, with its text and edit."""

    flip: Flip
    segments: list[Segment]


def show_contrasts(results: Results, unchanged: Sequence[Flip], digits: int) -> dict[str, Any] | None:
    """Return the table of contrasts, their bars, and an even choice of unchanged pairs."""
    if not results.contrasts:
        return None
    shown = results.contrasts[:MOST_ROWS]
    columns = [
        column for column in CONTRAST_COLUMNS if column.statistic is not None and column.statistic.heading
    ]
    return {
        "columns": columns,
        "rows": [[column.cell(one, digits) for column in columns] for one in shown],
        "chart": _draw(shown),
        "pairs": [_show(flip) for flip in _choose(unchanged)],
        "stayed": sum(one.score.stayed for one in results.contrasts),
    }


def _draw(contrasts: Sequence[Any]) -> BarChart:
    rates = [(one.name, one.score.sensitivity) for one in contrasts]
    return bar_chart([Measure(name, rate.value, rate.low, rate.high) for name, rate in rates], to=100)


def _choose(flips: Sequence[Flip]) -> list[Flip]:
    by_name: dict[str, list[Flip]] = {}
    for flip in flips:
        by_name.setdefault(flip.condition, []).append(flip)
    return [flip for some in choose_evenly(by_name.values(), MOST_PAIRS) for flip in some]


def _show(flip: Flip) -> ShownPair:
    marks = [Mark(edit.start, edit.end, edit.old, edit.rule) for edit in flip.edits]
    return ShownPair(flip, marked(flip.text, marks))
