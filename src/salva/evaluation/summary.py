"""A run as lines of text: what the terminal shows and what `Run.summary` returns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from salva._show import count, interval, number, number_of, shorten
from salva.evaluation.headline import describe_noise, describe_preset, write_headline
from salva.evaluation.results import CONTRAST_COLUMNS, GROUPS, Results, group_by_family
from salva.evaluation.tables import COLUMNS
from salva.numbers import (
    Column,
    Estimate,
    VariantScore,
    terminal_alignment,
    terminal_headings,
    terminal_row,
)

_WIDTH = 100  # of sentences
CONTRAST_HEADINGS = terminal_headings(CONTRAST_COLUMNS)
ENTITY_HEADINGS = ["condition", "label", "support", "before", "after", "drop", "interval"]
ENTITY_TITLE = "F1 of entities by label"
_MOST_LABELS = 40  # lines of entities by label; the page has more


def columns_shown(results: Results) -> list[Column]:
    """Return the columns of the table of conditions; without presets, no edits have a validity."""
    return [column for column in COLUMNS if results.presets or column.name != "validity"]


def conditions_shown(results: Results) -> dict[str, list[list[str]]]:
    """Return a row for each condition, by family; the columns are those of `columns_shown`."""
    columns = columns_shown(results)
    return {
        GROUPS[family]: [terminal_row(columns, condition) for condition in conditions]
        for family, conditions in group_by_family(results.conditions).items()
    }


def contrasts_shown(results: Results) -> list[list[str]]:
    """Return one row per contrast; the columns are `CONTRAST_HEADINGS`."""
    return [terminal_row(CONTRAST_COLUMNS, contrast) for contrast in results.contrasts]


def entities_shown(results: Results) -> list[list[str]]:
    """Return one row per label and condition; the columns are `ENTITY_HEADINGS`. Very many are left out."""
    return [
        [
            one.condition,
            shorten(one.label),
            count(one.score.support),
            number(one.score.f1_before),
            number(one.score.f1_after),
            number(one.score.f1_drop.value),
            interval(one.score.f1_drop),
        ]
        for one in results.entities
        if len(results.entities) <= _MOST_LABELS
    ]


def validity_lines(results: Results) -> Iterator[str]:
    """Yield the validity of every preset."""
    for preset in results.presets:
        yield f"validity of {preset.preset}: {describe_preset(preset)}"
    for contrast in results.contrasts:
        if contrast.validity is not None:
            rate = f"{number(contrast.validity.value, 0)} % of its edits {interval(contrast.validity, 0)}"
            yield f"validity of {contrast.preset}: {rate} change the meaning and read well"


def axis_lines(results: Results) -> Iterator[str]:
    """Yield the numbers of every axis, and robust accuracy, one line each."""
    for one in results.axes:
        yield f"axis {one.axis}, {number_of(len(one.ways), 'way')}: {_describe_ways(one.score)}"
    if results.axes and results.robust is not None:
        yield f"robust accuracy under presets that keep the meaning: {_show(results.robust.worst_case)} %"


def _describe_ways(score: VariantScore) -> str:
    parts = {
        "mean": f"{_show(score.mean)} %",
        "spread": f"{number(score.spread)} points",
        "worst case": f"{_show(score.worst_case)} %",
        "consistency rate": f"{_show(score.consistency_rate)} %",
        "prompt sensitivity": f"{_show(score.prompt_sensitivity)} %",
    }
    return ", ".join(f"{name} {value}" for name, value in parts.items())


def _show(estimate: Estimate) -> str:
    return f"{number(estimate.value)} {interval(estimate)}".rstrip()


def headlines(results: Results) -> Iterator[str]:
    """Yield what the run is about (model, data, label mapping), its verdicts, and the noise."""
    data = results.data
    yield f"{results.model.name} on {data.name}: {_describe_items(results)}"
    renamed = [f"{shorten(a)} = {shorten(b)}" for a, b in results.model.labels.items() if a != b]
    if renamed:
        yield f"labels of the model and of the data: {', '.join(renamed)}"
    for sentence in write_headline(results):
        yield from textwrap.wrap(str(sentence), _WIDTH, break_on_hyphens=False)
    for condition in results.conditions:
        found = condition.entities
        if found is not None and found.f1_before is not None:
            rates = f"{number(found.f1_before)} % before, {number(found.f1_after)} % after"
            drop = f"drop {number(found.f1_drop.value)} points {interval(found.f1_drop)}"
            yield f"entity F1, {condition.name}: {rates}, {drop}"
    yield f"noise floor: {describe_noise(results)}"


def _describe_items(results: Results) -> str:
    """Return how many rows or pairs there are, with their labels."""
    data, task = results.data, results.settings.get("task")
    if results.has_pairs:
        return number_of(data.rows, "pair") + (" (no targets)" if data.unlabelled == data.rows else "")
    without = f"task {task['name']}" if task else "no labels"
    labels = ", ".join(f"{shorten(name)} {count(rows)}" for name, rows in data.labels.items()) or without
    return f"{number_of(data.rows, 'row')} ({labels})"


def warnings_of(results: Results) -> Iterator[str]:
    """Yield what a reader must know to interpret the numbers."""
    noise = results.noise
    if noise is not None and noise.alone_changed:
        cause = "answers vary from call to call" if noise.changed else "answers depend on the batch"
        yield (
            f"{noise.alone_changed:,} of {number_of(noise.alone_asked, 'answer')} changed when asked alone: "
            f"the model's {cause}"
        )
    yield from _state_clusters(results)
    item, text, label = ("pair", "source", "target") if results.has_pairs else ("row", "text", "label")
    if results.duplicates is not None and results.duplicates.contradictory_rows:
        rows = number_of(results.duplicates.contradictory_rows, f"{item} has", f"{item}s have")
        problem = f"{rows} the {text} of another {item}, but not its {label}"
        yield f"{problem}: no model can get all of them right"
    if results.data.unlabelled:
        bare = number_of(results.data.unlabelled, f"{item} has", f"{item}s have")
        yield f"{bare} no {label}: used only for consistency"
    for failure in results.judge.failures[:3] if results.judge is not None else ():
        yield f"no verdict of the judge on {number_of(failure.times, 'reply', 'replies')}: {failure.error}"
    for failure in results.failures[:3]:
        yield f"no answer for {number_of(failure.times, 'text')}: {failure.error}"
    cut = max([results.truncated_clean, *(condition.truncated for condition in results.conditions)])
    if cut:
        clean = f"{results.truncated_clean:,} clean, up to {cut:,} per condition"
        yield f"texts too long for the model, which reads only their beginning: {clean}"


def _state_clusters(results: Results) -> Iterator[str]:
    clusters = results.clusters
    if clusters is not None and clusters.repeated_rows:
        item, text = ("pair", "source") if results.has_pairs else ("row", "text")
        shared = f"the {text}" if clusters.column is None else f"the {clusters.column!r}"
        rows = number_of(clusters.repeated_rows, f"{item} shares", f"{item}s share")
        effect = f", design effect {clusters.design_effect:.1f}" if clusters.design_effect else ""
        yield (
            f"{rows} {shared} of another one: intervals and tests are over "
            f"{number_of(clusters.number, 'cluster')}{effect}"
        )


def summary_lines(results: Results) -> Iterator[str]:
    """Yield the whole summary as plain text."""
    yield from headlines(results)
    yield from (f"warning: {line}" for line in warnings_of(results))
    tables = conditions_shown(results)
    if tables:
        columns = columns_shown(results)
        yield from _align(terminal_headings(columns), tables, terminal_alignment(columns))
    if results.contrasts:
        shown = {GROUPS["contrast"]: contrasts_shown(results)}
        yield from _align(CONTRAST_HEADINGS, shown, terminal_alignment(CONTRAST_COLUMNS))
    if labels := entities_shown(results):
        yield from _align(ENTITY_HEADINGS, {ENTITY_TITLE: labels}, [True, True, *[False] * 5])
    yield from axis_lines(results)


def _align(headings: list[str], tables: dict[str, list[list[str]]], texts: list[bool]) -> Iterator[str]:
    """Yield rows under the headings of their tables, all columns aligned."""
    rows = [headings, *(row for rows in tables.values() for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    yield _join(headings, widths, texts)
    for heading, shown in tables.items():
        yield f"{heading}:"
        yield from (_join(row, widths, texts) for row in shown)


def _join(row: list[str], widths: list[int], texts: list[bool]) -> str:
    cells = [
        cell.ljust(width) if text else cell.rjust(width)
        for cell, width, text in zip(row, widths, texts, strict=True)
    ]
    return "  ".join(cells).rstrip()
