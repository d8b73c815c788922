"""The report: one HTML page that shows a run's results and the texts behind them; computes no statistics.

A section is a function here, its template, and one entry of `SECTIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from salva._results import choose_evenly
from salva.evaluation.headline import (
    Sentence,
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
    list_flips,
    list_tables,
    show_axes,
    show_classes,
    show_entities,
    show_slices,
)
from salva.numbers import Cell, Column, Curve, Estimate, PairScore
from salva.pages import Mark, Segment, marked, render_page, typeset
from salva.pages.charts import BarChart, Measure, Panel, Point, Series, Tone, bar_chart, curve_panels

MOST_PAIRS = 60  # of a contrast


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


# Upper limits, so that the page opens quickly however long the run was.
MOST_ROWS = 200  # per table
MOST_BARS = 60  # shared by the families
MOST_PANELS = 24
_MANY = 10_000  # pairs, above which a second digit is meaningful


@dataclass(frozen=True, slots=True)
class _Row:
    """A condition, and the tone of its colour."""

    condition: ConditionResult
    tone: Tone


@dataclass(frozen=True, slots=True)
class _Family:
    """A family of presets: its heading and its conditions."""

    heading: str
    rows: list[_Row]


@dataclass(frozen=True, slots=True)
class _Content:
    """What the page is made from: results, flips, families, the limit and the digits of numbers."""

    results: Results
    flips: FlipList
    families: list[_Family]
    limit: float
    digits: int
    unchanged: Sequence[Flip] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The text of a section's link, and the function that returns what the section shows.

    Its template is `templates/<id>.jinja`, which gets the returned value under the id. If the value is None,
    the page has neither the section nor the link.
    """

    link: str
    show: Callable[[_Content], Any]


@dataclass(frozen=True, slots=True)
class _Headline:
    """The first sentences and the content of the cards; what is a list has one entry per family."""

    sentences: list[Sentence]
    clean: PairScore | None
    worst: list[_Row]
    least_consistent: ConditionResult | None
    over_limit: list[int]
    changed: int
    lost: int
    won: int


class _Curve(NamedTuple):
    """A curve, its panel, and the flips of each point of the panel."""

    panel: Panel
    curve: Curve
    links: list[str | None]


def report_page(results: Results, flips: Sequence[Flip], unchanged: Sequence[Flip] = ()) -> str:
    """Return the report as one HTML page that needs no network, no script and no other file.

    It shows an even choice of flips over the conditions, and says how many there are in all.
    """
    return render_page("salva.evaluation", "report.html.jinja", _values(results, flips, unchanged))


def _values(results: Results, flips: Sequence[Flip], unchanged: Sequence[Flip]) -> dict[str, Any]:
    digits = 2 if max((c.score.n for c in results.conditions), default=0) >= _MANY else 1
    shown_flips = list_flips(flips, results.conditions)
    content = _Content(
        results, shown_flips, list(_families(results)), limit_of(results.settings), digits, unchanged
    )
    sections = {name: section.show(content) for name, section in SECTIONS.items()}
    shown = {name: value for name, value in sections.items() if value is not None}
    return {
        **shown,
        "tables": list_tables(results, shown_flips),
        "links": {name: SECTIONS[name].link for name in shown},
        "results": results,
        "limit": content.limit,
        "noise_unknown": explain_unknown_noise(results),
        "digits": digits,
        "headline": _headline(content),
        "families": content.families,
        "directions": DIRECTIONS,
        "causes": CAUSES,
    }


def _families(results: Results) -> Iterator[_Family]:
    for family, conditions in group_by_family(results.conditions).items():
        yield _Family(
            GROUPS[family], [_Row(condition, find_tone(condition.score)) for condition in conditions]
        )


def _is_shown(column: Column, results: Results) -> bool:
    """Return whether the table has this column; a metric of the user's own only if there is one."""
    headed = column.statistic is not None and column.statistic.heading
    return bool(headed) and any(column.owner(condition) is not None for condition in results.conditions)


def find_tone(score: PairScore) -> Tone:
    """Return the tone of a drop: how certainly it is over the limit."""
    if score.surely_effective:
        return "alarm"
    return "warning" if score.effective else "plain"


def _headline(content: _Content) -> _Headline:
    families, scores = content.families, [condition.score for condition in content.results.conditions]
    first = [row.condition for row in families[0].rows] if families else []
    return _Headline(
        sentences=list(write_headline(content.results, content.digits, typeset)),
        clean=max(scores, key=lambda score: score.n, default=None),
        worst=[max(one.rows, key=lambda row: drop_of(row.condition)) for one in families],
        least_consistent=find_least_consistent(first),
        over_limit=[sum(row.condition.score.effective is True for row in one.rows) for one in families],
        changed=sum(score.changed for score in scores),
        lost=sum(score.right_to_wrong for score in scores),
        won=sum(score.wrong_to_right for score in scores),
    )


