"""`salva outliers translate`: make a table for translating sets, and read it back."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.outliers.options import overwrite_option
from salva.cli.show import is_quiet, print_json, print_line
from salva.errors import UsageError
from salva.outliers.authoring.translation import (
    read_translation,
    translation_table,
    write_table,
    write_translation,
)
from salva.outliers.sets import read_sets


@click.command("translate")
@click.argument("sets", metavar="[SETS]", required=False)
@click.option("--to", "language", metavar="LANG", help="The language to translate into, such as IT.")
@click.option("--read", "table", metavar="TABLE", help="A filled-in table to make set files from.")
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="A .tsv or .html file; with --read, a folder."
)
@click.option("--frequencies", metavar="FILE", help="Lines of a LANG word, a tab and a count.")
@click.option("--vectors", metavar="FILE", help="Vectors for LANG, to see which words they have.")
@overwrite_option(help="Replace existing files.")
@common_options
def command(
    sets: str | None,
    *,
    language: str | None,
    table: str | None,
    output: str,
    frequencies: str | None,
    vectors: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a table of English SETS and LANG, one row per word, or set files from a filled-in TABLE.

    A translator fills in the column LANG and, if a word was adapted, its case (1 no exact correspondence,
    2 infrequent, 3 too specific to a culture) and a note.
    """
    if table is not None:
        if sets is not None or language is not None:
            raise UsageError("--read cannot be combined with SETS or --to; the table has both")
        _read(table, output, overwrite=overwrite, as_json=as_json)
        return
    if sets is None or language is None:
        raise UsageError("nothing to do; pass SETS and --to LANG, or --read TABLE")
    made = translation_table(read_sets(sets, mend=True), language, frequencies=frequencies, vectors=vectors)
    write_table(made, output, overwrite=overwrite)
    empty = sum(not row.target for row in made.rows)
    if as_json:
        print_json(made.as_dict())
    elif not is_quiet():
        size = f"{number_of(len(made.topics), 'set')}, {number_of(len(made.rows), 'word')}"
        print_line(f"{output}: {size}, {empty:,} to fill in")


def _read(table: str, folder: str, *, overwrite: bool, as_json: bool) -> None:
    filled = read_translation(table)
    written = [str(path) for path in write_translation(filled, folder, overwrite=overwrite)]
    if as_json:
        print_json({"language": filled.language, "written": written, "waiting": filled.waiting})
    elif not is_quiet():
        sets = number_of(len(written), "set")
        print_line(f"{folder}: {sets} in {filled.language}, {len(filled.waiting):,} not yet translated")
