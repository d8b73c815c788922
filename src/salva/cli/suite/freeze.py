"""`salva suite freeze`: freeze a data set and its twins."""

from __future__ import annotations

from dataclasses import dataclass

import click

from salva._show import number_of
from salva.cli.data_options import reading_options
from salva.cli.options import common_options, option, take_options
from salva.cli.paths import OUTPUT
from salva.cli.preset_options import PresetOptions, preset_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.datasets import ReadOptions
from salva.evaluation import freeze
from salva.evaluation.settings import DEFAULT_PRESETS, SEVERITIES
from salva.transforms import expand_names


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeOptions:
    """What is frozen."""

    task: str | None = option(
        "--task", metavar="T", help="Freeze the questions of a task: a name (see salva tasks) or a TOML file."
    )
    names: tuple[str, ...] = option(
        "--preset",
        multiple=True,
        metavar="P",
        help=f"Name, several as A+B, or TOML file; default: {' and '.join(DEFAULT_PRESETS)}.",
    )
    severities: tuple[float, ...] = option(
        "--severity", type=float, multiple=True, metavar="S", help="Severity; default: 0.25, 0.5 and 1."
    )
    replicates: int = option(
        "--replicates", type=int, default=1, metavar="K", help="Independent variants of every text."
    )
    seed: int = option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the edits and --sample."
    )
    limit: int | None = option(
        "--limit", type=click.IntRange(min=1), metavar="N", help="Freeze only the first N rows."
    )
    sample: int | None = option(
        "--sample",
        type=click.IntRange(min=1),
        metavar="N",
        help="Freeze N random rows, the same share of every class.",
    )
    keep: tuple[str, ...] = option(
        "--keep-column", multiple=True, metavar="C", help="Column to keep for --slice-by and --group-column."
    )
    name: str | None = option(
        "--name", metavar="NAME", help="Name of the suite; default: that of DATA without its suffix."
    )
    licence: str | None = option("--licence", metavar="NOTE", help="Note about the licence of the data.")


@click.command("freeze")
@click.argument("source", metavar="DATA")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="SUITE", required=True, help="Folder for the suite, new or empty."
)
@take_options(FreezeOptions, "frozen")
@preset_options
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads; default: all cores.")
@click.option("--overwrite", is_flag=True, help="Replace SUITE if it holds a suite.")
@reading_options
@common_options
def command(
    source: str,
    *,
    output: str,
    frozen: FreezeOptions,
    changes: PresetOptions,
    threads: int | None,
    overwrite: bool,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Freeze the rows of DATA and their twins under every condition into the folder SUITE.

    A suite has the items with their right answers, the twins with all edits, the task, the presets with their
    versions, and digests: whoever evaluates it asks the same questions. No model is asked here.
    """
    names = ("task", "replicates", "seed", "limit", "sample", "keep", "name", "licence")
    suite = freeze(
        source,
        output,
        presets=changes.make_presets(expand_names(frozen.names or DEFAULT_PRESETS)),
        severities=frozen.severities or SEVERITIES,
        fit=changes.fit or None,
        options=reading,
        threads=threads,
        overwrite=overwrite,
        progress=not is_quiet(),
        **{name: getattr(frozen, name) for name in names},
    )
    if as_json:
        print_json(suite.manifest.as_dict())
    elif not is_quiet():
        count = f"{number_of(len(suite), 'item')}, {number_of(len(suite.manifest.conditions), 'condition')}"
        print_line(f"{output}: {count}, {suite.digest}")
