"""`salva convert`: check a data set and write it in another format."""

from __future__ import annotations

import click

from salva.cli.data_options import count_rows, print_manifest, reading_options, writing_options
from salva.cli.options import common_options
from salva.cli.paths import OUTPUT
from salva.cli.show import is_quiet
from salva.errors import UsageError
from salva.rows import ReadOptions, WriteOptions, convert


@click.command("convert")
@click.argument("source", metavar="IN")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="OUT", required=True, help="File to write; - is standard output."
)
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
    manifest = convert(source, output, reading, output=writing, progress=not is_quiet())
    repaired = f", {manifest.rows_repaired:,} repaired" if manifest.rows_repaired else ""
    summary = f"{output}: {count_rows(manifest)}{repaired}; columns: {manifest.columns}"
    print_manifest(manifest, output, [summary], as_json=as_json)
