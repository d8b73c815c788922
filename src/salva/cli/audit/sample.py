"""`salva audit sample`: draw a sheet of items to read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import click

from salva._show import number_of
from salva.audit import QUESTIONS, label_studio_config, sample, write_sheet
from salva.audit.source import is_run
from salva.cli.data_options import PresetOptions, preset_options, reading_options
from salva.cli.options import OUTPUT, common_options, option, take_options, threads_option
from salva.cli.show import is_quiet, print_result
from salva.errors import UsageError
from salva.questions.options import Data
from salva.rows import ReadOptions
from salva.transforms import fit_files
from salva.transforms import preset as make_preset


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawOptions:
    """Which twins, and which of them to draw."""

    preset: str | None = option(
        "--preset", metavar="P", help="Name or TOML file; not needed for a run that has only one."
    )
    severity: float | None = option(
        "--severity", type=float, metavar="S", help="Severity; not needed for a run that has only one."
    )
    copy: int = option("--copy", type=int, default=0, metavar="K", help="Which of several copies.")
    unit: str | None = option(
        "--unit",
        type=click.Choice(list(QUESTIONS)),
        help="What to judge: an edit in its context, or a whole twin; default: text for RUN, edit for DATA.",
    )
    n: int = option(
        "-n", "--items", type=int, default=200, show_default=True, metavar="N", help="How many items to draw."
    )
    seed: int = option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the choice of items."
    )
    show_label: bool = option("--show-label", is_flag=True, help="Show the label of the row to readers.")
    transform_seed: int | None = option(
        "--transform-seed", type=int, metavar="N", help="Seed for the edits of DATA; default: 0."
    )


@click.command("sample")
@click.argument("source", metavar="RUN|DATA")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="FILE", required=True, help="Sheet to write: .html, .csv or .json."
)
@take_options(DrawOptions, "draw")
@preset_options
@threads_option
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@reading_options
@common_options
def command(
    source: str,
    *,
    output: str,
    draw: DrawOptions,
    changes: PresetOptions,
    threads: int | None,
    overwrite: bool,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Draw items at random from the run in the folder RUN, or from the data set DATA, and write a sheet.

    A sheet shows every original next to its twin, with the edits marked, and contains no answer of a model.
    .html is a page that works offline, .csv has a column to fill in, .json is for Label Studio, whose
    labeling configuration is printed. The same seed draws the same items everywhere.
    """
    arguments: dict[str, Any] = {"severity": draw.severity, "copy": draw.copy, "threads": threads}
    arguments |= {"unit": draw.unit, "label": draw.show_label, "progress": not is_quiet()}
    if is_run(source):
        if any([changes.render, changes.settings, changes.fit, draw.transform_seed is not None]):
            raise UsageError("a run has its own presets and seed; leave out their settings")
        if reading != ReadOptions():
            raise UsageError("a run has its own data; leave out how to read it")
        arguments["preset"] = draw.preset
    else:
        made = _make_preset(source, draw.preset, changes, reading)
        arguments |= {"preset": made, "data": Data.of(reading), "transform_seed": draw.transform_seed or 0}
    sheet = sample(source, n=draw.n, seed=draw.seed, **arguments)
    write_sheet(sheet, output, overwrite=overwrite)
    config = label_studio_config(sheet) if PurePath(output).suffix.lower() == ".json" else None
    what = "edit" if sheet.unit == "edit" else "changed twin"
    drawn = f"{number_of(len(sheet.items), what)} of {sheet.population:,}, {sheet.condition}"
    lines = [f"{output}: {drawn}, {sheet.data}"]
    plain = {
        "sheet": output,
        "id": sheet.id,
        "twins": sheet.twins,
        "condition": sheet.condition,
        "preset": sheet.preset,
        "data": sheet.data,
        "unit": sheet.unit,
        "population": sheet.population,
        "items": len(sheet.items),
    }
    if config is not None:
        lines.append(f"labeling configuration for the project in Label Studio:\n{config.rstrip()}")
        plain["label_studio_config"] = config
    print_result(plain, lines, as_json=as_json)


def _make_preset(source: str, name: str | None, changes: PresetOptions, reading: ReadOptions) -> Any:
    if name is None:
        raise UsageError("there is no preset; name one with --preset P, or give the folder of a run")
    transform = make_preset(name, **changes.parse_settings())
    if changes.fit:
        [transform] = fit_files([transform], changes.fit, source=source, options=reading)
    return transform
