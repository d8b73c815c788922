"""A run as lines of text: what the terminal shows and what `Run.summary` returns."""

from __future__ import annotations

from collections.abc import Iterator

from salva._show import interval, number, number_of, p_value
from salva.evaluation.results import Condition, Results

COLUMNS = ("condition", "before", "after", "drop", "interval", "p (Holm)", "same", "effective")


def condition_row(condition: Condition) -> tuple[str, ...]:
    """Return the cells of a condition under `COLUMNS`."""
    score = condition.score
    return (
        condition.name,
        number(score.accuracy_before.value),
        number(score.accuracy_after.value),
        number(score.drop.value),
        interval(score.drop),
        p_value(score.p_holm),
        number(score.consistency.value),
        _verdict(condition),
    )


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
    cut = max([results.truncated_clean, *(one.truncated for one in results.conditions)])
    if cut:
        clean = f"{results.truncated_clean:,} clean, up to {cut:,} per condition"
        yield f"texts too long for the model, which reads only their beginning: {clean}"


def summary_lines(results: Results) -> Iterator[str]:
    """Yield the whole summary as plain text."""
    yield from headlines(results)
    yield from (f"warning: {line}" for line in warnings_of(results))
    rows = [COLUMNS, *(condition_row(one) for one in results.conditions)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    for row in rows:
        cells = [
            cell.ljust(widths[k]) if k in (0, 7) else cell.rjust(widths[k]) for k, cell in enumerate(row)
        ]
        yield "  ".join(cells).rstrip()


def _verdict(condition: Condition) -> str:
    if condition.score.effective is None:
        return "n/a"
    return ("surely" if condition.score.surely_effective else "yes") if condition.score.effective else "no"
