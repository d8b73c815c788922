"""`salva report`: show a run, write its report or what CI gets, score it again; how runs are printed."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from salva._files import storage_errors, write_atomically
from salva._show import NOTICE, interval, number
from salva.audit import correct
from salva.cli.asked import FLAGS, MEASURING, SCORING, describe_keys, parse_label_map, parse_settings
from salva.cli.evaluate import print_run
from salva.cli.options import OUTPUT, GroupedCommand, common_options, option, split_pairs, take_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.evaluation import Run, load_run, rescore, write_results
from salva.evaluation.baseline import measure_changes
from salva.evaluation.exports import EXPORTS
from salva.evaluation.gate import check_names, check_run
from salva.evaluation.github import annotation_lines, step_summary
from salva.evaluation.junit import junit_xml
from salva.numbers import Estimate

_VARIABLE = "GITHUB_STEP_SUMMARY"
_GROUP = "Limits, and what CI gets"

logger = logging.getLogger("salva")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The limits that a run must keep, and where the outcome is reported."""

    rules: tuple[str, ...] = option(
        "--fail-if",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if a rule such as 'drop.low > 4' holds for any condition.",
        group=_GROUP,
    )
    baseline: str | None = option(
        "--baseline",
        metavar="RUN",
        help="An earlier run over the same data; adds drop_change to the numbers of --fail-if.",
        group=_GROUP,
    )
    junit: str | None = option(
        "--junit",
        type=OUTPUT,
        metavar="FILE",
        help="Write JUnit XML: one test per condition, against --fail-if.",
        group=_GROUP,
    )
    summary: str | None = option(
        "--github-summary",
        type=OUTPUT,
        is_flag=False,
        flag_value=f"${_VARIABLE}",
        metavar="[FILE]",
        help=f"Add a Markdown summary to FILE, by default ${_VARIABLE}, and print annotations.",
        group=_GROUP,
    )

    def check(self, *, audited: bool = False) -> None:
        """Refuse rules that cannot be checked, and a baseline that is not one, before anything is done."""
        check_names(self.rules, audited=audited, baseline=self.baseline is not None)
        if self.baseline is not None:
            load_run(self.baseline)

    def apply(self, run: Run, *, as_json: bool = False) -> None:
        """Report a finished run to CI, then fail if a limit is broken."""
        baseline = None if self.baseline is None else load_run(self.baseline)
        changes = None if baseline is None else measure_changes(baseline, run)
        if baseline is not None and changes and not as_json and not is_quiet():
            _print_changes(baseline, run, changes)
        checked = check_run(run, self.rules, changes)
        if self.junit is not None:
            write_atomically(self.junit, junit_xml(checked), overwrite=True)
        if self.summary is not None:
            _append(self.summary, step_summary(checked))
            for line in annotation_lines(checked):
                print_line(line, to_stderr=True)
        checked.refuse_broken_limits()


def _append(target: str, text: str) -> None:
    """Add a text to a file, as GitHub wants it; earlier steps may have written there."""
    path = os.environ.get(_VARIABLE) if target == f"${_VARIABLE}" else target
    if not path:
        logger.log(
            NOTICE, "%s is not set, so no summary is written; --github-summary FILE names a file", _VARIABLE
        )
        return
    with storage_errors(path), Path(path).open("a", encoding="utf-8") as stream:
        stream.write(text)


def _print_changes(baseline: Run, run: Run, changes: Mapping[str, Estimate]) -> None:
    before = {condition.name: condition.score.drop.value for condition in baseline.results.conditions}
    after = {condition.name: condition.score.drop.value for condition in run.results.conditions}
    rows = [
        (name, *map(number, (before[name], drop, changes[name].value)), interval(changes[name]))
        for name, drop in after.items()
    ]
    print_table(
        f"drop in points, compared with {baseline.folder}",
        ("condition", "baseline", "this run", "change", "95 % interval"),
        rows,
    )


