"""csv and tsv: cells stay strings; a row with the wrong number of cells is bad, and is never shifted.

Arrow reads what is plain, many rows at a time. Everything else goes through Python's `csv` in strict mode,
which knows the line of every row: it finds the header, the bad rows, and what is wrong with them.
"""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

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
    ReadOptions,
    check_names,
    conform,
    empty_batch,
    string_batch,
    text_field,
)
from salva.rows.jsonl import as_cells, as_table
from salva.rows.source import BadRows, Block, Layout, Source, count_lines, text_blocks

logger = logging.getLogger("salva")

_OTHER_DELIMITERS = ";\t|"
_LF, _CR, _QUOTE = b'\n\r"'


class CsvReader:
    """Rows of a csv file."""

    default_delimiter = ","

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        # The csv module has one limit per process; it cannot be raised for a single reader.
        csv.field_size_limit(max(csv.field_size_limit(), options.max_line_bytes))
        self._bad = bad
        self._lines = _Lines(text_blocks(source, max_line_bytes=options.max_line_bytes))
        self._delimiter = options.delimiter or self._guess_delimiter()
        if self.default_delimiter == ",":
            source.layout.delimiter = self._delimiter
        self._rows = csv.reader(self._lines, delimiter=self._delimiter, strict=True)
        header = self._next_row()
        if header is None:
            raise InputError.at(source.name, None, "no rows; the file is empty")
        if wrong := self._lines.bad_lines():
            raise bad.error(*wrong[0])
        self.names = tuple(header)
        check_names(source.name, self.names)
        if len(self.names) == 1 and self.names[0].strip().lower() not in USUAL_NAMES["text"]:
            remedy = f"pass {argument('delimiter')} if that is wrong"
            logger.warning("%s: only one column; %s", source.name, remedy)

    def batches(self, text: Sequence[str], spans: str | None) -> Iterator[pa.RecordBatch]:
        """Yield about one batch per block of lines; the last may be empty."""
        schema = pa.schema(map(text_field, self.names))
        rows: list[list[str]] = []
        while self._lines.fill():
            plain = self._read_plain(schema) if self._lines.is_new else None
            if plain is not None:
                yield pa.concat_batches([string_batch(schema, rows), plain]) if rows else plain
                rows = []
            elif (row := self._next_row()) is not None and self._accepts(row):
                rows.append(row)
            if rows and self._lines.is_used_up:
                yield string_batch(schema, rows)
                rows = []
        yield string_batch(schema, rows)

    def _read_plain(self, schema: pa.Schema) -> pa.RecordBatch | None:
        """Consume the whole rows that come next, if all of them are plain, and return them."""
        lines = self._lines.take_rest()
        end = 0 if lines is None else _find_plain_end(lines, self._delimiter)
        if lines is None or not end:
            return None
        try:
            table = arrow_csv.read_csv(
                pa.py_buffer(lines[:end]),
                arrow_csv.ReadOptions(use_threads=False, block_size=end + 1, column_names=self.names),
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
        self._lines.skip(end)
        return table.combine_chunks().to_batches()[0] if table.num_rows else empty_batch(schema)

    def _next_row(self) -> list[str] | None:
        while True:
            self._lines.pending.clear()
            try:
                row = next(self._rows, None)
            except csv.Error as error:
                raise self._quoting_fault(str(error)) from None
            if row is None or row:
                return row

    def _quoting_fault(self, problem: str) -> InputError:
        """Return the error for broken quoting: nobody knows where the row ends, so it cannot be dropped."""
        if "unexpected end of data" in problem:
            return self._bad.error(self._open_quote(), "the quote opened here is never closed")
        if "field larger" in problem:
            limit = argument("max_line_bytes")
            what = f"a cell is longer than {limit}, or a quote opened here is never closed"
            return self._bad.error(self._open_quote(), what)
        return self._bad.error(self._lines.row_line, f"broken quoting ({problem}); fix it by hand")

    def _open_quote(self) -> int:
        """Return the line of the last opening quote."""
        text = "".join(self._lines.pending)
        opened, quoted = 0, False
        for match in re.finditer('"', text):
            place = match.start()
            if quoted or place == 0 or text[place - 1] in self._delimiter + '\n"':
                quoted, opened = not quoted, place
        return self._lines.row_line + text.count("\n", 0, opened)

    def _accepts(self, row: list[str]) -> bool:
        first, width = self._lines.row_line, len(self.names)
        if wrong := self._lines.bad_lines():
            return self._bad.accepts(*wrong[0], repairable=len(row) == width)
        if len(row) == width:
            return True
        problem = f"{number_of(len(row), 'cell')}, not {width}"
        if not self._bad.accepts(first, problem, repairable=len(row) < width):
            return False
        row.extend([""] * (width - len(row)))
        return True

    def _guess_delimiter(self) -> str:
        """Return the default delimiter if the header contains it, else the most frequent other one."""
        header = self._lines.peek()
        if self.default_delimiter in header:
            return self.default_delimiter
        return max(self.default_delimiter + _OTHER_DELIMITERS, key=header.count)


class TsvReader(CsvReader):
    """Rows of a tsv file: csv with tabs."""

    default_delimiter = "\t"


class _Lines:
    """Feeds lines to the csv parser, and keeps those of the current row."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._data = b""
        self._place = self._number = 0
        self._bad: dict[int, str] = {}
        self.pending: list[str] = []
        self.is_new = True  # whether nobody tried to read what is left of the block as plain rows

    @property
    def row_line(self) -> int:
        """The number of the first line of the current row."""
        return self._number - len(self.pending) + 1

    @property
    def is_used_up(self) -> bool:
        """Whether nothing is left of the block."""
        return self._place == len(self._data)

    def fill(self) -> bool:
        """Take the next block if this one is used up; return whether there is one. No row may be open."""
        self.pending.clear()
        try:
            if self.is_used_up:
                self._next_block()
        except StopIteration:
            return False
        return True

    def bad_lines(self) -> list[tuple[int, str]]:
        """Return the bad lines of the current row, with their problems."""
        lines = range(self.row_line, self._number + 1) if self._bad else ()
        return [(number, self._bad[number]) for number in lines if number in self._bad]

    def peek(self) -> str:
        """Return the first line without consuming it."""
        line = next(self, "")
        self._place, self._number = 0, 0
        self.pending.clear()
        return line

    def take_rest(self) -> bytes | None:
        """Return what is left of the block, once; None if it has bad lines."""
        self.is_new = False
        return None if self._bad else self._data[self._place :]

    def skip(self, size: int) -> None:
        """Consume so many bytes, which are whole rows."""
        self._number += count_lines(self._data, self._place, self._place + size)
        self._place += size

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.is_used_up:
            self._next_block()
        end = self._data.find(b"\n", self._place) + 1 or len(self._data)
        line = self._data[self._place : end].decode()
        self._number += 1
        self._place = end
        self.pending.append(line)
        return line

    def _next_block(self) -> None:
        block = next(self._blocks)
        self._number = block.first - 1
        row_line = self.row_line
        self._bad = {number: why for number, why in self._bad.items() if number >= row_line} | block.bad
        self._data, self._place, self.is_new = block.data, 0, True


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
        opened, closed = content[quotes[::2] - 1], content[quotes[1::2] + 1]
        around_closed = around.copy()
        around_closed[_CR] = True
        if not (around[opened].all() and around_closed[closed].all()):
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


class CsvWriter:
    """A header, then rows with the same columns; csv keeps the delimiter that it was read with."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        self._stream, self._delimiter = stream, layout.delimiter or ","
        self._schema: pa.Schema | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch, after the header if it is the first."""
        table = as_table(batch)
        if self._schema is None:
            self._schema = table.schema
            header = pa.schema(map(text_field, table.schema.names))
            self._stream.write(_encode_cells(string_batch(header, [header.names]), self._delimiter))
        self._stream.write(_encode_cells(conform(table, self._schema), self._delimiter))

    def close(self) -> None:
        """Do nothing: every row is written at once."""


class TsvWriter(CsvWriter):
    """csv with tabs."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        super().__init__(stream, text, Layout(delimiter="\t"))


def _encode_cells(batch: pa.RecordBatch, delimiter: str) -> memoryview:
    """Return the lines of a batch, with quotes only where needed."""
    alone = batch.num_columns == 1
    cells = [
        _quoted(as_cells(field, column), delimiter, alone=alone)
        for field, column in zip(batch.schema, batch.columns, strict=True)
    ]
    lines = pc.binary_join_element_wise(*cells, _constant(delimiter))
    ended = pc.binary_join_element_wise(lines, _constant("\n"), _constant(""))
    return Strings.from_checked(ended).data.data


def _quoted(cells: pa.Array, delimiter: str, *, alone: bool) -> pa.Array:
    # An unquoted empty cell alone on its line would be an empty line, which readers skip.
    needs = pc.match_substring_regex(cells, f'[\\x{{{ord(delimiter):x}}}"\r\n]' + ("|^$" if alone else ""))
    if not pc.any(needs).as_py():
        return cells
    quote = _constant('"')
    doubled = pc.replace_substring(cells, '"', '""')
    whole = pc.binary_join_element_wise(quote, doubled, quote, _constant(""))
    return pc.if_else(needs, whole, cells)


def _constant(text: str) -> pa.Scalar:
    """Return a text for Arrow's functions; `pa.scalar` would import pandas."""
    return as_strings([text]).array[0]
