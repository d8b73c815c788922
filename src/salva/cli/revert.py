"""`salva revert`: undo the edits in a transformed file."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.data_options import reading_options, writing_options
from salva.cli.options import common_options
from salva.cli.show import counting, is_quiet, print_json, print_line
from salva.datasets import ReadOptions, WriteOptions
from salva.errors import UsageError
from salva.transforms import revert_file


@click.command("revert")
@click.argument("source", metavar="IN")
@click.option("--edits", metavar="FILE", required=True, help="File written by salva transform --edits.")
@click.option("-o", "--output", metavar="OUT", required=True, help="File to write; - is standard output.")
@writing_options
@reading_options
@common_options
def command(
    source: str,
    *,
    edits: str,
    output: str,
    writing: WriteOptions,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Undo the edits in IN, which salva transform wrote with --render splice, and write OUT."""
    if as_json and output == "-":
        raise UsageError("--json and -o - both write to standard output; choose one")
    with counting("rows") as progress:
        manifest = revert_file(
            source, output, edits=edits, options=reading, output=writing, progress=progress
        )
    if as_json:
        print_json(manifest.as_dict())
    elif not is_quiet():
        rows = number_of(manifest.rows_out, "row restored", "rows restored")
        print_line(f"{output}: {rows}", to_stderr=output == "-")
