"""JSON lines: the text is decoded, everything else in a line is kept as it is.

A batch holds the texts, label and id as columns. Hidden columns hold the lines themselves and the positions
of the texts in them, so that the rest of a line is written back byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from json.encoder import encode_basestring
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import as_numbers, as_strings, ints
from salva.errors import InputError
from salva.rows.bad_rows import BadRows
from salva.rows.batches import (
    LINE,
    BatchBuilder,
    data_fields,
    hidden_column,
    hidden_field,
    is_value,
    json_field,
    text_field,
    written_batch,
    written_rows,
)
from salva.rows.keys import find_keys
from salva.rows.lines import AT_END, Insertion, PlainLines, put_into_lines
from salva.rows.options import ReadOptions
from salva.rows.source import LARGE_BYTES, Block, Source, count_lines, text_blocks
from salva.rows.values import SURROGATE, Span, encode_column, split_object


class _Row(NamedTuple):
    number: int
    line: str
    spans: dict[str, Span]
    problem: str | None
    broken: str | None = None  # why it is not JSON: rows are refused in the order of the file, not before

    def raw(self, name: str) -> str | None:
        """Return the JSON of a value; None if there is none."""
        span = self.spans.get(name)
        return None if span is None else self.line[span.start : span.stop]

    def place(self, name: str, end: int) -> int:
        """Return where a value begins (0) or ends (1) in the bytes of the line; `AT_END` if there is none."""
        if name not in self.spans:
            return AT_END
        place = self.spans[name][end]
        return place if self.line.isascii() else len(self.line[:place].encode())


def _span_roles(text: str) -> tuple[str, str]:
    """Return the roles of the hidden columns that hold where a text begins and ends in its line."""
    return f"start of {text}", f"stop of {text}"


def _schema(text: Sequence[str], also: Sequence[str], placed: Sequence[str]) -> pa.Schema:
    fields = [*map(text_field, text), *map(json_field, also), hidden_field(LINE)]
    spans = [hidden_field(role, pa.int64()) for name in placed for role in _span_roles(name)]
    return pa.schema([*fields, *spans])


class JsonlReader:
    """Rows of a JSON lines file."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._bad, self._spans = bad, options.spans_column
        self._blocks: Iterator[Block] = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._rows: list[_Row] = []
        for block in self._blocks:
            if block.first == 1 and block.text.lstrip()[:1] == "[":
                problem = "is a JSON array, not JSON lines; convert it: jq -c '.[]'"
                raise InputError.at(source.name, None, problem)
            names = find_keys(block.data) if _is_large(block) else None
            if names:
                self.names, self._blocks = names, chain([block], self._blocks)
                return
            self._rows = list(self._parsed(block))
            if any(row.broken is None for row in self._rows):
                self.names = tuple(dict.fromkeys(key for row in self._rows for key in row.spans))
                return
            for row in self._rows:
                self._texts(row, ())
            self._rows = []
        reason = f"all {bad.rejected} were rejected" if bad.rejected else "the file is empty"
        raise InputError.at(source.name, None, f"no rows; {reason}")

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines."""
        return self._batches(text, also, copying=False)

    def copied(self, text: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows for a `JsonlWriter`; of a large block, as it writes them, until a line is odd."""
        return self._batches(text, [], copying=True)

    def _batches(
        self, text: Sequence[str], also: Sequence[str], *, copying: bool
    ) -> Iterator[pa.RecordBatch]:
        placed = [*text, *(name for name in also if name == self._spans and name not in text)]
        also = [*placed[len(text) :], *(name for name in also if name not in placed)]
        batch = BatchBuilder[_Row](
            _schema(text, also, placed), lambda rows: self._columns(rows, text, also, placed)
        )
        batch.rows, self._rows = self._rows, []
        if batch.rows:
            yield batch.take()
        plain: PlainLines | None = None
        for block in self._blocks:
            if not _is_large(block):
                batch.rows.extend(self._parsed(block))
                yield batch.take()
                continue
            plain = plain or PlainLines(text, also, placed=len(placed))
            lines, end = plain.copy(block.data) if copying else ([], 0)
            yield from map(written_batch, lines)
            if end < len(block.data):
                self._read_large(block, end, plain, batch)
                yield batch.take()

    def _read_large(self, block: Block, place: int, plain: PlainLines, batch: BatchBuilder[_Row]) -> None:
        """Let kernels read all lines from a place on but the odd ones."""
        data, number = block.data, block.first + count_lines(block.data, 0, place)
        while place < len(data):
            start = place
            columns, place = plain.read(data, start)
            batch.add(columns)
            if place == len(data):
                break
            number += count_lines(data, start, place)
            end = data.find(b"\n", place) + 1 or len(data)
            batch.rows.extend(self._parsed(Block(number, data[place:end], {}, False)))
            place, number = end, number + 1

    def _parsed(self, block: Block) -> Iterator[_Row]:
        for number, line in enumerate(block.text.split("\n"), block.first):
            if not line.strip(" \t\r"):
                continue
            try:
                yield _Row(number, line, split_object(line), block.bad.get(number))
            except ValueError as error:
                yield _Row(number, line, {}, None, f"broken JSON: {error}")
            except RecursionError:
                yield _Row(number, line, {}, None, "broken JSON: nested too deeply")

    def _columns(
        self, rows: list[_Row], text: Sequence[str], also: Sequence[str], placed: Sequence[str]
    ) -> list[pa.Array]:
        read = [(row, self._texts(row, text)) for row in rows]
        texts = [values for _, values in read if values is not None]
        kept = [row for row, values in read if values is not None]
        columns = [as_strings([values[i] for values in texts]).array for i in range(len(text))]
        columns += [as_strings([row.raw(name) for row in kept]).array for name in also]
        columns.append(as_strings([row.line for row in kept]).array)
        for name in placed:
            places = [[row.place(name, end) for row in kept] for end in (0, 1)]
            columns += [as_numbers(np.array(some, np.int64)) for some in places]
        return columns

    def _texts(self, row: _Row, text: Sequence[str]) -> list[str | None] | None:
        """Return the decoded texts of a row, or None if it is rejected."""
        if row.broken is not None:
            self._bad.accepts(row.number, row.broken)
            return None
        problems = [row.problem] if row.problem else []
        values: list[str | None] = []
        for name in text:
            raw = row.raw(name)
            value = None if raw is None else json.loads(raw)
            if raw is None or (value is not None and not isinstance(value, str)):
                self._bad.accepts(
                    row.number, f"no {name!r}" if raw is None else f"{name!r} is {raw:.40}, not a string"
                )
                return None
            if value and SURROGATE.search(value):
                problems.append(f"{name!r} has half a surrogate pair, which is not a character")
                value = SURROGATE.sub("\ufffd", value)
            values.append(value)
        if problems and not self._bad.accepts(row.number, "; ".join(problems), repairable=True):
            return None
        return values


