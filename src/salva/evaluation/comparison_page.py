"""The page of a comparison: one HTML file that shows several runs side by side; computes no statistics.

A section is a function here, its template, and one entry of `SECTIONS`, as in the report of a run; the
template gets what the function returns as `shown`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from salva.evaluation.comparison import (
    AXIS_COLUMNS,
    CLEAN,
    COLUMNS,
    CONTRAST_COLUMNS,
    NUMBERS,
    ComparedCondition,
    ComparedRuns,
    LostText,
)
from salva.evaluation.comparison_headline import find_hardest, write_comparison_headline
from salva.evaluation.page import (
    Section,
    draw_bars,
    draw_estimates,
    list_cells,
    list_headed,
    show_sections,
)
from salva.evaluation.results import GROUPS, group_by_family
from salva.evaluation.tables import mark_edits
from salva.numbers import Column
from salva.pages import Segment, render_page, tabulate, typeset

# Upper limits, so that the page opens quickly however many runs there are.
MOST_ROWS = 300  # per table
MOST_BARS = 120
MOST_ORDERS = 14  # in the table of rank agreement, which has as many columns
_MANY = 10_000  # rows, above which a second digit is meaningful

_MarkedText: TypeAlias = tuple[LostText, list[Segment]]


def comparison_page(compared: ComparedRuns) -> str:
    """Return the comparison as one HTML page that needs no network, no script and no other file."""
    shown, links = show_sections(SECTIONS, compared)
    digits = _digits(compared)
    values = {
        "compared": compared,
        "digits": digits,
        "sentences": list(write_comparison_headline(compared, digits=digits, typeset=typeset)),
        "hardest": find_hardest(compared),
        "links": links,
        "sections": shown,
        "tables": _tables(compared),
    }
    return render_page("salva.evaluation", "compared.html.jinja", values)


def _digits(compared: ComparedRuns) -> int:
    return 2 if compared.rows >= _MANY else 1


def _tables(compared: ComparedRuns) -> dict[str, Any]:
    """Return what the page shows as tables, at full precision."""
    tables = {
        "compared_scores": tabulate(score for condition in compared.conditions for score in condition.scores),
        "compared_contrasts": tabulate(compared.sensitivities),
        "compared_axes": tabulate(compared.axes.scores),
        "axis_differences": tabulate(compared.axes.differences),
        "compared_ranks": tabulate(compared.rankings),
        "compared_differences": tabulate(compared.differences),
    }
    return {name: table for name, table in tables.items() if table is not None}


def _scores(compared: ComparedRuns) -> dict[str, Any]:
    columns, digits = list_headed(COLUMNS), _digits(compared)
    families = [
        (GROUPS[family], [score for condition in some for score in condition.scores])
        for family, some in group_by_family(compared.conditions).items()
    ]
    most = MOST_ROWS // max(1, len(families))
    return {
        "columns": columns,
        "families": [
            (heading, [list_cells(columns, score, digits) for score in scores[:most]])
            for heading, scores in families
        ],
        "all": sum(len(scores) for _, scores in families),
    }


def _contrasts(compared: ComparedRuns) -> dict[str, Any] | None:
    """Return the sensitivity of every model under every contrast."""
    return _tabulate(CONTRAST_COLUMNS, compared.sensitivities, compared) if compared.sensitivities else None


def _axes(compared: ComparedRuns) -> dict[str, Any] | None:
    """Return the numbers of every axis and model, and the differences."""
    axes = compared.axes
    if not axes.scores and not axes.apart:
        return None
    differences = axes.differences[:MOST_ROWS]
    return {
        "scores": _tabulate(AXIS_COLUMNS, axes.scores, compared),
        "differences": differences,
        "bars": draw_estimates(one.difference for one in differences),
        "numbers": NUMBERS,
    }


def _tabulate(columns: Sequence[Column], scores: Sequence[Any], compared: ComparedRuns) -> dict[str, Any]:
    """Return the first rows of a table, and how many there are."""
    shown = list_headed(columns)
    rows = [list_cells(shown, one, _digits(compared)) for one in scores[:MOST_ROWS]]
    return {"columns": shown, "rows": rows, "all": len(scores)}


def _drops(compared: ComparedRuns) -> dict[str, Any] | None:
    """Return the drops by family, on one scale; of very many conditions, those with the largest drops."""
    measured = [condition for condition in compared.conditions if condition.n]
    if not measured:
        return None
    most = max(1, MOST_BARS // len(compared.models))
    largest = sorted(measured, key=_largest_drop, reverse=True)[:most]
    chosen = group_by_family(condition for condition in measured if condition in largest)
    weaker = {
        (one.condition, one.b if one.more_robust == one.a else one.a) for one in compared.clear_differences
    }
    chart = draw_bars(
        (score.model, score.drop, "alarm" if (score.condition, score.model) in weaker else "plain")
        for some in chosen.values()
        for condition in some
        for score in condition.scores
    )
    bars = iter(chart.bars)
    families = [
        (GROUPS[family], [(one, [next(bars) for _ in one.scores]) for one in some])
        for family, some in chosen.items()
    ]
    return {"chart": chart, "families": families, "conditions": len(largest)}


def _largest_drop(condition: ComparedCondition) -> float:
    return max(score.drop.value or 0.0 for score in condition.scores)


def _ranks(compared: ComparedRuns) -> dict[str, Any] | None:
    """Return rankings with their agreement with the clean one, and how far every two of them agree.

    If there are very many, only the first are compared with each other.
    """
    if not compared.rankings:
        return None
    shown = compared.rankings[:MOST_ROWS]
    orders = [ranking.on for ranking in shown[:MOST_ORDERS]]
    return {
        "rows": [(ranking, compared.agreement(CLEAN, ranking.on)) for ranking in shown],
        "names": {model.name: model.name for model in compared.models},
        "agreements": [(a, [None if a == b else compared.agreement(a, b) for b in orders]) for a in orders],
    }


def _differences(compared: ComparedRuns) -> dict[str, Any] | None:
    """Return the differences, the clear ones first."""
    if not compared.comparisons:
        return None
    shown = sorted(compared.differences, key=lambda one: one.more_robust is None)[:MOST_ROWS]
    return {"shown": shown, "bars": draw_estimates(one.difference.value for one in shown)}


def _texts(
    compared: ComparedRuns,
) -> list[tuple[str | None, int, list[_MarkedText]]] | None:
    """Return the texts that each model alone loses, then those that all lose, with their numbers."""
    if not compared.comparisons:
        return None
    counts: Counter[str | None] = Counter({model.name: 0 for model in compared.models})
    for condition in compared.conditions:
        counts.update({score.model: score.lost_alone for score in condition.scores})
        counts.update({None: condition.lost_by_all})
    shown = [(text, mark_edits(text.twin or text.text or "", text.edits)) for text in compared.texts]
    return [
        (model, times, [(text, segments) for text, segments in shown if text.model == model])
        for model, times in counts.items()
    ]


# In the order of the page.
SECTIONS: dict[str, Section] = {
    "compared_scores": Section("Accuracies and drops", _scores),
    "compared_drops": Section("Drops by model", _drops),
    "compared_contrasts": Section("Sensitivity", _contrasts),
    "compared_axes": Section("Axes", _axes),
    "compared_ranks": Section("Ranking", _ranks),
    "compared_differences": Section("Differences", _differences),
    "compared_texts": Section("Texts only one loses", _texts),
    "compared_how": Section("How it is computed", lambda compared: compared.comparisons),
}