def _drops(content: _Content) -> dict[str, Any] | None:
    """Return the drops by family, on one scale; of very many conditions, the largest drops of each family."""
    if len(content.results.conditions) < 2:
        return None  # the headline has it all
    most = MOST_BARS // max(1, len(content.families))
    chosen = [_largest(family.rows, most) for family in content.families]
    drops = [(row, row.condition.score.drop) for rows in chosen for row in rows]
    measures = [Measure(row.condition.name, d.value, d.low, d.high, row.tone) for row, d in drops]
    chart = bar_chart(measures, limit=content.limit)
    bars = iter(chart.bars)
    return {"chart": chart, "families": [list(islice(bars, len(rows))) for rows in chosen]}


def _largest(rows: list[_Row], most: int) -> list[_Row]:
    """Return the conditions with the largest drops, in the order of the run."""
    places = sorted(range(len(rows)), key=lambda i: -drop_of(rows[i].condition))[:most]
    return [rows[i] for i in sorted(places)]


def _conditions(content: _Content) -> dict[str, Any]:
    columns = [column for column in COLUMNS if _is_shown(column, content.results)]
    most = MOST_ROWS // max(1, len(content.families))
    shown = [family.rows[:most] for family in content.families]
    cells = [[(row, _cells(columns, row, content.digits)) for row in rows] for rows in shown]
    return {"columns": columns, "families": cells}


def _cells(columns: Sequence[Column], row: _Row, digits: int) -> list[Cell]:
    return [column.cell(row.condition, digits) for column in columns]


def _validity(content: _Content) -> dict[str, Any] | None:
    """Return the presets by family, each with its bar."""
    grouped = group_by_family(content.results.presets[:MOST_ROWS])
    measured = [one.validity and one.validity.edits for some in grouped.values() for one in some]
    chart = _estimates([share.rate if share else Estimate() for share in measured], to=100)
    bars = iter(chart.bars)
    families = [(GROUPS[family], [(one, next(bars)) for one in some]) for family, some in grouped.items()]
    return {"families": families, "chart": chart} if families else None


def _audit(content: _Content) -> list[ConditionResult] | None:
    audited = [one for one in content.results.conditions if one.audited is not None]
    return audited[:MOST_ROWS] or None


def _curves(content: _Content) -> list[tuple[str, list[_Curve]]] | None:
    """Return the curves by family, each with the flips that its points lead to."""
    presets = content.results.presets[:MOST_PANELS]
    series = [Series(p.preset, tuple(list_points(p.curve)), list_levels(p.curve)) for p in presets]
    panels = dict(zip((p.preset for p in presets), curve_panels(series, to=5.0), strict=True))
    return [
        (GROUPS[family], [_Curve(panels[one.preset], one.curve, _links(one, content)) for one in some])
        for family, some in group_by_family(presets).items()
    ] or None


def list_points(curve: Curve) -> Iterator[Point]:
    """Yield the measured points, beginning at severity 0, which changes nothing."""
    if not curve.points or curve.points[0].severity > 0:
        yield Point(0.0, 0.0, 0.0, 0.0)
    for point in curve.points:
        if point.drop.value is not None:
            yield Point(point.severity, point.drop.value, point.drop.low, point.drop.high)


def _links(preset: PresetResult, content: _Content) -> list[str | None]:
    """Return the flips of each point, as the value of their field; None if none are shown."""
    known = content.flips.severities
    return [known.get((preset.preset, point.x)) for point in list_points(preset.curve)]


def list_levels(curve: Curve) -> dict[float, float | None]:
    """Return where a curve reaches its levels."""
    return {float(level): place for level, place in curve.reached.items()}


def _presets(content: _Content) -> dict[str, Any] | None:
    shown = content.results.comparisons[:MOST_ROWS]
    return {"shown": shown, "bars": _estimates([c.difference.value for c in shown])} if shown else None


def _blame(content: _Content) -> dict[str, Any] | None:
    if content.results.blame is None or not content.results.presets:
        return None  # without presets, there are no edits to undo
    shown = (content.results.blame.words or content.results.blame.table)[:MOST_ROWS]
    return {"shown": shown, "bars": _estimates([r.rate for r in shown], to=100)}


def _estimates(estimates: Sequence[Estimate], to: float = 1.0) -> BarChart:
    return bar_chart([Measure("", e.value, e.low, e.high) for e in estimates], to=to)


def _flips(content: _Content) -> FlipList:
    return content.flips


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
    "contrasts": Section(
        "Contrasts", lambda content: show_contrasts(content.results, content.unchanged, content.digits)
    ),
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
    "flips": Section("Flips", _flips),
    "judge": Section("Judge", lambda content: content.results.judge),
    "faults": Section("Failures and noise", lambda content: content.results.failures[:MOST_ROWS]),
    "settings": Section("Settings", _settings),
    "how": Section("How it is computed", lambda content: {}),
}
