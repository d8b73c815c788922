r"""Tab-separated tables that can be read back, and that spreadsheets open without executing any cell.

A cell that a spreadsheet would treat as a formula is prefixed with an apostrophe, which reading removes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from salva._files import read_text
from salva._types import PathLike
from salva.errors import InputError

_ACTS = "=+\\-@%|\t\r\n\uff1d\uff0b\uff0d\uff20\uff05\uff5c"
# Also if the cell already starts with apostrophes: otherwise reading back would lose one of them.
_FORMULA = re.compile(f"'*[{_ACTS}]")
_GUARDED = re.compile(f"'+[{_ACTS}]")
_NEEDS_QUOTES = re.compile('[\t\r\n"]')


def render_table(rows: Iterable[Sequence[str]]) -> str:
    r"""Return the text of a table.

    >>> render_table([["a", "=1+1"], ["b", ""]])
    "a\t'=1+1\nb\t\n"
    """
    return "".join("\t".join(map(_write_cell, row)) + "\n" for row in rows)


def read_table(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Yield every row of a table with its line; a broken row is refused with its line."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter="\t", strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError.at(path, line, f"broken cell ({error}); double the quotes in a cell") from None
        if any(row):
            yield line, [cell[1:] if _GUARDED.match(cell) else cell for cell in row]


def _write_cell(text: str) -> str:
    guarded = f"'{text}" if _FORMULA.match(text) else text
    return '"' + guarded.replace('"', '""') + '"' if _NEEDS_QUOTES.search(guarded) else guarded
