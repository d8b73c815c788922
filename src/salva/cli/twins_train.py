"""`salva twins train`: train the reference model for a given time and score the result."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, get_args

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import counting, is_quiet, print_json, print_line
from salva.cli.twins_show import print_score
from salva.twins.pcfg.conditions import CONDITIONS
from salva.twins.reference.training import Size, TrainingReport, TrainingSettings
from salva.twins.reference.training_run import TrainedRun, condition_folder, train_on

_SETTINGS = (
    "size",
    "max_seconds",
    "max_steps",
    "rate",
    "batch",
    "longest",
    "seed",
    "device",
    "graphs",
    "compiled",
)


@click.command("train")
@click.argument("corpus", metavar="DIR")
@click.option("-o", "--output", required=True, metavar="OUT", help="Folder for the model and its score.")
@click.option(
    "--condition",
    type=click.Choice(list(CONDITIONS)),
    help="Use the folder of this condition, in DIR or in DIR/substitutivity.",
)
@click.option(
    "--size",
    type=click.Choice(get_args(Size)),
    default="paper",
    show_default=True,
    help="tiny for a CPU, small in between, paper as in the paper.",
)
@click.option(
    "--max-seconds", type=float, default=600.0, show_default=True, metavar="S", help="Training time."
)
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Maximum number of steps.")
@click.option("--rate", type=float, metavar="X", help="Peak learning rate; the default depends on the size.")
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    metavar="N",
    help="Lines per step; the default depends on the size.",
)
@click.option(
    "--longest", type=int, default=256, show_default=True, metavar="N", help="Maximum words per target."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Random seed for the weights."
)
@click.option("--device", metavar="D", help="cpu, cuda or cuda:1; by default a GPU if available.")
@click.option(
    "--graphs/--no-graphs",
    default=True,
    show_default=True,
    help="On a GPU, record steps and replay them, which is faster.",
)
@click.option(
    "--compile", "compiled", is_flag=True, help="On a GPU, use torch.compile instead of recorded steps."
)
@click.option("--overwrite", is_flag=True, help="Replace a model in OUT.")
@common_options
def command(corpus: str, **given: Any) -> None:
    """Train the reference model on train.src and train.tgt in DIR, and score it on the pairs there.

    OUT gets model.safetensors and model.json, for --model reference:OUT, and, if DIR has test pairs, the run
    over them. Needs the extra torch.
    """
    settings = TrainingSettings(**{name: given[name] for name in _SETTINGS})
    home = condition_folder(corpus, given["condition"]) if given["condition"] else Path(corpus)
    with counting("steps") as progress:
        done = train_on(home, given["output"], settings, overwrite=given["overwrite"], progress=progress)
    if given["as_json"]:
        print_json(_as_dict(done))
    elif not is_quiet():
        _print(done.report, given["output"])
        if done.score is not None:
            print_score(done.score)
            print_line(f"report: {Path(given['output'], 'run', 'report.html')}")


def _as_dict(done: TrainedRun) -> dict[str, Any]:
    score = None if done.score is None else done.score.as_dict()
    return {"training": dataclasses.asdict(done.report), "score": score}


def _print(report: TrainingReport, folder: str) -> None:
    loss = "" if report.loss is None else f", loss {report.loss:.4f}"
    steps = f"{number_of(report.steps, 'step')} ({report.epochs:.1f} epochs)"
    pace = f"{steps} in {report.seconds:.0f} s on {report.device}"
    print_line(f"{report.parameters:,} weights, {number_of(report.lines, 'line')}, {pace}{loss}")
    if report.left_out:
        print_line(f"note: lines left out because their target is too long: {report.left_out:,}")
    print_line(f"model: reference:{folder}")
