"""`salva report`: show a run, or write its report again; and how runs are printed on the terminal."""

from __future__ import annotations

from typing import Any

import click

from salva._files import write_atomically
from salva._show import interval, number, number_of
from salva.audit import correct
from salva.cli.asked import parse_label_map
from salva.cli.gate_options import GateOptions, gate_options
from salva.cli.options import common_options
from salva.cli.paths import OUTPUT
from salva.cli.settings import MEASURING, parse_settings
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.evaluation import Run, load_run, rescore, write_results
from salva.evaluation.exports import EXPORTS
from salva.evaluation.headline import drop_of, limit_of
from salva.evaluation.rescoring import FREE
from salva.evaluation.results import Blame, PresetResult, Results
from salva.evaluation.summary import (
    CONTRAST_HEADINGS,
    ENTITY_HEADINGS,
    ENTITY_TITLE,
    axis_lines,
    columns_shown,
    conditions_shown,
    contrasts_shown,
    entities_shown,
    headlines,
    validity_lines,
    warnings_of,
)
from salva.numbers import terminal_headings
from salva.transforms import FAMILIES

_SHOWN = 8  # words to blame
_FORMS = 3  # of a word


@click.command("report")
@click.argument("run", metavar="RUN")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="FILE", help="Write the report here; default: print the table."
)
@click.option(
    "--results", type=OUTPUT, metavar="FILE", help="Write the table of conditions as .csv or .parquet."
)
@click.option(
    "--to",
    "form",
    type=click.Choice(list(EXPORTS)),
    help="Print or write the run in another form instead: model-index metadata, or one line to cite.",
)
@click.option(
    "--audit",
    "sheets",
    multiple=True,
    metavar="SHEET",
    help="Verdicts of readers, to correct drops for invalid twins; can be repeated.",
)
@click.option("--raw", is_flag=True, help="Keep .csv cells that begin with = + - @ unchanged.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option("--task", metavar="T", help="Grade the replies again, by the task with another [answer].")
@click.option(
    "--label-map", multiple=True, metavar="MODEL=DATA", help="Score again, with a label of the model mapped."
)
@click.option("--drop-limit", type=float, metavar="X", help="Score again, with another limit of a drop.")
@click.option(
    "-S",
    "measuring",
    multiple=True,
    metavar="KEY=VALUE",
    help=f"Score again, with another {', '.join(name for name in MEASURING if name in FREE)} or metric.",
)
@gate_options
@common_options
def command(
    run: str,
    *,
    output: str | None,
    results: str | None,
    form: str | None,
    sheets: tuple[str, ...],
    raw: bool,
    overwrite: bool,
    task: str | None,
    label_map: tuple[str, ...],
    drop_limit: float | None,
    measuring: tuple[str, ...],
    gate: GateOptions,
    as_json: bool,
) -> None:
    """Show the finished run in the folder RUN, or write its report or its table to a file.

    With --audit, the numbers of the valid twins are shown next to those of all twins. With --fail-if, the run
    is checked against limits. With --task, --label-map, --drop-limit or -S, the stored answers are scored again,
    without the model, and the files in RUN are replaced; otherwise, nothing in RUN changes.
    """
    gate.check(audited=bool(sheets))
    changes = _list_changes(label_map, drop_limit, measuring)
    if task is not None or changes:
        rescore(run, task=task, progress=not is_quiet(), **changes)
    if as_json and form is not None and output is None:
        raise UsageError("--json and --to both print a form of the run; choose one, or pass -o FILE")
    loaded = correct(load_run(run), sheets) if sheets else load_run(run)
    if form is not None:
        _export(loaded, form, output, overwrite=overwrite)
    elif output is not None:
        loaded.report(output, overwrite=overwrite)
    if results is not None:
        write_results(loaded.results, results, raw=raw)
    if as_json:
        print_json(loaded.results.as_dict())
    elif form is None and output is None and results is None:
        print_run(loaded)
    elif not is_quiet() and (output or results):
        print_line(f"written: {', '.join(name for name in (output, results) if name)}")
    gate.apply(loaded, as_json=as_json)


def _list_changes(
    label_map: tuple[str, ...], drop_limit: float | None, measuring: tuple[str, ...]
) -> dict[str, Any]:
    """Return the settings with which a run is scored again."""
    groups = parse_settings("-S", measuring, MEASURING)
    changes = groups.pop("measure", {})
    other = next((key for values in groups.values() for key in values), None)
    if other is not None:
        raise UsageError(f"-S {other}=… changes what is asked; make a new run with salva evaluate")
    if label_map:
        changes["label_map"] = parse_label_map(label_map)
    return changes if drop_limit is None else {**changes, "drop_limit": drop_limit}


def _export(run: Run, form: str, output: str | None, *, overwrite: bool) -> None:
    content = EXPORTS[form](run.results)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_atomically(output, content.encode(), overwrite=overwrite)


def print_run(run: Run) -> None:
    """Print conditions with intervals, curves in words, words to blame, and the path of the report."""
    results = run.results
    for line in headlines(results):
        print_line(line)
    limit = f"over limit: is the drop over {limit_of(results.settings):g} points?"
    valid = " valid: edits judged to keep the meaning" if results.presets else ""
    print_line(f"in %; drop: in points, with its 95 % interval; {limit}{valid}")
    headings = terminal_headings(columns_shown(results))
    for heading, rows in conditions_shown(results).items():
        print_table(heading, headings, rows)
    if results.contrasts:
        print_table(FAMILIES["contrast"], CONTRAST_HEADINGS, contrasts_shown(results))
    if labels := entities_shown(results):
        print_table(ENTITY_TITLE, ENTITY_HEADINGS, labels)
    for line in (*axis_lines(results), *validity_lines(results)):
        print_line(line)
    _print_audited(results)
    _print_slices(results)
    for preset in results.presets:
        print_line(_describe_curve(preset))
    if results.blame is not None and results.blame.words:
        _print_blame(results.blame)
    for line in warnings_of(results):
        print_line(f"warning: {line}")
    if run.folder is not None:
        print_line(f"report: {run.folder / 'report.html'}")


def _print_audited(results: Results) -> None:
    """Print the numbers of valid twins, if some were read."""
    rows = []
    for condition in results.conditions:
        audited = condition.audited
        if audited is not None:
            read = (condition.name, audited.items, audited.readers, number(audited.invalid.value))
            drop = (number(condition.score.drop.value), number(audited.drop.value), interval(audited.drop))
            same = (condition.score.consistency, audited.consistency)
            rows.append((*read, *drop, *(number(estimate.value) for estimate in same)))
    if rows:
        title = "without invalid twins: drop in points, same answers in %"
        columns = (
            "condition",
            "read",
            "readers",
            "invalid %",
            "drop",
            "of valid",
            "interval",
            "same",
            "of valid",
        )
        print_table(title, columns, rows)


def _print_slices(results: Results) -> None:
    """Print the slices by columns, under the condition with the largest drop."""
    worst = max(results.conditions, key=drop_of, default=None)
    for slicing in results.slices:
        if slicing.column is None or worst is None:
            continue
        rows = []
        for part in slicing.slices:
            score = next(score for score in part.scores if score.condition == worst.name)
            rates = (number(score.accuracy_before.value), number(score.accuracy_after.value))
            drop = (number(score.drop.value), interval(score.drop))
            rows.append((part.name, score.n, *rates, *drop, number(score.consistency.value)))
        title = f"{worst.name} by {slicing.column}"
        print_table(title, (slicing.column, "n", "before", "after", "drop", "interval", "same"), rows)


def _describe_curve(preset: PresetResult) -> str:
    levels = preset.curve.reached
    reached = [f"{points} at {severity:.2f}" for points, severity in levels.items() if severity is not None]
    missed = [points for points, severity in levels.items() if severity is None]
    parts = [f"drop in points, and the severity that reaches it: {', '.join(reached)}"] if reached else []
    parts += [f"not reached: a drop of {', '.join(missed)} points"] if missed else []
    return f"{preset.preset}: {'; '.join(parts)}"


def _print_blame(blame: Blame) -> None:
    rows = []
    for word in blame.words[:_SHOWN]:
        share = f"{word.rate.value:.0f} [{word.rate.low:.0f}, {word.rate.high:.0f}]"
        became = ", ".join(word.became[:_FORMS]) + (", …" if len(word.became) > _FORMS else "")
        rows.append(
            (word.word, became, word.seen, word.blamed, word.alone, word.together, word.either, share)
        )
    title = f"words to blame: {blame.explained:,} of {number_of(blame.rows, 'flip')} explained"
    headings = ("word", "became", "seen", "to blame", "alone", "together", "either", "% [interval]")
    print_table(title, headings, rows)
