"""csv and tsv: cells stay strings; a row with the wrong number of cells is bad, and is never shifted."""

from __future__ import annotations

import csv
import functools
import logging
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from salva._arguments import argument
from salva._arrow import as_strings
from salva._show import number_of
from salva.errors import InputError
from salva.rows.bad_rows import BadRows
from salva.rows.batches import (
    BatchBuilder,
    conform,
    empty_batch,
    plain,
    string_batch,
    string_columns,
    text_field,
    written_batch,
    written_rows,
)
from salva.rows.cells import PlainRows, encode_plain
from salva.rows.columns import USUAL_NAMES, check_names
from salva.rows.options import ReadOptions
from salva.rows.source import BLOCK_BYTES, LARGE_BYTES, Block, Source, count_lines, text_blocks
from salva.rows.values import as_cells

logger = logging.getLogger("salva")

_DELIMITER = b"salva:delimiter"
_OTHER_DELIMITERS = ";\t|"


class CsvReader:
    """Rows of a csv file, parsed by Python's `csv` module in strict mode."""

    default_delimiter = ","

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        # The csv module has one limit per process; it cannot be raised for a single reader.
        csv.field_size_limit(max(csv.field_size_limit(), options.max_line_bytes))
        self._bad, self._longest = bad, options.max_line_bytes
        self._feed = _Feed(text_blocks(source, max_line_bytes=options.max_line_bytes))
        self._delimiter = options.delimiter or self._guess_delimiter()
        self._rows = csv.reader(self._feed, delimiter=self._delimiter, strict=True)
        header = self._next_row()
        if header is None:
            raise InputError.at(source.name, None, "no rows; the file is empty")
        if wrong := self._feed.bad_lines():
            raise bad.error(*wrong[0])
        self.names = tuple(header)
        check_names(source.name, self.names)
        if len(self.names) == 1 and self.names[0].strip().lower() not in USUAL_NAMES["text"]:
            remedy = f"pass {argument('delimiter')} if that is wrong"
            logger.warning("%s: only one column; %s", source.name, remedy)

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield batches of about a megabyte."""
        return self._batches(copying=False)

    def copied(self, text: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows for a writer of the same format; of a large block, as it writes them."""
        same = self.default_delimiter in (",", self._delimiter)  # a tsv file gets tabs, whatever it had
        return self._batches(copying=same)

    def _batches(self, *, copying: bool) -> Iterator[pa.RecordBatch]:
        metadata = {_DELIMITER: self._delimiter} if self.default_delimiter == "," else None
        schema = pa.schema(map(text_field, self.names), metadata=metadata)
        batch = BatchBuilder[list[str]](schema, string_columns)
        if copying:
            yield empty_batch(schema)  # for the header
        start = self._feed.size
        while self._feed.fill():
            if copying and self._feed.is_new and self._is_large():
                if not batch.is_empty:
                    yield batch.take()
                yield from map(written_batch, self._feed.copy_plain_rows(self._plain_rows, self._longest))
                start = self._feed.size
            if self._is_large():
                batch.add(self._feed.take_plain_rows(self._plain_rows))
            row = None if self._feed.is_used_up else self._next_row()
            if row is not None and self._accepts(row):
                batch.rows.append(row)
            if self._feed.size - start >= BLOCK_BYTES // 2:  # or a batch would be put together from blocks
                yield batch.take()
                start = self._feed.size
        yield batch.take()

    def _is_large(self) -> bool:
        """Return whether kernels should read what comes next."""
        return self._feed.is_large and len(self._delimiter.encode()) == 1

    @functools.cached_property
    def _plain_rows(self) -> PlainRows:
        return PlainRows(self._delimiter, len(self.names))

    def _next_row(self) -> list[str] | None:
        while True:
            self._feed.pending.clear()
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
            what = (
                f"a cell is longer than {argument('max_line_bytes')}, or a quote opened here is never closed"
            )
            return self._bad.error(self._open_quote(), what)
        return self._bad.error(self._feed.row_line, f"broken quoting ({problem}); fix it by hand")

    def _open_quote(self) -> int:
        """Return the line of the last opening quote."""
        text = "".join(self._feed.pending)
        opened, quoted = 0, False
        for match in re.finditer('"', text):
            place = match.start()
            if quoted or place == 0 or text[place - 1] in self._delimiter + '\n"':
                quoted, opened = not quoted, place
        return self._feed.row_line + text.count("\n", 0, opened)

    def _accepts(self, row: list[str]) -> bool:
        first, width = self._feed.row_line, len(self.names)
        if wrong := self._feed.bad_lines():
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
        header = self._feed.peek()
        if self.default_delimiter in header:
            return self.default_delimiter
        return max(self.default_delimiter + _OTHER_DELIMITERS, key=header.count)


