"""csv and tsv: cells stay strings; a row with the wrong number of cells is bad, and is never shifted.

Arrow reads what is plain, many rows at a time. Everything else goes through Python's `csv` in strict mode,
which knows the line of every row: it finds the header, the bad rows, and what is wrong with them.
"""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from salva._arguments import argument
from salva._arrow import Strings, as_strings
from salva._show import number_of
from salva.errors import InputError
from salva.rows.columns import (
    USUAL_NAMES,
    Reader,
    ReadOptions,
    Writer,
    check_names,
    conform,
    empty_batch,
    string_batch,
    text_field,
)
from salva.rows.jsonl import as_cells, as_table
from salva.rows.source import BadRows, Source, count_lines, text_blocks

logger = logging.getLogger("salva")

_OTHER_DELIMITERS = ";\t|"
_LF, _CR, _QUOTE = b'\n\r"'


def read_csv(source: Source, options: ReadOptions, bad: BadRows, default: str = ",") -> Reader:
    """Read rows of cells; their delimiter is found in the header if it is not given."""
    # The csv module has one limit per process; it cannot be raised for a single reader.
    csv.field_size_limit(max(csv.field_size_limit(), options.max_line_bytes))
    rows = CsvRows(source, options, bad, default)
    names = rows.next_row()
    if names is None:
        raise InputError.at(source.name, None, "no rows; the file is empty")
    if wrong := rows.wrong_line():
        raise bad.error(*wrong)
    check_names(source.name, names)
    if len(names) == 1 and names[0].strip().lower() not in USUAL_NAMES["text"]:
        remedy = f"pass {argument('delimiter')} if that is wrong"
        logger.warning("%s: only one column; %s", source.name, remedy)
    return Reader(tuple(names), lambda columns: rows.batches(pa.schema(map(text_field, names))))