def _is_large(block: Block) -> bool:
    return len(block.data) >= LARGE_BYTES and not block.bad


class JsonlWriter:
    """JSON lines; in rows that came from JSON, only the texts change, and new columns come last."""

    def __init__(self, stream: BinaryIO, text: str) -> None:
        self._stream = stream

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        written = written_rows(batch)
        self._stream.write(encode_rows(batch) if written is None else written)

    def close(self) -> None:
        """Do nothing: every row is written at once."""


def encode_rows(batch: pa.RecordBatch) -> bytes | memoryview:
    """Return the rows of a batch as lines of JSON."""
    lines = hidden_column(batch, LINE)
    large = batch.nbytes >= LARGE_BYTES
    columns = _insertions(batch, comma=lines is not None, large=large)
    if lines is None:
        lines = pa.repeat(as_strings(["{}"]).array[0], len(batch))
    if large:
        return put_into_lines(lines, columns)
    return b"".join(_changed_lines(lines.cast(pa.large_binary()).to_pylist(), columns))


def _insertions(batch: pa.RecordBatch, *, comma: bool, large: bool) -> list[Insertion]:
    """Return the columns of a batch as JSON, and where they go in the lines they came from, if any."""
    found = []
    for i, field in data_fields(batch).items():
        column = batch.column(i)
        values = column if is_value(field) else encode_column(field, column, large=large)
        start, stop = (hidden_column(batch, role) for role in _span_roles(field.name))
        if start is None or stop is None:
            prefix = (", " if comma else "") + encode_basestring(field.name) + ": "
            start = stop = as_numbers(np.full(len(batch), AT_END))
            comma = True
        else:
            prefix = ""
        found.append(Insertion(prefix, values, ints(start), ints(stop)))
    return found


def _changed_lines(lines: list[bytes], columns: list[Insertion]) -> Iterator[bytes]:
    values = [column.values.cast(pa.large_binary()).to_pylist() for column in columns]
    read = [i for i, column in enumerate(columns) if not column.prefix]
    new = [(columns[i].prefix.encode(), values[i]) for i in range(len(columns)) if i not in read]
    for row, line in enumerate(lines):
        changed = line
        # From the last text to the first, so that the positions before it stay valid.
        for i in sorted(read, key=lambda i: columns[i].starts[row], reverse=True):
            changed = changed[: columns[i].starts[row]] + values[i][row] + changed[columns[i].stops[row] :]
        if new:
            end = changed.rindex(b"}")
            changed = changed[:end] + b"".join([key + column[row] for key, column in new]) + changed[end:]
        yield changed + b"\n"