class TsvReader(CsvReader):
    """Rows of a tsv file: csv with tabs."""

    default_delimiter = "\t"


class _Feed:
    """Feeds lines to the csv parser, keeps those of the current row, and lets kernels read whole rows."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._data = b""
        self._place = 0
        self._number = 0
        self.pending: list[str] = []
        self.bad: dict[int, str] = {}
        self.size = 0
        self.is_new = True  # whether nothing of the block was copied yet

    @property
    def row_line(self) -> int:
        """The number of the first line of the current row."""
        return self._number - len(self.pending) + 1

    @property
    def is_large(self) -> bool:
        """Whether so much is left of the block that kernels should read it; never if it has bad lines."""
        return len(self._data) - self._place >= LARGE_BYTES and not self.bad

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
        lines = range(self.row_line, self._number + 1) if self.bad else ()
        return [(number, self.bad[number]) for number in lines if number in self.bad]

    def peek(self) -> str:
        """Return the first line without consuming it."""
        line = next(self, "")
        self._place, self._number, self.size = 0, 0, 0
        self.pending.clear()
        return line

    def take_plain_rows(self, rows: PlainRows) -> list[pa.Array]:
        """Consume the plain rows that come next; return their columns."""
        columns, end = rows.read(self._data, self._place)
        self._move_to(end)
        return columns

    def copy_plain_rows(self, rows: PlainRows, longest: int) -> list[pa.Array]:
        """Consume the plain rows that come next; return them as they are written."""
        copied, end = rows.copy(self._data, self._place, longest)
        self._move_to(end)
        self.is_new = False
        return copied

    def _move_to(self, end: int) -> None:
        if end < len(self._data):  # else the next block has the number of its first line
            self._number += count_lines(self._data, self._place, end)
        self.size += end - self._place
        self._place = end

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.is_used_up:
            self._next_block()
        end = self._data.find(b"\n", self._place) + 1 or len(self._data)
        line = self._data[self._place : end].decode()
        self._number += 1
        self.size += end - self._place
        self._place = end
        self.pending.append(line)
        return line

    def _next_block(self) -> None:
        block = next(self._blocks)
        self._number = block.first - 1
        row_line = self.row_line
        self.bad = {number: why for number, why in self.bad.items() if number >= row_line} | block.bad
        self._data, self._place, self.is_new = block.data, 0, True


class CsvWriter:
    """A header, then rows with the same columns; csv keeps the delimiter that it was read with."""

    default_delimiter = ","

    def __init__(self, stream: BinaryIO, text: str) -> None:
        self._stream = stream
        self._schema: pa.Schema | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch, after the header if it is the first."""
        written = written_rows(batch)
        if written is not None:
            self._stream.write(written)
            return
        table = plain(batch)
        metadata = (batch.schema.metadata or {}) if self.default_delimiter == "," else {}
        delimiter = metadata.get(_DELIMITER, self.default_delimiter.encode()).decode()
        if self._schema is None:
            self._schema = table.schema
            header = pa.schema(map(text_field, table.schema.names))
            self._stream.write(_encode_cells(string_batch(header, [header.names]), delimiter))
        self._stream.write(_encode_cells(conform(table, self._schema), delimiter))

    def close(self) -> None:
        """Do nothing: every row is written at once."""


class TsvWriter(CsvWriter):
    """csv with tabs."""

    default_delimiter = "\t"


def _encode_cells(batch: pa.RecordBatch, delimiter: str) -> bytes | memoryview:
    """Return the lines of a batch, with quotes only where needed (20 times as fast as `csv.writer`)."""
    columns = [as_cells(field, column) for field, column in zip(batch.schema, batch.columns, strict=True)]
    if batch.nbytes >= LARGE_BYTES and delimiter.isascii():
        return encode_plain(columns, delimiter)
    alone = batch.num_columns == 1
    cells = [_quoted(column, delimiter, alone=alone) for column in columns]
    lines = pc.binary_join_element_wise(*cells, _constant(delimiter))
    ended = pc.binary_join_element_wise(lines, _constant("\n"), _constant(""))
    return "".join(ended.to_pylist()).encode()


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
