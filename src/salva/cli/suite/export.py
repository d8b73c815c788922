"""`salva suite export`: write a suite as tasks of another harness."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.paths import OUTPUT
from salva.cli.show import is_quiet, print_json, print_line
from salva.harnesses import HARNESSES
from salva.suites import export, open_suite


@click.command("export")
@click.argument("folder", metavar="SUITE")
@click.option("--to", type=click.Choice(list(HARNESSES)), required=True, help="The harness.")
@click.option("-o", "--output", type=OUTPUT, metavar="DIR", required=True, help="Folder for its files.")
@click.option("--overwrite", is_flag=True, help="Replace files in DIR.")
@common_options
def command(folder: str, *, to: str, output: str, overwrite: bool, as_json: bool) -> None:
    """Write the questions of SUITE as tasks of another harness: the items, and their twins per condition.

    Its logs are read with `salva evaluate SUITE --model log:PATH`.
    """
    files = export(open_suite(folder), output, to=to, overwrite=overwrite)
    if as_json:
        print_json({"folder": output, "files": files})
    elif not is_quiet():
        print_line(f"{output}: {number_of(len(files), 'file')} for {to}")
