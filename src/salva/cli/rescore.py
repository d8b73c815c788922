"""`salva rescore`: score the answers of a run again, with other settings."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import click

from salva.cli.evaluate import parse_label_map
from salva.cli.gate_options import GateOptions, gate_options
from salva.cli.options import common_options, option, take_options, threads_option
from salva.cli.report import print_run
from salva.cli.show import is_quiet, print_json
from salva.errors import UsageError
from salva.evaluation import rescore
from salva.models import load_function


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedOptions:
    """The settings to change; None keeps that of the run."""

    task: str | None = option(
        "--task", metavar="T", help="The task of the run with another [answer]: a name or a TOML file."
    )
    label_map: tuple[str, ...] | None = option(
        "--label-map", multiple=True, metavar="MODEL=DATA", help="Map a model label to a data label."
    )
    effective_over: float | None = option(
        "--effective-over", type=float, metavar="X", help="Limit of a drop in points."
    )
    noise: int | None = option("--noise", type=int, metavar="N", help="Clean texts that were asked twice.")
    flips: int | None = option("--flips", type=int, metavar="N", help="Flips to keep per condition.")
    blame_calls: int | None = option(
        "--blame-calls", type=int, metavar="N", help="Model calls per flip; 0: no words to blame."
    )
    group_column: str | None = option(
        "--group-column", metavar="C", help="Column of item families, if the run kept it."
    )
    slice_by: tuple[str, ...] | None = option(
        "--slice-by", multiple=True, metavar="C", help="Column to report drops by, if the run kept it."
    )
    resamples: int | None = option(
        "--resamples", type=int, metavar="N", help="Resamples of the bootstrap intervals."
    )

    def as_settings(self) -> dict[str, Any]:
        """Return the settings that were given."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        label_map = parse_label_map(given.pop("label_map"))
        changed = {name: value for name, value in given.items() if value is not None and value != ()}
        return changed | ({"label_map": label_map} if label_map else {})


@click.command("rescore")
@click.argument("folder", metavar="RUN")
@take_options(ChangedOptions, "changed")
@click.option("--metric", metavar="SPEC", help="Your own metric: python:pkg.mod:f, f(labels, answers).")
@click.option("--no-metric", is_flag=True, help="Leave out the metric of the run.")
@gate_options
@threads_option
@common_options
def command(
    folder: str,
    *,
    changed: ChangedOptions,
    metric: str | None,
    no_metric: bool,
    gate: GateOptions,
    threads: int | None,
    as_json: bool,
) -> None:
    """Score the stored answers of the finished run in RUN again, with other settings, without its model.

    Options that are not given stay as they were. A change that needs new answers is refused: use
    salva evaluate --resume, which asks for them.
    """
    gate.check()
    if metric and no_metric:
        raise UsageError("--metric and --no-metric exclude each other; give one of them")
    chosen: Any = load_function(metric) if metric else None if no_metric else ...
    progress = not is_quiet()
    run = rescore(folder, metric=chosen, threads=threads, progress=progress, **changed.as_settings())
    if as_json:
        print_json(run.results.as_dict())
    elif not is_quiet():
        print_run(run)
    gate.apply(run, as_json=as_json)
