"""`salva tasks show`: print the file of a task, to be copied and edited."""

from __future__ import annotations

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line
from salva.tasks import read_task, show_task


@click.command("show")
@click.argument("name")
@common_options
def command(name: str, *, as_json: bool) -> None:
    """Print the task NAME as TOML: edit the file, and pass it as FILE.toml."""
    if as_json:
        print_json({"name": name, **read_task(name).content})
    else:
        print_line(show_task(name).rstrip("\n"))
