"""The page of a comparison: one HTML file that shows several runs side by side; computes no statistics.

A section is a function here, its template, and one entry of `SECTIONS`, as in the report of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from salva.evaluation.comparison import (
    AXIS_COLUMNS,
    CLEAN,
    COLUMNS,
    CONTRAST_COLUMNS,
    NUMBERS,
    ComparedCondition,
    ComparedRuns,
    LostText,
    ModelScore,
    Ranking,
)
from salva.evaluation.comparison_headline import find_hardest, write_comparison_headline
from salva.evaluation.results import GROUPS, group_by_family
from salva.numbers import Column
from salva.pages import Mark, Segment, marked, render_page, tabulate, typeset
from salva.pages.charts import Bar, BarChart, Measure, Tone, bar_chart

# Upper limits, so that the page opens quickly however many runs there are.
MOST_ROWS = 300  # per table
MOST_BARS = 120
MOST_ORDERS = 14  # in the table of rank agreement, which has as many columns
_MANY = 10_000  # rows, above which a second digit is meaningful


@dataclass(frozen=True, slots=True)
class Section:
    """The text of a section's link, and the function that returns what the section shows.

    Its template is `templates/<id>.jinja`, which gets the returned value as `shown`. If the value is None,
    the page has neither the section nor the link.
    """

    link: str
    show: Callable[[ComparedRuns], Any]


@dataclass(frozen=True, slots=True)
class _Drops:
    """Bars of all models under some conditions, by family, on one scale."""

    chart: BarChart
    families: list[tuple[str, list[tuple[ComparedCondition, list[Bar]]]]]
    conditions: int


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Rankings with their agreement with the clean texts, and how far all of them agree with each other."""

    rows: list[tuple[Ranking, float | None]]
    names: dict[str, str]
    agreements: list[tuple[str, list[float | None]]]


@dataclass(frozen=True, slots=True)
class _ShownText:
    """A lost text, with its edits marked if they are known."""

    text: LostText
    segments: list[Segment]


def comparison_page(compared: ComparedRuns) -> str:
    """Return the comparison as one HTML page that needs no network, no script and no other file."""
    digits = 2 if compared.rows >= _MANY else 1
    sections = {name: section.show(compared) for name, section in SECTIONS.items()}
    shown = {name: value for name, value in sections.items() if value is not None}
    values = {
        "compared": compared,
        "digits": digits,
        "sentences": list(write_comparison_headline(compared, digits=digits, typeset=typeset)),
        "hardest": find_hardest(compared),
        "links": {name: SECTIONS[name].link for name in shown},
        "sections": shown,
        "tables": _tables(compared),
    }
    return render_page("salva.evaluation", "compared.html.jinja", values)


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


def _scores(compared: ComparedRuns) -> dict[str, Any] | None:
    digits = 2 if compared.rows >= _MANY else 1
    columns = [column for column in COLUMNS if column.statistic is not None and column.statistic.heading]
    families = [
        (GROUPS[family], [score for condition in some for score in condition.scores])
        for family, some in group_by_family(compared.conditions).items()
    ]
    most = MOST_ROWS // max(1, len(families))
    return {
        "columns": columns,
        "families": [
            (heading, [_cells(columns, score, digits) for score in scores[:most]])
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
    values = [one.difference for one in differences]
    return {
        "scores": _tabulate(AXIS_COLUMNS, axes.scores, compared),
        "differences": differences,
        "bars": bar_chart([Measure("", one.value, one.low, one.high) for one in values]),
        "numbers": NUMBERS,
    }


def _tabulate(columns: Sequence[Column], scores: Sequence[Any], compared: ComparedRuns) -> dict[str, Any]:
    """Return the first rows of a table, and how many there are."""
    digits = 2 if compared.rows >= _MANY else 1
    shown = [column for column in columns if column.statistic is not None and column.statistic.heading]
    return {
        "columns": shown,
        "rows": [_cells(shown, one, digits) for one in scores[:MOST_ROWS]],
        "all": len(scores),
    }


def _cells(columns: Sequence[Column], score: Any, digits: int) -> list[Any]:
    return [column.cell(score, digits) for column in columns]


def _drops(compared: ComparedRuns) -> _Drops | None:
    """Return the drops by family, on one scale; of very many conditions, those with the largest drops."""
    measured = [condition for condition in compared.conditions if condition.n]
    if not measured:
        return None
    most = max(1, MOST_BARS // len(compared.models))
    largest = sorted(measured, key=_largest_drop, reverse=True)[:most]
    chosen = group_by_family([condition for condition in measured if condition in largest])
    weaker = {
        (one.condition, one.b if one.more_robust == one.a else one.a) for one in compared.clear_differences
    }
    scores = [score for some in chosen.values() for condition in some for score in condition.scores]
    chart = bar_chart([_measure(score, (score.condition, score.model) in weaker) for score in scores])
    bars = iter(chart.bars)
    families = [
        (GROUPS[family], [(one, [next(bars) for _ in one.scores]) for one in some])
        for family, some in chosen.items()
    ]
    return _Drops(chart, families, len(largest))


def _largest_drop(condition: ComparedCondition) -> float:
    return max(score.drop.value or 0.0 for score in condition.scores)


def _measure(score: ModelScore, is_weaker: bool) -> Measure:
    tone: Tone = "alarm" if is_weaker else "plain"
    return Measure(score.model, score.drop.value, score.drop.low, score.drop.high, tone)


def _ranks(compared: ComparedRuns) -> _Ranks | None:
    if not compared.rankings:
        return None
    rows = [
        (ranking, None if ranking.on == CLEAN else compared.agreement(CLEAN, ranking.on))
        for ranking in compared.rankings
    ]
    names = {model.name: model.name for model in compared.models}
    return _Ranks(rows[:MOST_ROWS], names, _agreements(compared))


def _agreements(compared: ComparedRuns) -> list[tuple[str, list[float | None]]]:
    """Return how far every two rankings agree, the first of them if there are very many."""
    orders = [ranking.on for ranking in compared.rankings][:MOST_ORDERS]
    return [(a, [None if a == b else compared.agreement(a, b) for b in orders]) for a in orders]


def _differences(compared: ComparedRuns) -> dict[str, Any] | None:
    """Return the differences, the clear ones first."""
    if not compared.comparisons:
        return None
    shown = sorted(compared.differences, key=lambda one: one.more_robust is None)[:MOST_ROWS]
    values = [one.difference.value for one in shown]
    return {"shown": shown, "bars": bar_chart([Measure("", one.value, one.low, one.high) for one in values])}


def _texts(compared: ComparedRuns) -> list[tuple[str | None, int, list[_ShownText]]] | None:
    """Return the texts that each model alone loses, then those that all lose, with their numbers."""
    scores = [score for condition in compared.conditions for score in condition.scores]
    counts: dict[str | None, int] = {
        model.name: sum(score.lost_alone for score in scores if score.model == model.name)
        for model in compared.models
    }
    counts[None] = sum(condition.lost_by_all for condition in compared.conditions)
    found = [
        (model, times, [_shown(text) for text in compared.texts if text.model == model])
        for model, times in counts.items()
    ]
    return found if compared.comparisons else None


def _shown(text: LostText) -> _ShownText:
    marks = [Mark(edit.start, edit.end, edit.old, edit.rule, edit.blamed) for edit in text.edits]
    return _ShownText(text, marked(text.twin or text.text or "", marks))


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
