"""A run as lines of text: what the terminal shows and what `Run.summary` returns."""

from __future__ import annotations

from collections.abc import Iterator

from salva._show import number_of
from salva.evaluation.results import Results
from salva.evaluation.tables import COLUMNS
from salva.pairs.statistics import terminal_alignment, terminal_headings, terminal_row


def conditions_shown(results: Results) -> list[list[str]]:
    """Return the headings of the table of conditions on the terminal, then one row per condition."""
    rows = [terminal_row(COLUMNS, condition) for condition in results.conditions]
    return [terminal_headings(COLUMNS), *rows]


def headlines(results: Results) -> Iterator[str]:
    """Yield what the run is about: the model, the data, the label mapping and the noise."""
    data, noise = results.data, results.noise
    labels = ", ".join(f"{name} {count:,}" for name, count in data.labels.items()) or "no labels"
    yield f"{results.model.name} on {data.name}: {number_of(data.rows, 'row')} ({labels})"
    renamed = [f"{ours} = {theirs}" for ours, theirs in results.model.labels.items() if ours != theirs]
    if renamed:
        yield f"labels of the model and of the data: {', '.join(renamed)}"
    asked = number_of(noise.asked, "clean text")
    yield f"noise floor: {noise.changed:,} of {asked} got a different answer when asked again"


def warnings_of(results: Results) -> Iterator[str]:
    """Yield what a reader must know to interpret the numbers."""
    noise = results.noise
    if noise.alone_changed:
        cause = "answers vary from call to call" if noise.changed else "answers depend on the batch"
        yield (
            f"{noise.alone_changed:,} of {number_of(noise.alone_asked, 'answer')} changed when asked alone: "
            f"the model's {cause}"
        )
    if results.data.unlabelled:
        bare = number_of(results.data.unlabelled, "row has", "rows have")
        yield f"{bare} no label: used only for consistency"
    for failure in results.failures[:3]:
        yield f"no answer for {number_of(failure.times, 'text')}: {failure.error}"
    cut = max([results.truncated_clean, *(condition.truncated for condition in results.conditions)])
    if cut:
        clean = f"{results.truncated_clean:,} clean, up to {cut:,} per condition"
        yield f"texts too long for the model, which reads only their beginning: {clean}"


def summary_lines(results: Results) -> Iterator[str]:
    """Yield the whole summary as plain text."""
    yield from headlines(results)
    yield from (f"warning: {line}" for line in warnings_of(results))
    rows = conditions_shown(results)
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(row, widths, terminal_alignment(COLUMNS), strict=True)
        ]
        yield "  ".join(cells).rstrip()
