"""`salva evaluate`: measure how much worse a model gets on rewritten texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click

from salva.cli.data_options import reading_options
from salva.cli.gate_options import GateOptions, gate_options
from salva.cli.judge_options import JudgeOptions, judge_options
from salva.cli.model_options import budget_options, list_specs, model_options, resumable
from salva.cli.options import common_options, option, take_options
from salva.cli.outline import print_outline
from salva.cli.paths import OUTPUT
from salva.cli.preset_options import PresetOptions, preset_options
from salva.cli.report import print_run
from salva.cli.show import is_quiet, print_json, working
from salva.cli.twin_options import (
    limit_field,
    opposites_field,
    parse_opposites,
    presets_field,
    replicates_field,
    sample_field,
    seed_field,
    severities_field,
    task_field,
)
from salva.errors import UsageError
from salva.evaluation import evaluate, log_run, outline, write_results
from salva.evaluation.settings import DEFAULT_PRESETS, SEVERITIES
from salva.evaluation.tracking import TRACKERS, check_tracker
from salva.evaluation.trial import TRIAL_TEXTS
from salva.models import ADAPTERS, ModelOptions, load_function
from salva.rows import ReadOptions
from salva.runs import ENGINES, Budget, Engine
from salva.suites import is_suite
from salva.tasks import Task, span_task
from salva.transforms import expand_names

_SPECS = list_specs(adapter for adapter in ADAPTERS.values() if adapter.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is asked: the model, where the run is kept, and the conditions."""

    model: str | None = option("--model", metavar="SPEC", help=f"The model: {_SPECS}.")
    task: str | None = task_field("Ask")
    spans: str | None = option(
        "--spans", metavar="C", help="Column with labelled spans of the text, which the model has to find."
    )
    output: str | None = option("-o", "--output", type=OUTPUT, metavar="RUN", help="Folder for the run.")
    names: tuple[str, ...] = presets_field()
    severities: tuple[float, ...] = severities_field()
    axes: tuple[str, ...] = option(
        "--axis",
        multiple=True,
        metavar="AXIS=VALUE",
        help="Ask in other ways too: prompts=FILE, order=K or order=all, repeat=N, variants=COLUMN. "
        "Without --preset, no preset runs.",
    )
    cross: bool = option("--cross", is_flag=True, help="Ask about the twins of presets along the axes too.")
    replicates: int = replicates_field()
    seed: int = seed_field()

    def find_task(self, text_column: str | None) -> str | Task | None:
        """Return the task to ask: that of the user, or to find spans."""
        if self.spans is None:
            return self.task
        if self.task is not None:
            raise UsageError(
                '--task and --spans exclude each other; write [answer] kind = "spans" in the task'
            )
        return span_task(self.spans, text_column or "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """What is measured."""

    limit: int | None = limit_field("Evaluate")
    sample: int | None = sample_field("Evaluate")
    label_map: tuple[str, ...] = option(
        "--label-map", multiple=True, metavar="MODEL=DATA", help="Map a model label to a data label."
    )
    contrast_labels: tuple[str, ...] = opposites_field()
    transform_column: str | None = option(
        "--transform-column", metavar="C", help="Which of two text columns to rewrite; default: the first."
    )
    group_column: str | None = option(
        "--group-column", metavar="C", help="Column of item families: such rows are not independent."
    )
    slice_by: tuple[str, ...] = option(
        "--slice-by", multiple=True, metavar="C", help="Column by whose values drops are reported, too."
    )
    metric: str | None = option(
        "--metric", metavar="SPEC", help="Your own metric: python:pkg.mod:f, f(labels, answers)."
    )
    effective_over: float = option(
        "--effective-over",
        type=float,
        default=4.0,
        show_default=True,
        help="Limit of a drop in points; tables say which drops are over it.",
    )
    noise: int = option(
        "--noise", type=int, default=100, show_default=True, help="Clean texts to ask about twice."
    )
    flips: int = option(
        "--flips", type=int, default=50, show_default=True, help="Flips to keep and examine per condition."
    )
    blame_calls: int = option(
        "--blame-calls",
        type=int,
        default=32,
        show_default=True,
        help="Model calls per flip to find the words to blame; 0: none.",
    )

    def find_column(self, text_columns: str | None) -> int:
        """Return the number of the text column to rewrite."""
        if self.transform_column is None:
            return 0
        names = [name.strip() for name in (text_columns or "").split(",")]
        if self.transform_column not in names:
            problem = f"--transform-column {self.transform_column!r} must be one of --text-column"
            raise UsageError(f"{problem} {text_columns!r}")
        return names.index(self.transform_column)


def parse_label_map(pairs: Iterable[str]) -> dict[str, str]:
    """Return the data label for each label of the model."""
    labels = {}
    for pair in pairs:
        label, equals, target = pair.partition("=")
        if not equals or not label or not target:
            raise UsageError(f"--label-map {pair!r} must be MODEL=DATA, such as POSITIVE=1")
        labels[label] = target
    return labels


def parse_axes(pairs: Iterable[str]) -> dict[str, Any]:
    """Return the settings of axes by name; only variants may have several."""
    axes: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not value:
            raise UsageError(f"--axis {pair!r} must be AXIS=VALUE, such as order=4 or prompts=FILE")
        if name == "variants":
            axes.setdefault(name, []).append(value)
        elif name in axes:
            raise UsageError(f"--axis {name} is given twice; only variants can be repeated")
        else:
            axes[name] = value
    return axes


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """What happens with the results, and how the run is carried out."""

    results: str | None = option(
        "--results",
        type=OUTPUT,
        metavar="FILE",
        help="Also write the table of conditions as .csv or .parquet.",
    )
    raw: bool = option("--raw", is_flag=True, help="Keep .csv cells that begin with = + - @ unchanged.")
    log_to: str | None = option(
        "--log-to", type=click.Choice(list(TRACKERS)), help="Also send the numbers to a tracker."
    )
    export: str | None = option(
        "--export", type=OUTPUT, metavar="DIR", help="Write the texts for answers:DIR; no model is asked."
    )
    dry_run: bool = option(
        "--dry-run",
        is_flag=True,
        help="Print calls, time and what can be shown; the model, if given, is asked about 20 texts.",
    )
    resume: bool = option("--resume", is_flag=True, help="Continue the run in RUN.")
    same_model: bool = option(
        "--same-model", is_flag=True, help="With --resume: keep the answers although the model changed."
    )
    overwrite: bool = option("--overwrite", is_flag=True, help="Start over in RUN if it holds a run.")
    threads: int | None = option(
        "--threads", type=click.IntRange(min=1), metavar="N", help="Threads; default: all cores."
    )


_ENGINE = {
    "name": option(
        "--engine",
        type=click.Choice(list(ENGINES)),
        default="local",
        show_default=True,
        help="Where the model is asked.",
    ),
    "actors": option(
        "--actors", type=int, metavar="N", help="ray: processes with the model; default: one per GPU or core."
    ),
    "address": option("--address", metavar="A", help="ray: the cluster; default: RAY_ADDRESS, or none."),
}


@click.command("evaluate")
@click.argument("source", metavar="DATA|SUITE")
@take_options(RunOptions, "asked")
@judge_options
@preset_options
@take_options(MeasureOptions, "measured")
@budget_options
@gate_options
@take_options(OutputOptions, "output")
@take_options(Engine, "engine", _ENGINE)
@model_options
@reading_options
@common_options
def command(
    source: str,
    *,
    asked: RunOptions,
    judging: JudgeOptions,
    changes: PresetOptions,
    measured: MeasureOptions,
    budget: Budget,
    gate: GateOptions,
    output: OutputOptions,
    engine: Engine,
    opening: ModelOptions,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Ask a model about the texts of DATA and their rewritten twins, and report how much worse it gets.

    If it is the folder of a suite, its frozen twins are asked about. The run is kept in the folder RUN: the
    numbers (results.json), a report (report.html), every answer. A run that was stopped continues with
    --resume, and ends as if it had never been stopped.
    """
    gate.check(output=asked.output)
    if output.log_to:
        check_tracker(output.log_to)
    judge = {"judge": judging.model, "judge_options": judging.make_options(opening)}
    arguments = _gather(source, asked, changes, measured, reading) | judge | {"threads": output.threads}
    if output.dry_run or output.export:
        with working("making the texts"):
            plan = outline(
                source,
                model=None if output.export else asked.model,
                model_options=opening,
                export=output.export,
                trial_texts=TRIAL_TEXTS if budget.calls is None else min(budget.calls, TRIAL_TEXTS),
                progress=not is_quiet(),
                **arguments,
            )
        print_outline(plan, asked.model, output.export, as_json=as_json)
        return
    if asked.model is None or asked.output is None:
        raise UsageError("give a model with --model SPEC and a folder with -o RUN, or use --dry-run")
    with resumable(asked.output, resume=output.resume):
        run = evaluate(
            source,
            model=asked.model,
            out=asked.output,
            resume=output.resume,
            overwrite=output.overwrite,
            same_model=output.same_model,
            model_options=opening,
            metric=load_function(measured.metric) if measured.metric else None,
            max_calls=budget.calls,
            max_errors=budget.errors,
            engine=engine,
            progress=not is_quiet(),
            **arguments,
        )
    if output.results:
        write_results(run.results, output.results, raw=output.raw)
    if output.log_to:
        log_run(run, output.log_to)
    if as_json:
        print_json(run.results.as_dict())
    elif not is_quiet():
        print_run(run)
    gate.apply(run, as_json=as_json)


def _gather(
    source: str, asked: RunOptions, changes: PresetOptions, measured: MeasureOptions, reading: ReadOptions
) -> dict[str, Any]:
    """Return the arguments that a run and its outline share; a suite has its own presets."""
    frozen = is_suite(source) and not asked.names and not changes.parse_settings()
    axes = parse_axes(asked.axes)
    chosen = asked.names or (() if axes else DEFAULT_PRESETS)
    names = ("effective_over", "noise", "flips", "blame_calls", "limit", "sample", "group_column", "slice_by")
    return {
        **{name: getattr(measured, name) for name in names},
        "replicates": asked.replicates,
        "seed": asked.seed,
        "task": asked.find_task(reading.text_column),
        "axes": axes,
        "cross": asked.cross,
        "presets": None if frozen else changes.make_presets(expand_names(chosen)),
        "fit": changes.fit or None,
        "severities": asked.severities or SEVERITIES,
        "label_map": parse_label_map(measured.label_map),
        "contrast_labels": parse_opposites(measured.contrast_labels),
        "transformed_column": measured.find_column(reading.text_column),
        "options": reading,
    }