class CsvRows:
    """The rows of blocks of lines: Python's parser takes one line after the other, Arrow all others."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows, default: str) -> None:
        self._blocks = text_blocks(source, options.max_line_bytes)
        self._bad = bad
        self._data, self._place, self._number = b"", 0, 0  # the block, what of it was taken, lines so far
        self._row: list[str] = []  # the lines of the current row
        self._wrong: dict[int, str] = {}
        self._is_new = True  # whether nobody tried to read what is left of the block as plain rows
        self._fill()
        header = self._data.partition(b"\n")[0].decode()
        found = default if default in header else max(default + _OTHER_DELIMITERS, key=header.count)
        self._delimiter = options.delimiter or found
        if default == ",":
            source.layout.delimiter = self._delimiter
        self._parsed = csv.reader(self._lines(), delimiter=self._delimiter, strict=True)

    def _fill(self) -> bool:
        """Take the next block if this one is used up; return whether there is one."""
        if self._place < len(self._data):
            return True
        block = next(self._blocks, None)
        if block is None:
            return False
        first = self._first_line()
        self._wrong = {number: why for number, why in self._wrong.items() if number >= first} | block.bad
        self._data, self._place, self._is_new = block.data, 0, True
        return True

    def _lines(self) -> Iterator[str]:
        while self._fill():
            end = self._data.find(b"\n", self._place) + 1 or len(self._data)
            self._row.append(self._data[self._place : end].decode())
            self._number += 1
            self._place = end
            yield self._row[-1]

    def _first_line(self) -> int:
        """Return the number of the first line of the current row."""
        return self._number - len(self._row) + 1

    def wrong_line(self) -> tuple[int, str] | None:
        """Return the first line of the current row that has bad bytes, and what is wrong with it."""
        lines = range(self._first_line(), self._number + 1) if self._wrong else ()
        return next(((number, self._wrong[number]) for number in lines if number in self._wrong), None)

    def next_row(self) -> list[str] | None:
        """Return the next row that has cells; None at the end."""
        row: list[str] | None = []
        while row == []:
            self._row.clear()
            try:
                row = next(self._parsed, None)
            except csv.Error as error:
                raise self._quoting_fault(str(error)) from None
        return row

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield about one batch per block of lines; the last may be empty."""
        rows: list[list[str]] = []
        self._row.clear()
        while self._fill():
            plain = self._read_plain(schema) if self._is_new else None
            if plain is not None:
                yield pa.concat_batches([string_batch(schema, rows), plain]) if rows else plain
                rows = []
            elif (row := self.next_row()) is not None and self._accepts(row, len(schema)):
                rows.append(row)
            if rows and self._place == len(self._data):
                yield string_batch(schema, rows)
                rows = []
            self._row.clear()
        yield string_batch(schema, rows)

    def _read_plain(self, schema: pa.Schema) -> pa.RecordBatch | None:
        """Take the whole rows that come next, if all of them are plain."""
        self._is_new = False
        lines = self._data[self._place :]
        end = 0 if self._wrong else _find_plain_end(lines, self._delimiter)
        if not end:
            return None
        try:
            table = arrow_csv.read_csv(
                pa.py_buffer(lines[:end]),
                arrow_csv.ReadOptions(use_threads=False, block_size=end + 1, column_names=schema.names),
                arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                arrow_csv.ConvertOptions(
                    check_utf8=False,  # it was checked
                    column_types=schema,
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:  # a row has another number of cells
            return None
        self._number += count_lines(lines, 0, end)
        self._place += end
        return table.combine_chunks().to_batches()[0] if table.num_rows else empty_batch(schema)

    def _accepts(self, row: list[str], width: int) -> bool:
        if wrong := self.wrong_line():
            return self._bad.accepts(*wrong, repairable=len(row) == width)
        if len(row) == width:
            return True
        problem = f"{number_of(len(row), 'cell')}, not {width}"
        if not self._bad.accepts(self._first_line(), problem, repairable=len(row) < width):
            return False
        row.extend([""] * (width - len(row)))
        return True

    def _quoting_fault(self, problem: str) -> InputError:
        """Return the error for broken quoting: nobody knows where the row ends, so it cannot be dropped."""
        first = self._first_line()
        if "unexpected end of data" in problem:
            what = "the quote opened here is never closed"
        elif "field larger" in problem:
            limit = argument("max_line_bytes")
            what = f"a cell is longer than {limit}, or a quote opened here is never closed"
        else:
            return self._bad.error(first, f"broken quoting ({problem}); fix it by hand")
        text, opened, quoted = "".join(self._row), 0, False
        for match in re.finditer('"', text):
            place = match.start()
            if quoted or place == 0 or text[place - 1] in self._delimiter + '\n"':
                quoted, opened = not quoted, place
        return self._bad.error(first + text.count("\n", 0, opened), what)


def _find_plain_end(data: bytes, delimiter: str) -> int:
    """Return where the last whole row ends; 0 if a quote or CR is where Python's `csv` objects to it.

    Arrow takes any quote in a quoted cell for its end, and a CR alone for the end of a row.
    """
    if len(delimiter.encode()) > 1 or len(data) >= 1 << 30:
        return 0
    content = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    quotes = np.flatnonzero(content == _QUOTE)
    if len(quotes):
        # A doubled quote in a cell closes it and opens it again.
        around = np.zeros(256, bool)
        around[[ord(delimiter), _LF, _QUOTE]] = True
        if not around[content[quotes[::2] - 1]].all():
            return 0
        around[_CR] = True
        if not around[content[quotes[1::2] + 1]].all():
            return 0
    returns = np.flatnonzero(content == _CR)
    outside = returns[np.searchsorted(quotes, returns) % 2 == 0]
    if (content[outside + 1] != _LF).any():
        return 0
    if len(quotes) % 2 == 0:
        return len(data)
    ends = np.flatnonzero(content == _LF)[1:-1]
    whole = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(whole[-1]) if len(whole) else 0


class CsvWriter(Writer):
    """A header, then rows with the same columns; csv keeps the delimiter that it was read with."""

    _schema: pa.Schema | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch, after the header if it is the first."""
        table = as_table(batch)
        if self._schema is None:
            self._schema = table.schema
            header = pa.schema(map(text_field, table.schema.names))
            self._write_cells(string_batch(header, [header.names]))
        self._write_cells(conform(table, self._schema))

    def _write_cells(self, batch: pa.RecordBatch) -> None:
        """Write the lines of a batch, with quotes only where needed."""
        delimiter = self._layout.delimiter or ","
        # An unquoted empty cell alone on its line would be an empty line, which readers skip.
        special = f'[\\x{{{ord(delimiter):x}}}"\r\n]' + ("|^$" if batch.num_columns == 1 else "")
        columns, quote = [], _constant('"')
        for field, column in zip(batch.schema, batch.columns, strict=True):
            cells = as_cells(field, column)
            needs = pc.match_substring_regex(cells, special)
            if pc.any(needs).as_py():
                doubled = pc.replace_substring(cells, '"', '""')
                quoted = pc.binary_join_element_wise(quote, doubled, quote, _constant(""))
                cells = pc.if_else(needs, quoted, cells)
            columns.append(cells)
        lines = pc.binary_join_element_wise(*columns, _constant(delimiter))
        ended = pc.binary_join_element_wise(lines, _constant("\n"), _constant(""))
        self._stream.write(Strings.from_checked(ended).data.data)


def _constant(text: str) -> pa.Scalar:
    """Return a text for Arrow's functions; `pa.scalar` would import pandas."""
    return as_strings([text]).array[0]
