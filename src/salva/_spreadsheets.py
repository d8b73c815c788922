"""Tables that can be read back, and that spreadsheets open without executing any cell.

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


def render_table(rows: Iterable[Sequence[str]], delimiter: str = "\t") -> str:
    r"""Return the text of a table.

    >>> render_table([["a", "=1+1"], ["b", ""]])
    "a\t'=1+1\nb\t\n"
    """
    return "".join(delimiter.join(_write_cell(cell, delimiter) for cell in row) + "\n" for row in rows)


def read_table(path: PathLike, delimiters: str = "\t") -> Iterator[tuple[int, list[str]]]:
    """Yield every row of a table with its line; a broken row is refused with its line.

    Of several delimiters, the one that the first line has most often is used: spreadsheets change it.
    """
    text = read_text(path)
    delimiter = max(delimiters, key=text.partition("\n")[0].count)
    # The csv module has one limit per process; a cell may be as long as the file.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(row):
                yield line, [cell[1:] if _GUARDED.match(cell) else cell for cell in row]
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError.at(path, line, f"broken cell ({error}); double the quotes in a cell") from None


def guard_cell(text: str) -> str:
    """Return a cell that a spreadsheet shows as it is, and `read_table` reads as the text.

    >>> guard_cell("=1+1"), guard_cell("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def _write_cell(text: str, delimiter: str) -> str:
    guarded = guard_cell(text)
    quoted = any(mark in guarded for mark in (delimiter, '"', "\r", "\n"))
    return '"' + guarded.replace('"', '""') + '"' if quoted else guarded
