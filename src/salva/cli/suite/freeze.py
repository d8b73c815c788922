"""`salva suite freeze`: freeze a data set and its twins."""

from __future__ import annotations

from dataclasses import dataclass

import click

from salva.cli.options import option, take_options
from salva.cli.paths import OUTPUT
from salva.cli.preset_options import PresetOptions
from salva.cli.show import is_quiet, print_json, print_line
from salva.cli.twin_options import (
    limit_field,
    making_options,
    opposites_field,
    parse_opposites,
    presets_field,
    replicates_field,
    sample_field,
    seed_field,
    severities_field,
    task_field,
)
from salva.evaluation import freeze
from salva.evaluation.paraphrases import POLICIES
from salva.evaluation.settings import DEFAULT_PRESETS, SEVERITIES
from salva.rows import ReadOptions
from salva.transforms import expand_names


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeOptions:
    """What is frozen."""

    task: str | None = task_field("Freeze")
    names: tuple[str, ...] = presets_field()
    severities: tuple[float, ...] = severities_field()
    replicates: int = replicates_field()
    seed: int = seed_field()
    contrast_labels: tuple[str, ...] = opposites_field()
    variants: tuple[str, ...] = option(
        "--variants",
        multiple=True,
        metavar="COLUMN",
        help="Column with your own paraphrases, which are checked. Without --preset, no preset runs.",
    )
    on_bad_variant: str = option(
        "--on-bad-variant",
        type=click.Choice(POLICIES),
        default="fail",
        show_default=True,
        help="What to do with a paraphrase that loses or adds a number, a negation or the answer.",
    )
    limit: int | None = limit_field("Freeze")
    sample: int | None = sample_field("Freeze")
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
@making_options("SUITE if it holds a suite")
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

    A suite has the items with their right answers, the twins with all edits, contrasts, paraphrases, the
    task, the presets with their versions, and digests: whoever evaluates it asks the same questions. No model
    is asked here.
    """
    names = ("task", "replicates", "seed", "limit", "sample", "keep", "name", "licence", "on_bad_variant")
    chosen = frozen.names or (() if frozen.variants else DEFAULT_PRESETS)
    suite = freeze(
        source,
        output,
        presets=changes.make_presets(expand_names(chosen)),
        variants=frozen.variants,
        contrast_labels=parse_opposites(frozen.contrast_labels),
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
        print_line(f"{output}: {suite.count()}, {suite.digest}")
