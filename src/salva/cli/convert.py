"""`salva convert`: check a data set and write it in another format."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.data_options import reading_options, writing_options
from salva.cli.options import common_options
from salva.cli.show import counting, is_quiet, print_json, print_line
from salva.datasets import Manifest, ReadOptions, WriteOptions, convert
from salva.errors import UsageError


@click.command("convert")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", metavar="OUT", required=True, help="File to write; - is standard output.")
@writing_options
@reading_options
@common_options
def command(source: str, *, output: str, writing: WriteOptions, reading: ReadOptions, as_json: bool) -> None:
    """Read IN, check every row, and write it as OUT, with a manifest next to it.

    IN is a file, a folder with neg/ and pos/, or - for standard input (with --format).
    The texts are not changed; cells, values and the order of rows stay the same.
    """
    if as_json and output == "-":
        raise UsageError("--json and -o - both write to standard output; choose one")
    with counting("rows") as progress:
        manifest = convert(source, output, reading, output=writing, progress=progress)
    if as_json:
        print_json(manifest.as_dict())
    elif not is_quiet():
        print_line(_summary(manifest, output), to_stderr=output == "-")


def _summary(manifest: Manifest, output: str) -> str:
    counts = f"{number_of(manifest.rows_in, 'row')} in, {manifest.rows_out:,} out"
    if manifest.rows_rejected:
        counts += f", {manifest.rows_rejected:,} rejected"
    if manifest.rows_repaired:
        counts += f", {manifest.rows_repaired:,} repaired"
    return f"{output}: {counts}; columns: {manifest.columns}"
