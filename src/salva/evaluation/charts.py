"""The charts of a report, one by one, as SVG that stands alone. A chart is one entry of `CHARTS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from salva._arguments import did_you_mean
from salva._show import interval, number
from salva.errors import UsageError
from salva.evaluation.headline import limit_of
from salva.evaluation.page import MOST_BARS, MOST_PANELS, find_tone, list_series
from salva.evaluation.results import Results
from salva.numbers import Estimate
from salva.pages import Chart, bar_figure, curve_figure, typeset
from salva.pages.charts import Measure, Tone
from salva.pages.figures import Figure

_Row: TypeAlias = tuple[str, Estimate, Tone]


def draw_chart(results: Results, name: str) -> Chart:
    """Return a chart of the report; refuse one that does not exist, or that has nothing to show."""
    if name not in CHARTS:
        hint = did_you_mean(name, CHARTS, otherwise=f"choose from {', '.join(CHARTS)}")
        raise UsageError(f"there is no chart {name!r:.60}; {hint}")
    figure = CHARTS[name](results)
    if not figure.bars and not figure.panels:
        shown = [other for other, draw in CHARTS.items() if draw(results).bars or draw(results).panels]
        raise UsageError(f"this run has nothing to show in {name!r}; it has {', '.join(shown) or 'no chart'}")
    return Chart(name, figure)


def _drops(results: Results) -> Figure:
    limit = limit_of(results.settings)
    rows = ((one.name, one.score.drop, find_tone(one.score)) for one in results.conditions)
    bars = list(_measure(rows, "points"))
    title = f"Drop in accuracy: {results.model.name} on {results.data.name}"
    return bar_figure(title, bars, limit=limit, limit_text=f"limit: {limit:g} points")


def _curves(results: Results) -> Figure:
    curves = list_series(results.presets[:MOST_PANELS])
    return curve_figure("Drop in points, by severity", curves, to=5.0)


def _validity(results: Results) -> Figure:
    rows: list[_Row] = [
        (one.preset, one.validity.edits.rate, "plain")
        for one in results.presets
        if one.validity and one.validity.edits
    ]
    return bar_figure("Edits that readers judged to keep the meaning", list(_measure(rows, "%")), to=100)


def _presets(results: Results) -> Figure:
    rows: list[_Row] = [
        (f"{c.b} less {c.a} at {c.severity:g}", c.difference.value, "plain") for c in results.comparisons
    ]
    return bar_figure("Difference between the drops of two presets", list(_measure(rows, "points")))


def _blame(results: Results) -> Figure:
    words = results.blame.words if results.blame else ()
    rows: list[_Row] = [(one.word, one.rate, "plain") for one in words]
    return bar_figure("How often a word was to blame", list(_measure(rows, "%")), to=100)


def _measure(rows: Iterable[_Row], unit: str) -> Iterator[tuple[Measure, str]]:
    """Yield the first rows as bars, each with its value and interval in words."""
    for name, one, tone in list(rows)[:MOST_BARS]:
        words = (
            "n/a" if one.value is None else f"{number(one.value)} {unit} {interval(one, missing='')}".rstrip()
        )
        yield Measure(name, one.value, one.low, one.high, tone), typeset(words)


CHARTS: dict[str, Callable[[Results], Figure]] = {
    "drops": _drops,
    "curves": _curves,
    "validity": _validity,
    "presets": _presets,
    "blame": _blame,
}
