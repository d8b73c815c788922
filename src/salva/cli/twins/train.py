"""`salva twins train`: train the reference model for a given time."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import get_args

import click

from salva._show import number_of
from salva.cli.options import common_options, option, take_options
from salva.cli.paths import OUTPUT
from salva.cli.show import is_quiet, print_json, print_line
from salva.twins.pcfg.conditions import CONDITIONS
from salva.twins.reference.training import Size, TrainingReport, TrainingSettings
from salva.twins.reference.training_run import condition_folder, train_on

_USUAL = TrainingSettings()
_settings_options = take_options(
    TrainingSettings,
    "settings",
    {
        "size": option(
            "--size",
            type=click.Choice(get_args(Size)),
            help="tiny, small, or paper as in the paper; default: paper on a GPU, tiny on a CPU.",
        ),
        "max_seconds": option(
            "--max-seconds",
            type=float,
            default=_USUAL.max_seconds,
            show_default=True,
            metavar="S",
            help="Training time.",
        ),
        "max_steps": option(
            "--max-steps", type=click.IntRange(min=1), metavar="N", help="Maximum number of steps."
        ),
        "rate": option(
            "--rate", type=float, metavar="X", help="Peak learning rate; the default depends on the size."
        ),
        "batch": option(
            "--batch",
            type=click.IntRange(min=1),
            metavar="N",
            help="Lines per step; the default depends on the size, and on a CPU on their length.",
        ),
        "longest": option(
            "--longest",
            type=int,
            default=_USUAL.longest,
            show_default=True,
            metavar="N",
            help="Maximum words per target.",
        ),
        "held_out": option(
            "--held-out",
            type=click.IntRange(min=0),
            default=_USUAL.held_out,
            show_default=True,
            metavar="N",
            help="Lines that are not trained on and show what was learned; at most a twentieth.",
        ),
        "seed": option(
            "--seed", type=int, default=0, show_default=True, metavar="N", help="Random seed for the weights."
        ),
        "device": option("--device", metavar="D", help="cpu, cuda or cuda:1; by default a GPU if available."),
        "graphs": option(
            "--graphs/--no-graphs",
            default=True,
            show_default=True,
            help="On a GPU, record steps and replay them, which is faster.",
        ),
        "compiled": option(
            "--compile", is_flag=True, help="On a GPU, use torch.compile instead of recorded steps."
        ),
    },
)


@click.command("train")
@click.argument("corpus", metavar="DIR")
@click.option("-o", "--output", type=OUTPUT, required=True, metavar="OUT", help="Folder for the model.")
@click.option(
    "--condition",
    type=click.Choice(list(CONDITIONS)),
    help="Use the folder of this condition, in DIR or in DIR/substitutivity.",
)
@_settings_options
@click.option("--overwrite", is_flag=True, help="Replace a model in OUT.")
@common_options
def command(
    corpus: str,
    *,
    output: str,
    condition: str | None,
    settings: TrainingSettings,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Train the reference model on train.src and train.tgt in DIR.

    OUT gets model.safetensors and model.json, for salva evaluate DIR --model reference:OUT. Needs the extra
    torch.
    """
    home = condition_folder(corpus, condition) if condition else Path(corpus)
    report = train_on(home, output, settings, overwrite=overwrite, progress=not is_quiet())
    if as_json:
        print_json({"training": asdict(report)})
    elif not is_quiet():
        _print(report, output)


def _print(report: TrainingReport, folder: str) -> None:
    loss = "" if report.loss is None else f", loss {report.loss:.4f}"
    steps = f"{number_of(report.steps, 'step')} ({report.epochs:.1f} epochs)"
    pace = f"{steps} in {report.seconds:.0f} s on {report.device}"
    print_line(f"{report.parameters:,} weights, {number_of(report.lines, 'line')}, {pace}{loss}")
    if report.held_out_loss is not None and report.held_out_accuracy is not None:
        lines = number_of(report.held_out, "held-out line")
        known = f"{report.frequency_loss:.2f} from the frequency of words alone"
        right = f"{100 * report.held_out_accuracy:.0f} % of {lines} right"
        print_line(f"{right}, loss {report.held_out_loss:.2f}; {known}")
    if report.left_out:
        print_line(f"note: lines left out because their target is too long: {report.left_out:,}")
    print_line(f"model: reference:{folder}")
