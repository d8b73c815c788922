"""JSON lines: the text is decoded, everything else in a line is kept as it is.

A batch holds the texts, label and id as columns. Hidden columns hold the lines themselves and the positions
of the texts in them, so that the rest of a line is written back byte for byte.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from salva.datasets.bad_rows import BadRows
from salva.datasets.batches import LINE, data_fields, hidden_column, hidden_field, json_field, text_field
from salva.datasets.options import ReadOptions
from salva.datasets.source import Block, Source, text_blocks
from salva.datasets.values import SURROGATE, Span, encode_column, split_object
from salva.errors import InputError


class _Row(NamedTuple):
    number: int
    line: str
    spans: dict[str, Span]
    problem: str | None

    def raw(self, name: str) -> str | None:
        """Return the JSON of a value; None if there is none."""
        span = self.spans.get(name)
        return None if span is None else self.line[span.start : span.stop]


def _span_roles(text: str) -> tuple[str, str]:
    """Return the roles of the hidden columns that hold where a text begins and ends in its line."""
    return f"start of {text}", f"stop of {text}"


class JsonlReader:
    """Rows of a JSON lines file."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._bad = bad
        self._blocks = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._rows: list[_Row] = []
        for block in self._blocks:
            if block.first == 1 and block.text.lstrip()[:1] == "[":
                problem = "is a JSON array, not JSON lines; convert it: jq -c '.[]'"
                raise InputError.at(source.name, None, problem)
            self._rows = list(self._parsed(block))
            if self._rows:
                break
        else:
            reason = f"all {bad.rejected} were rejected" if bad.rejected else "the file is empty"
            raise InputError.at(source.name, None, f"no rows; {reason}")
        self.names = tuple(dict.fromkeys(key for row in self._rows for key in row.spans))

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines."""
        first, self._rows = self._rows, []
        for rows in itertools.chain([first], (list(self._parsed(block)) for block in self._blocks)):
            yield self._batch(rows, text, [name for name in also if name not in text])

    def _parsed(self, block: Block) -> Iterator[_Row]:
        for number, line in enumerate(block.text.split("\n"), block.first):
            if not line.strip(" \t\r"):
                continue
            try:
                yield _Row(number, line, split_object(line), block.bad.get(number))
            except ValueError as error:
                self._bad.accepts(number, f"broken JSON: {error}")
            except RecursionError:
                self._bad.accepts(number, "broken JSON: nested too deeply")

    def _batch(self, rows: list[_Row], text: Sequence[str], also: Sequence[str]) -> pa.RecordBatch:
        texts: list[list[str | None]] = []
        kept: list[_Row] = []
        for row in rows:
            values = self._texts(row, text)
            if values is not None:
                texts.append(values)
                kept.append(row)
        fields = [*map(text_field, text), *map(json_field, also), hidden_field(LINE)]
        columns = [pa.array([values[i] for values in texts], pa.large_string()) for i in range(len(text))]
        columns += [pa.array([row.raw(name) for row in kept], pa.large_string()) for name in also]
        columns.append(pa.array([row.line for row in kept], pa.large_string()))
        for name in text:
            fields += [hidden_field(role, pa.int64()) for role in _span_roles(name)]
            columns += [pa.array([row.spans[name][end] for row in kept], pa.int64()) for end in (0, 1)]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

    def _texts(self, row: _Row, text: Sequence[str]) -> list[str | None] | None:
        """Return the decoded texts of a row, or None if it is rejected."""
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


class JsonlWriter:
    """JSON lines; in rows that came from JSON, only the texts change, and new columns come last."""

    def __init__(self, stream: BinaryIO, text: str) -> None:
        self._stream = stream

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        self._stream.write("".join(encode_rows(batch)).encode())

    def close(self) -> None:
        """Do nothing: every row is written at once."""


def encode_rows(batch: pa.RecordBatch) -> Iterator[str]:
    """Yield the rows of a batch as lines of JSON."""
    lines = hidden_column(batch, LINE)
    encoded = {field.name: encode_column(field, batch.column(i)) for i, field in data_fields(batch).items()}
    if lines is not None:
        yield from _changed_lines(batch, lines.to_pylist(), encoded)
        return
    keys = [(encode_basestring(name) + ": ", values) for name, values in encoded.items()]
    for row in range(len(batch)):
        yield "{" + ", ".join([key + values[row] for key, values in keys]) + "}\n"


def _changed_lines(batch: pa.RecordBatch, lines: list[str], encoded: dict[str, list[str]]) -> Iterator[str]:
    read, new = [], []
    for name, values in encoded.items():
        start, stop = (hidden_column(batch, role) for role in _span_roles(name))
        if start is None or stop is None:
            new.append((f", {encode_basestring(name)}: ", values))
        else:
            read.append((start.to_pylist(), stop.to_pylist(), values))
    for row, line in enumerate(lines):
        changed = line
        # From the last text to the first, so that the positions before it stay valid.
        for start, stop, value in sorted([(a[row], b[row], v[row]) for a, b, v in read], reverse=True):
            changed = changed[:start] + value + changed[stop:]
        if new:
            end = changed.rindex("}")
            changed = changed[:end] + "".join([key + values[row] for key, values in new]) + changed[end:]
        yield changed + "\n"
