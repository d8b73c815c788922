"""The report: one HTML page that shows a run's results and the texts behind them; computes no statistics.

A section is a function here, its template, and one entry of `SECTIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from salva.evaluation.headline import (
    drop_of,
    explain_unknown_noise,
    find_least_consistent,
    limit_of,
    write_headline,
)
from salva.evaluation.results import (
    CONTRAST_COLUMNS,
    GROUPS,
    ConditionResult,
    Flip,
    PresetResult,
    Results,
    group_by_family,
)
from salva.evaluation.tables import (
    CAUSES,
    COLUMNS,
    DIRECTIONS,
    FlipList,
    choose_flips,
    list_flips,
    list_tables,
    mark_edits,
    show_axes,
    show_classes,
    show_entities,
    show_slices,
)
from salva.numbers import Cell, Column, Curve, Estimate, PairScore
from salva.pages import render_page, typeset
from salva.pages.charts import BarChart, Measure, Panel, Point, Series, Tone, bar_chart, curve_panels

# Upper limits, so that the page opens quickly however long the run was.
MOST_ROWS = 200  # per table
MOST_BARS = 60  # shared by the families
MOST_PANELS = 24
MOST_PAIRS = 60  # of all contrasts
_MANY = 10_000  # pairs, above which a second digit is meaningful


class _Row(NamedTuple):
    """A condition, and the tone of its colour."""

    condition: ConditionResult
    tone: Tone


class _Family(NamedTuple):
    """A family of presets: its heading and its conditions."""

    heading: str
    rows: list[_Row]


class _Content(NamedTuple):
    """What the page is made from: results, flips, families, the limit and the digits of numbers."""

    results: Results
    flips: FlipList
    families: list[_Family]
    limit: float
    digits: int
    unchanged: Sequence[Flip]


class Section(NamedTuple):
    """The text of a section's link, and the function that returns what the section shows.

    Its template is `templates/<id>.jinja`, which gets the returned value under the id. If the value is None,
    the page has neither the section nor the link.
    """

    link: str
    show: Callable[[Any], Any]


def report_page(results: Results, flips: Sequence[Flip], unchanged: Sequence[Flip] = ()) -> str:
    """Return the report as one HTML page that needs no network, no script and no other file.

    It shows an even choice of flips over the conditions, and says how many there are in all.
    """
    return render_page("salva.evaluation", "report.html.jinja", _values(results, flips, unchanged))


def _values(results: Results, flips: Sequence[Flip], unchanged: Sequence[Flip]) -> dict[str, Any]:
    digits = 2 if max((c.score.n for c in results.conditions), default=0) >= _MANY else 1
    limit, shown_flips = limit_of(results.settings), list_flips(flips, results.conditions)
    families = [
        _Family(GROUPS[family], [_Row(condition, find_tone(condition.score)) for condition in conditions])
        for family, conditions in group_by_family(results.conditions).items()
    ]
    content = _Content(results, shown_flips, families, limit, digits, unchanged)
    shown, links = show_sections(SECTIONS, content)
    return {
        **shown,
        "tables": list_tables(results, shown_flips),
        "links": links,
        "results": results,
        "limit": limit,
        "noise_unknown": explain_unknown_noise(results),
        "digits": digits,
        "headline": _headline(content),
        "families": families,
        "directions": DIRECTIONS,
        "causes": CAUSES,
    }


def show_sections(sections: Mapping[str, Section], content: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the sections of a page show, and their links; without those that have nothing to show."""
    every = {name: section.show(content) for name, section in sections.items()}
    shown = {name: value for name, value in every.items() if value is not None}
    return shown, {name: sections[name].link for name in shown}


def find_tone(score: PairScore) -> Tone:
    """Return the tone of a drop: how certainly it is over the limit."""
    if score.surely_effective:
        return "alarm"
    return "warning" if score.effective else "plain"


