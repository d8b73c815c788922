"""`salva evaluate`: measure how much worse a model gets on rewritten texts."""

from __future__ import annotations

from typing import Any

import click

from salva._show import number_of
from salva.cli.data_options import reading_options
from salva.cli.model_options import MODEL_NAMES, model_options
from salva.cli.options import common_options
from salva.cli.preset_options import PresetOptions, preset_options
from salva.cli.results import print_results
from salva.cli.running import errors_given, limit_options, resumable
from salva.cli.show import counting, is_quiet, print_json, print_line
from salva.datasets import ReadOptions
from salva.errors import UsageError
from salva.evaluation import Outline, Run, check_limits, evaluate, log_run, outline, write_results
from salva.evaluation.limits import check_names
from salva.evaluation.settings import SEVERITIES
from salva.models import ModelOptions, load_function
from salva.transforms import presets


@click.command("evaluate")
@click.argument("source", metavar="DATA")
@click.option(
    "--model", metavar="SPEC", help="The model: builtin:reviews, python:pkg.mod:f, hf:DIR, command:…"
)
@click.option("-o", "--output", metavar="RUN", help="Folder for the run.")
@click.option(
    "--preset", "names", multiple=True, metavar="P", help="Name or TOML file; default: all presets."
)
@click.option(
    "--severity",
    "severities",
    type=float,
    multiple=True,
    metavar="S",
    help="Severity; default: 0.25, 0.5 and 1.",
)
@click.option("--replicates", type=int, default=1, metavar="K", help="Independent variants of every text.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the edits.")
@preset_options
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Evaluate only the first N rows.")
@click.option("--label-map", multiple=True, metavar="MODEL=DATA", help="Map a model label to a data label.")
@click.option(
    "--transform-column", metavar="C", help="Which of two text columns to rewrite; default: the first."
)
@click.option("--metric", metavar="SPEC", help="Your own metric: python:pkg.mod:f, f(labels, answers).")
@click.option(
    "--effective-over",
    type=float,
    default=4.0,
    show_default=True,
    help="Points above which a drop is effective.",
)
@click.option("--noise", type=int, default=100, show_default=True, help="Clean texts to ask about twice.")
@click.option(
    "--flips", type=int, default=50, show_default=True, help="Flips to keep and examine per condition."
)
@click.option(
    "--blame-calls",
    type=int,
    default=32,
    show_default=True,
    help="Model calls per flip to find the blame; 0: none.",
)
@limit_options
@click.option(
    "--fail-if",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Exit with 1 if 'NAME OP NUMBER' holds for any condition.",
)
@click.option("--results", metavar="FILE", help="Also write the table of conditions as .csv or .parquet.")
@click.option("--raw", is_flag=True, help="Keep .csv cells that begin with = + - @ unchanged.")
@click.option("--log-to", type=click.Choice(["mlflow", "wandb"]), help="Also send the numbers to a tracker.")
@click.option("--export", metavar="DIR", help="Write the texts for predictions:DIR; no model is asked.")
@click.option("--dry-run", is_flag=True, help="Print conditions and model calls; no model is asked.")
@click.option("--resume", is_flag=True, help="Continue the run in RUN.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads; default: all cores.")
@model_options
@reading_options
@common_options
def command(source: str, *, changes: PresetOptions, reading: ReadOptions, **given: Any) -> None:
    """Ask a model about the texts of DATA and their rewritten twins, and report how much worse it gets.

    The run is kept in the folder RUN: the numbers (results.json), a report (report.html), every answer. A run
    that was stopped continues with --resume, and ends as if it had never been stopped.
    """
    check_names(given["rules"])
    shared = _shared(given, changes, reading)
    if given["dry_run"] or given["export"]:
        _outline(source, shared, given)
        return
    if given["model"] is None or given["output"] is None:
        raise UsageError("give a model with --model SPEC and a folder with -o RUN, or use --dry-run")
    run = _run(source, shared, given)
    if given["results"]:
        write_results(run.results, given["results"], raw=given["raw"])
    if given["log_to"]:
        log_run(run, given["log_to"])
    if given["as_json"]:
        print_json(run.results.as_dict())
    elif not is_quiet():
        print_results(run)
    check_limits(run.results, given["rules"])


def _run(source: str, shared: dict[str, Any], given: dict[str, Any]) -> Run:
    models = ModelOptions(**{name: given[name] for name in MODEL_NAMES if given.get(name) is not None})
    metric = load_function(given["metric"]) if given["metric"] else None
    with resumable(given["output"], resume=given["resume"]), counting("rows") as progress:
        return evaluate(
            source,
            model=given["model"],
            out=given["output"],
            resume=given["resume"],
            model_options=models,
            metric=metric,
            max_calls=given["max_calls"],
            max_errors=errors_given(given["max_errors"]),
            progress=progress,
            **shared,
        )


def _shared(given: dict[str, Any], changes: PresetOptions, reading: ReadOptions) -> dict[str, Any]:
    """Return the arguments that a run and its outline share."""
    names = ("replicates", "seed", "effective_over", "noise", "flips", "blame_calls", "limit", "threads")
    return {
        **{name: given[name] for name in names},
        "presets": changes.make_presets(given["names"] or presets()),
        "fit": changes.fit or None,
        "severities": given["severities"] or SEVERITIES,
        "label_map": dict(_pair(pair) for pair in given["label_map"]),
        "transformed_column": _place(given["transform_column"], reading.text_column),
        "options": reading,
    }


def _pair(pair: str) -> tuple[str, str]:
    label, equals, target = pair.partition("=")
    if not equals or not label or not target:
        raise UsageError(f"--label-map {pair!r} must be MODEL=DATA, such as POSITIVE=1")
    return label, target


def _place(column: str | None, text_columns: str | None) -> int:
    if column is None:
        return 0
    names = [name.strip() for name in (text_columns or "").split(",")]
    if column not in names:
        raise UsageError(f"--transform-column {column!r} must be one of --text-column {text_columns!r}")
    return names.index(column)


def _outline(source: str, shared: dict[str, Any], given: dict[str, Any]) -> None:
    plan = outline(source, export=given["export"], **shared)
    if given["as_json"]:
        print_json(_as_dict(plan))
        return
    for name in plan.conditions:
        print_line(name)
    blame = f", and at most {plan.most_blame_calls:,} to find words to blame" if plan.most_blame_calls else ""
    noise = f", {plan.noise_calls:,} to measure noise" if plan.noise_calls else ""
    calls = f"{number_of(plan.distinct_texts, 'distinct text')} to ask about{noise}{blame}"
    rows, conditions = number_of(plan.rows, "row"), number_of(len(plan.conditions), "condition")
    print_line(f"{rows}, {conditions}: {calls}")
    if given["export"]:
        folder = given["export"]
        print_line(f"{folder}/texts.jsonl written; add answers there, then use --model predictions:{folder}")


def _as_dict(plan: Outline) -> dict[str, Any]:
    names = ("rows", "conditions", "distinct_texts", "noise_calls", "most_blame_calls", "most_calls")
    return {name: getattr(plan, name) for name in names}
