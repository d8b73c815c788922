"""`salva demo`: everything at work on the bundled reviews, with a report to open at the end."""

from __future__ import annotations

import webbrowser
from importlib.resources import as_file, files
from pathlib import Path

import click

from salva.cli.evaluate import print_run
from salva.cli.options import OUTPUT, common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.evaluation import evaluate
from salva.questions.conditions import DEFAULT_PRESETS
from salva.transforms import BUNDLES, expand_names, preset

_PRESETS = (*DEFAULT_PRESETS, *BUNDLES)
_SHOWN = "A wonderful film with great acting, and the best ending of the year."


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    metavar="RUN",
    default="salva-demo",
    show_default=True,
    help="Folder of the run.",
)
@click.option("--open", "opens", is_flag=True, help="Open the report in a browser.")
@common_options
def command(output: str, *, opens: bool, as_json: bool) -> None:
    """Rewrite the bundled film reviews with presets of both families, ask the built-in model, write a report.

    The families are presets that keep the meaning, and corruptions.
    """
    if not as_json:
        print_line(f"{'original':<12} {_SHOWN}")
        for name in expand_names(_PRESETS):
            print_line(f"{name:<12} {preset(name, render='splice').transform(_SHOWN, seed=1).transformed}")
    with as_file(files("salva.rows").joinpath("data/reviews-test.csv")) as data:
        run = evaluate(
            data,
            model="builtin:reviews",
            presets=_PRESETS,
            out=output,
            resume=True,
            progress=not is_quiet(),
        )
    opened = opens and webbrowser.open((Path(output) / "report.html").absolute().as_uri())
    if as_json:
        print_json(run.results.as_dict())
        return
    print_run(run)
    if not opened:
        print_line(
            "no browser was found; open the report yourself"
            if opens
            else "to open the report: salva demo --open"
        )
    print_line("next: salva evaluate your.csv --model hf:your-model -o run; salva --help")
