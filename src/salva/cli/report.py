"""`salva report`: show a run, or write its report again."""

from __future__ import annotations

import click

from salva.cli.options import common_options
from salva.cli.results import print_results
from salva.cli.show import is_quiet, print_json, print_line
from salva.evaluation import load_run, write_results


@click.command("report")
@click.argument("run", metavar="RUN")
@click.option("-o", "--output", metavar="FILE", help="Write the report here; default: print the table.")
@click.option("--results", metavar="FILE", help="Write the table of conditions as .csv or .parquet.")
@click.option("--raw", is_flag=True, help="Keep .csv cells that begin with = + - @ unchanged.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@common_options
def command(
    run: str, *, output: str | None, results: str | None, raw: bool, overwrite: bool, as_json: bool
) -> None:
    """Show the finished run in the folder RUN, or write its report or its table to a file."""
    found = load_run(run)
    if output is not None:
        found.report(output, overwrite=overwrite)
    if results is not None:
        write_results(found.results, results, raw=raw)
    if as_json:
        print_json(found.results.as_dict())
    elif output is None and results is None:
        print_results(found)
    elif not is_quiet():
        print_line(f"written: {', '.join(name for name in (output, results) if name)}")