def _headline(content: _Content) -> dict[str, Any]:
    """Return the first sentences and the content of the cards; what is a list has one entry per family."""
    families, scores = content.families, [condition.score for condition in content.results.conditions]
    first = [row.condition for row in families[0].rows] if families else []
    return {
        "sentences": list(write_headline(content.results, content.digits, typeset)),
        "clean": max(scores, key=lambda score: score.n, default=None),
        "worst": [max(one.rows, key=lambda row: drop_of(row.condition)) for one in families],
        "least_consistent": find_least_consistent(first),
        "over_limit": [sum(row.condition.score.effective is True for row in one.rows) for one in families],
        "changed": sum(score.changed for score in scores),
        "lost": sum(score.right_to_wrong for score in scores),
        "won": sum(score.wrong_to_right for score in scores),
    }


def _drops(content: _Content) -> dict[str, Any] | None:
    """Return the drops by family, on one scale; of very many conditions, the largest drops of each family."""
    if len(content.results.conditions) < 2:
        return None  # the headline has it all
    most = MOST_BARS // len(content.families)
    chosen = [_largest(family.rows, most) for family in content.families]
    drops = [(row.condition.name, row.condition.score.drop, row.tone) for rows in chosen for row in rows]
    chart = draw_bars(drops, limit=content.limit)
    bars = iter(chart.bars)
    return {"chart": chart, "families": [list(islice(bars, len(rows))) for rows in chosen]}


def _largest(rows: list[_Row], most: int) -> list[_Row]:
    """Return the conditions with the largest drops, in the order of the run."""
    places = sorted(range(len(rows)), key=lambda i: -drop_of(rows[i].condition))[:most]
    return [rows[i] for i in sorted(places)]


def _conditions(content: _Content) -> dict[str, Any]:
    conditions, most = content.results.conditions, MOST_ROWS // max(1, len(content.families))
    # A metric of the user's own has columns only if there is one.
    columns = [
        column
        for column in list_headed(COLUMNS)
        if any(column.owner(condition) is not None for condition in conditions)
    ]
    cells = [
        [(row, list_cells(columns, row.condition, content.digits)) for row in family.rows[:most]]
        for family in content.families
    ]
    return {"columns": columns, "families": cells}


