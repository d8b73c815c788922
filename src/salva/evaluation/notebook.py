"""A run in a few lines: as text for a prompt, and as HTML for a notebook."""

from __future__ import annotations

from salva._show import number_of
from salva.evaluation.charts import CHARTS
from salva.evaluation.headline import columns_shown, conditions_shown, headlines, write_headline
from salva.evaluation.results import Results
from salva.numbers import terminal_headings
from salva.pages import render, typeset

_MOST_LINES = 9
_MOST_ROWS = 30


def describe_run(results: Results) -> str:
    """Return what the run is about and its headline."""
    lines = list(headlines(results))
    more = number_of(len(results.conditions), "condition")
    end = f"{more}: see .table(), .answers, .flips, .chart(name), .summary() and .report(path)"
    return "\n".join([*lines[: _MOST_LINES - 1], end])


def show_run(results: Results) -> str:
    """Return the headline, the table of conditions and the chart of drops as HTML without a script."""
    tables = conditions_shown(results)
    shown = {heading: rows[:_MOST_ROWS] for heading, rows in tables.items()}
    count = sum(map(len, shown.values()))
    values = {
        "title": next(headlines(results)),
        "sentences": list(write_headline(results, typeset=typeset)),
        "headings": terminal_headings(columns_shown(results)),
        "tables": shown,
        "left_out": len(results.conditions) - count,
        "figure": CHARTS["drops"](results),
    }
    return render("salva.evaluation", "notebook.html.jinja", values)
