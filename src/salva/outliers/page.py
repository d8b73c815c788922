"""The report of a score: one HTML page that shows the results of `score`; computes no statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from salva._files import write_atomically
from salva._show import number, number_of
from salva._types import PathLike
from salva.outliers.policies import POLICIES
from salva.outliers.results import ExerciseScore, Figures, GroupScore, OutlierScore, SetScore
from salva.pages import render_page, tabulate
from salva.pages.charts import BarChart, HeatPanel, HeatRow, Measure, bar_chart, heat_panels

# The most that a page contains, so that it opens at once however many sets there are.
MOST_HEAT = 512
MOST_ROWS = 300
MOST_SAVED = 1_000  # rows of a table that the page offers as a file
_SUBSETS = ("1", "2", "3", "4")


@dataclass(frozen=True, slots=True)
class _Breakdown:
    """The groups of one breakdown, and their bars."""

    by: str
    rows: list[tuple[GroupScore, Any]]
    chart: BarChart


def score_page(score: OutlierScore) -> str:
    """Return the report as one HTML page that needs no network, no script and no other file."""
    return render_page("salva.outliers", "score.html.jinja", _values(score))


def write_score_page(score: OutlierScore, path: PathLike, *, overwrite: bool = False) -> None:
    """Write the report atomically."""
    write_atomically(path, score_page(score).encode(), overwrite=overwrite)


def _values(score: OutlierScore) -> dict[str, Any]:
    languages = sorted({by_set.language for by_set in score.sets})
    hardest = sorted(score.sets, key=lambda s: (_opp(s.figures), s.topic, s.language))
    misses = sorted(
        (exercise for exercise in score.exercises if exercise.counted and not exercise.hit),
        key=lambda e: (e.margin if e.margin is not None else -9.0, e.topic, e.number),
    )
    incomplete = [by_set for by_set in score.sets if by_set.missing]
    return {
        "score": score,
        "policy": POLICIES[score.policy],
        "policies": list(POLICIES.values()),
        "languages": languages,
        "breakdowns": [_breakdown(by, score.groups) for by in dict.fromkeys(g.by for g in score.groups)],
        "panels": _heat(hardest[:MOST_HEAT], several=len(languages) > 1),
        "hardest": hardest[:MOST_ROWS],
        "confusions": score.confusions[:MOST_ROWS],
        "misses": misses[:MOST_ROWS],
        "all_misses": len(misses),
        "incomplete": incomplete[:MOST_ROWS],
        "all_incomplete": len(incomplete),
        "unmeasured": [by_set for by_set in score.sets if not by_set.figures.counted][:MOST_ROWS],
        "counts": _counts(score.exercises),
        "tables": _tables(score, hardest, misses),
    }


def _tables(
    score: OutlierScore, hardest: Sequence[SetScore], misses: Sequence[ExerciseScore]
) -> dict[str, Any]:
    """Return what the page shows as tables, at full precision."""
    tables = {
        "groups": tabulate(score.groups),
        "sets": tabulate(map(_set_record, hardest[:MOST_SAVED])),
        "confusions": tabulate(score.confusions[:MOST_SAVED]),
        "misses": tabulate(misses[:MOST_SAVED]),
    }
    return {name: table for name, table in tables.items() if table is not None}


def _set_record(one: SetScore) -> dict[str, Any]:
    about = {"topic": one.topic, "language": one.language, "kind": one.kind, "pos": one.pos}
    subsets = {f"subset_{k}_opp": figures.opp.value for k, figures in enumerate(one.subsets, 1)}
    return {**about, "missing": one.missing, "figures": one.figures, **subsets}


def _breakdown(by: str, groups: Sequence[GroupScore]) -> _Breakdown:
    chosen = [group for group in groups if group.by == by]
    rates = [(group.name, group.figures.accuracy) for group in chosen]
    chart = bar_chart([Measure(name, rate.value, rate.low, rate.high) for name, rate in rates], to=100)
    return _Breakdown(by, list(zip(chosen, chart.bars, strict=True)), chart)


def _heat(sets: Sequence[SetScore], *, several: bool) -> tuple[HeatPanel, ...]:
    rows = []
    for score in sets:
        name = f"{score.language} {score.topic}" if several else score.topic
        shares = [figures.opp.value for figures in score.subsets]
        rows.append(
            HeatRow(
                name.replace("_", " "),
                tuple(number(share, 0) for share in shares),
                tuple(None if share is None else 1 - share / 100 for share in shares),
                tuple(_title(score, k, figures) for k, figures in enumerate(score.subsets, 1)),
            )
        )
    return heat_panels(rows, _SUBSETS)


def _title(score: SetScore, subset: int, figures: Figures) -> str:
    place = f"{score.language} {score.topic}, sub-set {subset}"
    if not figures.counted:
        return f"{place}: no exercise counts"
    hits = f"{figures.hits} of {number_of(figures.counted, 'outlier')} found"
    return f"{place}: {hits}, OPP (OP/n) {number(figures.opp.value)} %"


def _opp(figures: Figures) -> float:
    return -1.0 if figures.opp.value is None else figures.opp.value


def _counts(exercises: Sequence[ExerciseScore]) -> dict[str, int]:
    """Return how high outliers rank: found, second, lower, and unranked because words are missing."""
    counted = [exercise for exercise in exercises if exercise.counted]
    return {
        "found": sum(e.hit for e in counted),
        "second": sum(not e.hit and len(e.beaten_by) == 1 for e in counted),
        "lower": sum(len(e.beaten_by) > 1 for e in counted),
        "unranked": sum(e.margin is None for e in counted),
        "skipped": len(exercises) - len(counted),
    }