def list_headed(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that tables on pages have."""
    return [column for column in columns if column.statistic is not None and column.statistic.heading]


def list_cells(columns: Sequence[Column], result: Any, digits: int) -> list[Cell]:
    """Return one row of a table."""
    return [column.cell(result, digits) for column in columns]


def _contrasts(content: _Content) -> dict[str, Any] | None:
    """Return the table of contrasts, their bars, and an even choice of unchanged pairs."""
    contrasts, columns = content.results.contrasts, list_headed(CONTRAST_COLUMNS)
    if not contrasts:
        return None
    shown, pairs = contrasts[:MOST_ROWS], choose_flips(content.unchanged, MOST_PAIRS)
    return {
        "columns": columns,
        "rows": [list_cells(columns, one, content.digits) for one in shown],
        "chart": draw_bars([(one.name, one.score.sensitivity, "plain") for one in shown], to=100),
        "pairs": [(flip, mark_edits(flip.text, flip.edits)) for some in pairs for flip in some],
        "stayed": sum(one.score.stayed for one in contrasts),
    }


def _validity(content: _Content) -> dict[str, Any] | None:
    """Return the presets by family, each with its bar."""
    grouped = group_by_family(content.results.presets[:MOST_ROWS])
    measured = [one.validity and one.validity.edits for some in grouped.values() for one in some]
    chart = draw_estimates([share.rate if share else Estimate() for share in measured], to=100)
    bars = iter(chart.bars)
    families = [(GROUPS[family], [(one, next(bars)) for one in some]) for family, some in grouped.items()]
    return {"families": families, "chart": chart} if families else None


def _audit(content: _Content) -> list[ConditionResult] | None:
    audited = [one for one in content.results.conditions if one.audited is not None]
    return audited[:MOST_ROWS] or None


def _curves(content: _Content) -> list[tuple[str, list[tuple[Panel, Curve, list[str | None]]]]] | None:
    """Return the curves by family, each with the flips that its points lead to."""
    presets, known = content.results.presets[:MOST_PANELS], content.flips.severities
    panels = dict(zip((p.preset for p in presets), curve_panels(list_series(presets), to=5.0), strict=True))
    links = {p.preset: [known.get((p.preset, point.x)) for point in list_points(p.curve)] for p in presets}
    return [
        (GROUPS[family], [(panels[one.preset], one.curve, links[one.preset]) for one in some])
        for family, some in group_by_family(presets).items()
    ] or None


def list_series(presets: Sequence[PresetResult]) -> list[Series]:
    """Return the curves of presets with where they reach their levels."""
    return [
        Series(
            one.preset,
            tuple(list_points(one.curve)),
            {float(level): place for level, place in one.curve.reached.items()},
        )
        for one in presets
    ]


def list_points(curve: Curve) -> Iterator[Point]:
    """Yield the measured points, beginning at severity 0, which changes nothing."""
    if not curve.points or curve.points[0].severity > 0:
        yield Point(0.0, 0.0, 0.0, 0.0)
    for point in curve.points:
        if point.drop.value is not None:
            yield Point(point.severity, point.drop.value, point.drop.low, point.drop.high)


def _presets(content: _Content) -> dict[str, Any] | None:
    shown = content.results.comparisons[:MOST_ROWS]
    return {"shown": shown, "bars": draw_estimates([c.difference.value for c in shown])} if shown else None


def _blame(content: _Content) -> dict[str, Any] | None:
    if content.results.blame is None or not content.results.presets:
        return None  # without presets, there are no edits to undo
    shown = content.results.blame.words[:MOST_ROWS]
    return {"shown": shown, "bars": draw_estimates([r.rate for r in shown], to=100)}


def draw_bars(
    rows: Iterable[tuple[str, Estimate, Tone]], *, limit: float | None = None, to: float = 1.0
) -> BarChart:
    """Return estimates with their names and tones as bars."""
    measures = [Measure(name, one.value, one.low, one.high, tone) for name, one, tone in rows]
    return bar_chart(measures, limit=limit, to=to)


def draw_estimates(estimates: Iterable[Estimate], to: float = 1.0) -> BarChart:
    """Return estimates as bars without names."""
    return draw_bars((("", one, "plain") for one in estimates), to=to)


def _settings(content: _Content) -> dict[str, Any]:
    results = content.results
    return {
        "data_labels": sorted(results.data.labels.items(), key=lambda pair: -pair[1])[:MOST_ROWS],
        "model_labels": list(results.model.labels.items())[:MOST_ROWS],
        "flat": list(_flat(results.settings))[:MOST_ROWS],
    }


def _flat(settings: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings as pairs of texts; nested settings stay together."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            nested = {name: part for name, part in value.items() if isinstance(part, Mapping)}
            plain = [f"{name}={_plain(part)}" for name, part in value.items() if name not in nested]
            yield from [(str(key), ", ".join(plain))] if plain else []
            yield from _flat({f"{key}.{name}": part for name, part in nested.items()})
        else:
            yield str(key), _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# In the order of the page.
SECTIONS: dict[str, Section] = {
    "drops": Section("Drops", _drops),
    "contrasts": Section("Contrasts", _contrasts),
    "audit": Section("Audit", _audit),
    "conditions": Section("All numbers", _conditions),
    "axes": Section("Axes", lambda content: show_axes(content.results)),
    "validity": Section("Validity", _validity),
    "curves": Section("Severity", _curves),
    "presets": Section("Presets compared", _presets),
    "classes": Section("Classes", lambda content: show_classes(content.results)),
    "entities": Section("Entities", lambda content: show_entities(content.results)),
    "slices": Section("Slices", lambda content: show_slices(content.results)),
    "confidence": Section("Confidence", lambda content: content.results.confidence[:MOST_ROWS] or None),
    "blame": Section("Blame", _blame),
    "flips": Section("Flips", lambda content: content.flips),
    "judge": Section("Judge", lambda content: content.results.judge),
    "faults": Section("Failures and noise", lambda content: content.results.failures[:MOST_ROWS]),
    "settings": Section("Settings", _settings),
    "how": Section("How it is computed", lambda content: {}),
}
