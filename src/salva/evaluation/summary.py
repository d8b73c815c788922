"""A run as lines of text: what the terminal shows and what `Run.summary` returns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from salva._show import number_of, shorten
from salva.evaluation.headline import describe_noise, describe_preset, write_headline
from salva.evaluation.results import Results, group_by_family
from salva.evaluation.tables import COLUMNS
from salva.pairs.statistics import terminal_alignment, terminal_headings, terminal_row
from salva.transforms import FAMILIES

_WIDTH = 100  # of sentences
HEADINGS = terminal_headings(COLUMNS)


def conditions_shown(results: Results) -> dict[str, list[list[str]]]:
    """Return one row per condition under the heading of its family; the columns are `HEADINGS`."""
    return {
        FAMILIES[family]: [terminal_row(COLUMNS, condition) for condition in conditions]
        for family, conditions in group_by_family(results.conditions).items()
    }


def validity_lines(results: Results) -> Iterator[str]:
    """Yield the validity of every preset."""
    for preset in results.presets:
        yield f"validity of {preset.preset}: {describe_preset(preset)}"


def headlines(results: Results) -> Iterator[str]:
    """Yield what the run is about (model, data, label mapping), its verdicts, and the noise."""
    data = results.data
    task = results.settings.get("task")
    without = f"task {task['name']}" if task else "no labels"
    labels = ", ".join(f"{shorten(name)} {count:,}" for name, count in data.labels.items()) or without
    yield f"{results.model.name} on {data.name}: {number_of(data.rows, 'row')} ({labels})"
    renamed = [f"{shorten(a)} = {shorten(b)}" for a, b in results.model.labels.items() if a != b]
    if renamed:
        yield f"labels of the model and of the data: {', '.join(renamed)}"
    for sentence in write_headline(results):
        yield from textwrap.wrap(str(sentence), _WIDTH, break_on_hyphens=False)
    yield f"noise floor: {describe_noise(results)}"


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
    if results.duplicates is not None and results.duplicates.contradictory_rows:
        rows = number_of(results.duplicates.contradictory_rows, "row has", "rows have")
        yield f"{rows} the text of another row, but not its label: no model can get all of them right"
    if results.data.unlabelled:
        bare = number_of(results.data.unlabelled, "row has", "rows have")
        yield f"{bare} no label: used only for consistency"
    for failure in results.failures[:3]:
        yield f"no answer for {number_of(failure.times, 'text')}: {failure.error}"
    cut = max([results.truncated_clean, *(condition.truncated for condition in results.conditions)])
    if cut:
        clean = f"{results.truncated_clean:,} clean, up to {cut:,} per condition"
        yield f"texts too long for the model, which reads only their beginning: {clean}"


def _state_clusters(results: Results) -> Iterator[str]:
    clusters = results.clusters
    if clusters is not None and clusters.repeated_rows:
        shared = "the text" if clusters.column is None else f"the {clusters.column!r}"
        rows = number_of(clusters.repeated_rows, "row shares", "rows share")
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
    rows = [HEADINGS, *(row for rows in tables.values() for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    yield _join(HEADINGS, widths)
    for heading, shown in tables.items():
        yield f"{heading}:"
        yield from (_join(row, widths) for row in shown)


def _join(row: list[str], widths: list[int]) -> str:
    cells = [
        cell.ljust(width) if text else cell.rjust(width)
        for cell, width, text in zip(row, widths, terminal_alignment(COLUMNS), strict=True)
    ]
    return "  ".join(cells).rstrip()
