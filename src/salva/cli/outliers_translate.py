"""`salva outliers translate`: sets beside their translation, and the filled table read back."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.errors import UsageError
from salva.outliers.sets import read_sets
from salva.outliers.translating import read_translation, translation_table, write_table, write_translation

__all__ = ["command"]


@click.command("translate")
@click.argument("sets", metavar="[SETS]", required=False)
@click.option("--to", "language", metavar="LANG", help="The language to translate into, such as IT.")
@click.option("--read", "table", metavar="TABLE", help="A filled table to make set files of.")
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="A .tsv or .html file; a folder for --read."
)
@click.option("--frequencies", metavar="FILE", help="Words of LANG and their counts, a tab between.")
@click.option("--vectors", metavar="FILE", help="Vectors of LANG, to see which words they have.")
@click.option("--overwrite", is_flag=True, help="Replace what exists.")
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
    """Lay English SETS out beside LANG, a row a word, or make set files of the filled TABLE.

    A translator fills the column of LANG; where a word had to be adapted, also its case (1 no exact
    correspondence, 2 infrequent, 3 too specific to a culture) and a note.
    """
    if table is not None:
        if sets is not None or language is not None:
            raise UsageError("--read stands alone; the table knows its sets and its language")
        _read(table, output, overwrite=overwrite, as_json=as_json)
        return
    if sets is None or language is None:
        raise UsageError("what is to be done? give SETS and --to LANG, or --read TABLE")
    found = translation_table(read_sets(sets, mend=True), language, frequencies=frequencies, vectors=vectors)
    write_table(found, output, overwrite=overwrite)
    empty = sum(not row.target for row in found.rows)
    if as_json:
        print_json(found.as_dict())
    elif not is_quiet():
        sets, words = number_of(len(found.topics), "set"), number_of(len(found.rows), "word")
        print_line(f"{output}: {sets}, {words}, {empty:,} to be filled")


def _read(table: str, folder: str, *, overwrite: bool, as_json: bool) -> None:
    found = read_translation(table)
    written = [str(path) for path in write_translation(found, folder, overwrite=overwrite)]
    if as_json:
        print_json({"language": found.language, "written": written, "waiting": found.waiting})
    elif not is_quiet():
        sets, waiting = number_of(len(written), "set"), number_of(len(found.waiting), "waits", "wait")
        print_line(f"{folder}: {sets} in {found.language}, {waiting}")
