"""`salva evaluate`: measure whether a model's answers stay right when words are swapped."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from salva._process import share_freed_memory
from salva._show import interval, number, number_of
from salva.asking.run_folder import SETTINGS
from salva.cli.asked import (
    FLAGS,
    KEYS,
    MEASURES,
    MODEL,
    OPENING,
    REQUEST,
    RUN,
    AskedOptions,
    describe_keys,
    parse_label_map,
    parse_model,
)
from salva.cli.compare import print_comparison
from salva.cli.options import OUTPUT, GroupedCommand, common_options, option, take_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.evaluation import Run, compare, evaluate
from salva.evaluation.gate import check_limits, check_names
from salva.evaluation.headline import (
    CONTRAST_HEADINGS,
    ENTITY_HEADINGS,
    ENTITY_TITLE,
    axis_lines,
    columns_shown,
    conditions_shown,
    contrasts_shown,
    drop_of,
    entities_shown,
    headlines,
    limit_of,
    validity_lines,
    warnings_of,
)
from salva.evaluation.judging import change_options
from salva.evaluation.results import Blame, PresetResult, Results
from salva.evaluation.run import REPORT
from salva.models import ADAPTERS
from salva.models.secrets import hide_secrets
from salva.numbers import terminal_headings
from salva.transforms import FAMILIES

_SPECS = [adapter.spec for adapter in ADAPTERS.values()]
_JUDGE = "judge."
_SHOWN = 8  # words to blame
_FORMS = 3  # of a word


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Which model is asked, what is measured, and where the run is kept."""

    models: tuple[str, ...] = option(
        "--model",
        multiple=True,
        metavar="SPEC",
        help=f"The model: {', '.join(_SPECS[:-1])} or {_SPECS[-1]}; several are asked the same questions.",
        group=MODEL,
    )
    settings: tuple[str, ...] = option(
        "-M",
        multiple=True,
        metavar="KEY=VALUE",
        help="A setting of the model, listed below; judge.KEY=VALUE for the judge.",
        group=MODEL,
    )
    label_map: tuple[str, ...] = option(
        "--label-map",
        multiple=True,
        metavar="MODEL=DATA",
        help="Map a model label to a data label.",
        group=MODEL,
    )
    judge: str | None = option(
        "--judge", metavar="SPEC", help="The model that judges the replies to a task.", group=MODEL
    )
    drop_limit: float | None = option(
        "--drop-limit",
        type=float,
        metavar="X",
        help="Limit of a drop in points; tables say which drops are over it. Default: 4.",
        group=MEASURES,
    )
    max_calls: int | None = option(
        "--max-calls",
        type=click.IntRange(min=0),
        metavar="N",
        help="Stop before more than N questions are sent.",
        group=MEASURES,
    )
    output: str | None = option(
        "-o", "--output", type=OUTPUT, metavar="RUN", help="Folder for the run.", group=RUN
    )
    resume: bool = option("--resume", is_flag=True, help="Continue the run in RUN.", group=RUN)
    overwrite: bool = option(
        "--overwrite", is_flag=True, help="Start over in RUN if it holds a run.", group=RUN
    )
    fail_if: tuple[str, ...] = option(
        "--fail-if",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if a rule such as 'drop.low > 4' holds for any condition.",
        group=RUN,
    )

    def add_to(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of `salva.evaluate`, with those that are about the model and the run."""
        pairs = [pair for pair in self.settings if not pair.startswith(_JUDGE)]
        own = [pair.removeprefix(_JUDGE) for pair in self.settings if pair.startswith(_JUDGE)]
        options = arguments["options"].replace(model=parse_model(pairs))
        measure: dict[str, Any] = {"label_map": parse_label_map(self.label_map), "judge": self.judge}
        if self.judge is not None:
            measure["judge_options"] = change_options(options.model, parse_model(own, _JUDGE))
        elif own:
            raise UsageError(f"-M {_JUDGE}{own[0]}: there is no judge; name one with --judge SPEC")
        if self.drop_limit is not None:
            measure["drop_limit"] = self.drop_limit
        limits = {} if self.max_calls is None else {"calls": self.max_calls}
        return {
            **arguments,
            "out": self.output,
            "resume": self.resume,
            "overwrite": self.overwrite,
            "options": options.replace(measure=measure, limits=limits),
        }


@click.command(
    "evaluate",
    cls=GroupedCommand,
    keys={"Keys of -M": f"{describe_keys(OPENING)}\n{REQUEST}", **KEYS},
    flags={**FLAGS, "baseline": "salva report --baseline"},
)
@click.argument("source", metavar="DATA|SUITE|PAIRS")
@take_options(AskedOptions, "asked")
@take_options(RunOptions, "run")
@common_options
def command(source: str, *, asked: AskedOptions, run: RunOptions, as_json: bool) -> None:
    """Ask a model about the texts of DATA and their rewritten twins, and report how much worse it gets.

    If it is the folder of a suite, the questions of the suite are asked; if it holds pairs, both sides of
    them. The run is kept in the folder RUN: the numbers (results.json), a report (report.html), every
    question and every answer. With several models, each has a folder in RUN, and the report compares them. A
    run that was stopped continues with --resume, and ends as if it had never been stopped.
    `salva questions` counts what would be asked.
    """
    share_freed_memory()
    if run.fail_if:
        check_names(run.fail_if)
    arguments = run.add_to(asked.gather(source))
    if not run.models or run.output is None:
        raise UsageError(
            "give a model with --model SPEC and a folder with -o RUN; salva questions needs neither"
        )
    asked_of = list(run.models) if len(run.models) > 1 else run.models[0]
    try:
        found = evaluate(source, asked_of, progress=not is_quiet(), **arguments)
    except (KeyboardInterrupt, SystemExit):
        if Path(run.output, SETTINGS).is_file():
            again = hide_secrets(shlex.join([*sys.argv[1:], *([] if run.resume else ["--resume"])]))
            print_line(f"stopped; every answer so far is kept. To continue: salva {again}", to_stderr=True)
        raise
    if isinstance(found, list):
        _print_runs(found, run.output, as_json=as_json)
    elif as_json:
        print_json(found.results.as_dict())
    elif not is_quiet():
        print_run(found)
    for one in (found if isinstance(found, list) else [found]) if run.fail_if else ():
        check_limits(one.results, run.fail_if)


def _print_runs(runs: list[Run], folder: str, *, as_json: bool) -> None:
    """Print how several models compare, and where the report of each is."""
    if as_json:
        print_json([run.results.as_dict() for run in runs])
    elif not is_quiet():
        print_comparison(compare(*runs))
        for run in runs:
            print_line(f"{run.results.model.name}: {run.folder}")
        print_line(f"report: {Path(folder) / REPORT}")


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
    rows = [
        (
            condition.name,
            audited.items,
            audited.readers,
            number(audited.invalid.value),
            number(condition.score.drop.value),
            number(audited.drop.value),
            interval(audited.drop),
            number(condition.score.consistency.value),
            number(audited.consistency.value),
        )
        for condition in results.conditions
        if (audited := condition.audited) is not None
    ]
    if rows:
        print_table(
            "without invalid twins: drop in points, same answers in %",
            (
                "condition",
                "read",
                "readers",
                "invalid %",
                "drop",
                "of valid",
                "interval",
                "same",
                "of valid",
            ),
            rows,
        )


def _print_slices(results: Results) -> None:
    """Print the slices by columns, under the condition with the largest drop."""
    worst = max(results.conditions, key=drop_of, default=None)
    for slicing in results.slices:
        if slicing.column is None or worst is None:
            continue
        rows = [
            (
                part.name,
                score.n,
                number(score.accuracy_before.value),
                number(score.accuracy_after.value),
                number(score.drop.value),
                interval(score.drop),
                number(score.consistency.value),
            )
            for part in slicing.slices
            for score in part.scores
            if score.condition == worst.name
        ]
        print_table(
            f"{worst.name} by {slicing.column}",
            (slicing.column, "n", "before", "after", "drop", "interval", "same"),
            rows,
        )


def _describe_curve(preset: PresetResult) -> str:
    levels = preset.curve.reached
    reached = [f"{points} at {severity:.2f}" for points, severity in levels.items() if severity is not None]
    missed = [points for points, severity in levels.items() if severity is None]
    parts = [f"drop in points, and the severity that reaches it: {', '.join(reached)}"] if reached else []
    parts += [f"not reached: a drop of {', '.join(missed)} points"] if missed else []
    return f"{preset.preset}: {'; '.join(parts)}"


def _print_blame(blame: Blame) -> None:
    rows = [
        (
            word.word,
            ", ".join(word.became[:_FORMS]) + (", …" if len(word.became) > _FORMS else ""),
            word.seen,
            word.blamed,
            word.alone,
            word.together,
            word.either,
            f"{word.rate.value:.0f} [{word.rate.low:.0f}, {word.rate.high:.0f}]",
        )
        for word in blame.words[:_SHOWN]
    ]
    print_table(
        f"words to blame: {blame.explained:,} of {number_of(blame.rows, 'flip')} explained",
        ("word", "became", "seen", "to blame", "alone", "together", "either", "% [interval]"),
        rows,
    )