_WRITTEN, _AGAIN = "What is written", "Scoring again"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormOptions:
    """In which form the run is shown or written."""

    output: str | None = option(
        "-o",
        "--output",
        type=OUTPUT,
        metavar="FILE",
        help="Write the report here; default: print the table.",
        group=_WRITTEN,
    )
    results: str | None = option(
        "--results",
        type=OUTPUT,
        metavar="FILE",
        help="Write the table of conditions as .csv or .parquet.",
        group=_WRITTEN,
    )
    to: str | None = option(
        "--to",
        type=click.Choice(list(EXPORTS)),
        help="Print or write the run in another form instead: model-index metadata, or one line to cite.",
        group=_WRITTEN,
    )
    sheets: tuple[str, ...] = option(
        "--audit",
        multiple=True,
        metavar="SHEET",
        help="Verdicts of readers, to correct drops for invalid twins; can be repeated.",
        group=_WRITTEN,
    )
    raw: bool = option(
        "--raw", is_flag=True, help="Keep .csv cells that begin with = + - @ unchanged.", group=_WRITTEN
    )
    overwrite: bool = option("--overwrite", is_flag=True, help="Replace FILE if it exists.", group=_WRITTEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainOptions:
    """With what the stored answers are scored again."""

    task: str | None = option(
        "--task", metavar="T", help="Grade the replies by the task with another [answer].", group=_AGAIN
    )
    label_map: tuple[str, ...] = option(
        "--label-map",
        multiple=True,
        metavar="MODEL=DATA",
        help="Map a model label to a data label.",
        group=_AGAIN,
    )
    drop_limit: float | None = option(
        "--drop-limit", type=float, metavar="X", help="Another limit of a drop.", group=_AGAIN
    )
    measuring: tuple[str, ...] = option(
        "-S", multiple=True, metavar="KEY=VALUE", help="Another setting, listed below.", group=_AGAIN
    )

    def list_changes(self) -> dict[str, Any]:
        """Return the arguments of `salva.rescore`; none if nothing is scored again."""
        for name, _ in split_pairs("-S", self.measuring):
            if name in MEASURING and name not in SCORING:
                raise UsageError(f"-S {name} is for asking; make a new run with salva evaluate")
        changes = parse_settings("-S", self.measuring, SCORING).get("measure", {})
        labels = parse_label_map(self.label_map) or None
        given = {"task": self.task, "drop_limit": self.drop_limit, "label_map": labels}
        return changes | {name: value for name, value in given.items() if value is not None}


@click.command("report", cls=GroupedCommand, keys={"Keys of -S": describe_keys(SCORING)}, flags=FLAGS)
@click.argument("run", metavar="RUN")
@take_options(FormOptions, "form")
@take_options(AgainOptions, "again")
@take_options(GateOptions, "gate")
@common_options
def command(run: str, *, form: FormOptions, again: AgainOptions, gate: GateOptions, as_json: bool) -> None:
    """Show the finished run in the folder RUN, or write its report or its table to a file.

    With --audit, the numbers of the valid twins are shown next to those of all twins. With --fail-if, the run
    is checked against limits. With --task, --label-map, --drop-limit or -S, the stored answers are scored
    again, without the model, and the files in RUN are replaced; otherwise, nothing in RUN changes.
    """
    gate.check(audited=bool(form.sheets))
    if as_json and form.to is not None and form.output is None:
        raise UsageError("--json and --to both print a form of the run; choose one, or pass -o FILE")
    if changes := again.list_changes():
        rescore(run, progress=not is_quiet(), **changes)
    loaded = correct(load_run(run), form.sheets) if form.sheets else load_run(run)
    if form.to is not None:
        _export(loaded, form.to, form.output, overwrite=form.overwrite)
    elif form.output is not None:
        loaded.report(form.output, overwrite=form.overwrite)
    if form.results is not None:
        write_results(loaded.results, form.results, raw=form.raw)
    if as_json:
        print_json(loaded.results.as_dict())
    elif form.to is None and form.output is None and form.results is None:
        print_run(loaded)
    elif not is_quiet() and (form.output or form.results):
        print_line(f"written: {', '.join(name for name in (form.output, form.results) if name)}")
    gate.apply(loaded, as_json=as_json)


def _export(run: Run, form: str, output: str | None, *, overwrite: bool) -> None:
    content = EXPORTS[form](run.results)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_atomically(output, content.encode(), overwrite=overwrite)
