"""JSON lines: the text is decoded, all other values are kept as they stand.

A batch holds the texts as columns, and the lines themselves in a hidden column. `msgspec` finds the values
in a line without decoding them. Lines that it refuses, or that may have a key twice, go through the scanner
of Python's `json`, which says what is wrong, and where. pyarrow's reader would crash the process at 20,000
levels of nesting.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import as_strings
from salva.errors import InputError
from salva.rows.columns import (
    ReadOptions,
    hidden_column,
    hidden_field,
    is_json,
    json_field,
    text_field,
    without_hidden,
)
from salva.rows.source import BadRows, Block, Layout, Source, text_blocks

MAX_COLUMNS = 10_000
LINE = "line"
_BLANKS = b" \t\r"
_LONG_NUMBER = 4300  # digits; Python refuses more

Values: TypeAlias = dict[str, msgspec.Raw]
_decode = msgspec.json.Decoder(Values).decode
_decode_texts = msgspec.json.Decoder(list[str | None]).decode
_encoder = msgspec.json.Encoder()
_REFUSED = (msgspec.MsgspecError, RecursionError, UnicodeError)


def parse_line(line: bytes) -> Values:
    """Return the values of a JSON object by key, as they stand; a ValueError says what is wrong.

    >>> {key: bytes(value) for key, value in parse_line(b'{"a": 1.50, "b": [1, 2]}').items()}
    {'a': b'1.50', 'b': b'[1, 2]'}
    """
    try:
        values = _decode(line)
    except _REFUSED:
        return _scan_line(line.decode())
    # A line that is not what its keys and values give may have a key twice, or blanks elsewhere.
    raw = tuple(values.values())
    spaced, compact = _templates(tuple(values))
    if line not in (spaced % raw, compact % raw):
        return _scan_line(line.decode())
    if len(line) > _LONG_NUMBER and any(len(v) > _LONG_NUMBER and bytes(v)[:1] != b'"' for v in raw):
        return _scan_line(line.decode())
    return values


@functools.lru_cache(1 << 10)
def _templates(keys: tuple[str, ...]) -> tuple[bytes, bytes]:
    """Return a line with these keys, in which %b stands for each value: with blanks, and without."""
    names = [_encoder.encode(key).replace(b"%", b"%%") for key in keys]
    spaced = b", ".join(name + b": %b" for name in names)
    compact = b",".join(name + b":%b" for name in names)
    return b"{" + spaced + b"}", b"{" + compact + b"}"


def _read_again(line: bytes) -> Values:
    """Return the values of a line that `parse_line` accepted."""
    try:
        return _decode(line)
    except _REFUSED:
        return _scan_line(line.decode())


_OPENING = re.compile(r"[ \t\r]*\{(?:[ \t\r]*(\}))?")
_SPACE = re.compile(r"[ \t\r]*")
_COLON = re.compile(r"[ \t\r]*:[ \t\r]*")
_FOLLOWING = re.compile(r"[ \t\r]*([,}])")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


_scan: Any = json.JSONDecoder(parse_constant=_refuse_constant).scan_once  # type: ignore[attr-defined]


def _scan_line(line: str) -> Values:
    values: Values = {}
    opening = _OPENING.match(line)
    if opening is None:
        raise ValueError(f"expected an object, found {line.lstrip()[:20]!r}")
    place, more = opening.end(), opening[1] is None
    while more:
        key, start = _scan_key(line, place)
        try:
            _, place = _scan(line, start)
        except StopIteration:
            raise ValueError(f"no value at column {start + 1}") from None
        if key in values:
            raise ValueError(f"key {key!r} occurs twice")
        values[key] = msgspec.Raw(line[start:place])
        following = _FOLLOWING.match(line, place)
        if following is None:
            raise ValueError(f"expected ',' or '}}' at column {place + 1}")
        place, more = following.end(), following[1] == ","
    if line[place:].strip(" \t\r"):
        raise ValueError(f"more than one value; extra text at column {place + 1}")
    return values


def _scan_key(line: str, place: int) -> tuple[str, int]:
    """Return a key, and where its value begins."""
    start = _SPACE.match(line, place).end()  # type: ignore[union-attr]
    if not line.startswith('"', start):
        raise ValueError(f"expected a key in quotes at column {start + 1}")
    key, place = scanstring(line, start + 1, True)
    if _SURROGATE.search(key):
        raise ValueError(f"key {key!r} has half a surrogate pair")
    colon = _COLON.match(line, place)
    if colon is None:
        raise ValueError(f"expected ':' at column {place + 1}")
    return key, colon.end()


class _Rows(NamedTuple):
    """The rows of a block: their numbers, lines and values, and by number what is wrong with them.

    Broken lines have no values. They are refused in the order of the file, not before.
    """

    numbers: list[int]
    lines: list[bytes]
    values: list[Values]
    broken: dict[int, str]
    bad: dict[int, str]


class JsonlReader:
    """Rows of a JSON lines file."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._bad = bad
        self._blocks: Iterator[Block] = text_blocks(source, max_line_bytes=options.max_line_bytes)
        for block in self._blocks:
            if block.first == 1 and block.data.lstrip()[:1] == b"[":
                problem = "is a JSON array, not JSON lines; convert it: jq -c '.[]'"
                raise InputError.at(source.name, None, problem)
            self._first = _read_block(block)
            if len(self._first.broken) < len(self._first.lines):
                self.names = tuple(dict.fromkeys(chain.from_iterable(self._first.values)))
                return
            self._batch(self._first, (), None)
        reason = f"all {bad.rejected} were rejected" if bad.rejected else "the file is empty"
        raise InputError.at(source.name, None, f"no rows; {reason}")

    def batches(self, text: Sequence[str], spans: str | None) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines."""
        yield self._batch(self._first, text, spans)
        for block in self._blocks:
            yield self._batch(_read_block(block), text, spans)

    def _batch(self, rows: _Rows, text: Sequence[str], spans: str | None) -> pa.RecordBatch:
        names = [*text, *([spans] if spans else [])]
        lines, columns = rows.lines, _read_columns(rows, text, spans)
        if columns is None:
            found = [
                (line, cells)
                for number, line, values in zip(rows.numbers, rows.lines, rows.values, strict=True)
                if (cells := self._cells(rows, number, values, text, spans)) is not None
            ]
            lines = [line for line, _ in found]
            columns = [[cells[i] for _, cells in found] for i in range(len(names))]
        fields = [*map(text_field, text), *([json_field(spans)] if spans else [])]
        fields.append(hidden_field(LINE, pa.large_binary()))
        arrays = [*(as_strings(cells).array for cells in columns), _binary(lines)]
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _cells(
        self, rows: _Rows, number: int, values: Values, text: Sequence[str], spans: str | None
    ) -> list[str | None] | None:
        """Return the decoded texts of a row, and its spans as JSON; None if it is rejected."""
        if number in rows.broken:
            self._bad.accepts(number, rows.broken[number])
            return None
        problems = [rows.bad[number]] if number in rows.bad else []
        found: list[str | None] = []
        for name in text:
            raw = bytes(values[name]).decode() if name in values else None
            value = None if raw is None else json.loads(raw)
            if raw is None or (value is not None and not isinstance(value, str)):
                problem = f"no {name!r}" if raw is None else f"{name!r} is {raw:.40}, not a string"
                self._bad.accepts(number, problem)
                return None
            if value and _SURROGATE.search(value):
                problems.append(f"{name!r} has half a surrogate pair, which is not a character")
                value = _SURROGATE.sub("\ufffd", value)
            found.append(value)
        if spans and spans not in values:
            self._bad.accepts(number, f"no {spans!r}")
            return None
        if problems and not self._bad.accepts(number, "; ".join(problems), repairable=True):
            return None
        return found + ([bytes(values[spans]).decode()] if spans else [])


def _read_block(block: Block) -> _Rows:
    rows = _Rows([], [], [], {}, block.bad)
    for number, line in enumerate(block.data.split(b"\n"), block.first):
        stripped = line.strip(_BLANKS)
        if not stripped:
            continue
        rows.numbers.append(number)
        rows.lines.append(stripped)
        try:
            rows.values.append(parse_line(stripped))
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            rows.broken[number] = f"broken JSON: {'nested too deeply' if deep else error}"
            rows.values.append({})
    return rows


def _read_columns(rows: _Rows, text: Sequence[str], spans: str | None) -> list[list[str | None]] | None:
    """Return the decoded texts of all rows, and their spans as JSON; None if a row is bad."""
    if rows.bad or rows.broken:
        return None
    try:
        columns = [_decode_texts(b"[" + b",".join([v[name] for v in rows.values]) + b"]") for name in text]
        return columns + ([[bytes(v[spans]).decode() for v in rows.values]] if spans else [])
    except (KeyError, *_REFUSED):
        return None


def _binary(lines: Sequence[bytes]) -> pa.Array:
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(lines))]
    return pa.Array.from_buffers(pa.large_binary(), len(lines), buffers)


def as_table(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch without hidden columns; JSON lines have one column per key, in order of occurrence.

    JSON strings stay as they are; other JSON values become their JSON text, null and absent ones null.
    """
    data, lines = without_hidden(batch), hidden_column(batch, LINE)
    columns = {field.name: (field, column) for field, column in zip(data.schema, data.columns, strict=True)}
    for name, (field, column) in columns.items():
        if is_json(field):
            columns[name] = text_field(name), _cells(name, column.cast(pa.large_binary()).to_pylist())
    if lines is not None:
        rows = list(map(_read_again, lines.to_pylist()))
        keys = dict.fromkeys(chain.from_iterable(rows))
        if len(keys) > MAX_COLUMNS:
            problem = f"the rows have over {MAX_COLUMNS} different keys, too many for columns; write jsonl"
            raise InputError(problem)
        for key in keys.keys() - columns.keys():
            columns[key] = text_field(key), _cells(key, [row.get(key) for row in rows])
        columns = {key: columns[key] for key in dict.fromkeys([*keys, *columns])}
    schema = pa.schema([field for field, _ in columns.values()], metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays([column for _, column in columns.values()], schema=schema)


def _cells(key: str, values: Sequence[msgspec.Raw | bytes | None]) -> pa.Array:
    """Return JSON values as a column of strings."""
    cells: list[str | None] = []
    for value in values:
        raw = b"null" if value is None else bytes(value)
        try:
            if raw[:1] == b'"':
                cells.append(msgspec.json.decode(raw))
            else:
                cells.append(None if raw == b"null" else raw.decode())
        except msgspec.DecodeError:
            problem = f"column {key!r} has half a surrogate pair, which only JSON can hold; write jsonl"
            raise InputError(problem) from None
    return as_strings(cells).array


class JsonlWriter:
    """JSON lines; in rows that came from JSON, only the texts change, and new columns come last."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        self._stream = stream

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        lines, data = hidden_column(batch, LINE), without_hidden(batch)
        rows: list[dict[str, Any]] = [{} for _ in range(len(batch))]
        if lines is not None:
            rows = list(map(_read_again, lines.to_pylist()))
        for field, column in zip(data.schema, data.columns, strict=True):
            name = field.name
            for row, value in zip(rows, _values(field, column), strict=True):
                row[name] = value
        self._stream.write(_encoder.encode_lines(rows))

    def close(self) -> None:
        """Do nothing: every row is written at once."""


_FAULTS = (pa.ArrowException, OverflowError, TypeError, ValueError, UnicodeError, LookupError, RecursionError)


def _values(field: pa.Field, column: pa.Array) -> list[Any]:
    """Return the values of a column as `msgspec` encodes them."""
    types = pa.types
    try:
        if is_json(field):
            return [msgspec.Raw(value or b"null") for value in column.cast(pa.large_binary()).to_pylist()]
        if types.is_temporal(field.type):
            cells = as_cells(field, column).to_pylist()
            valid = column.is_valid().to_pylist()
            return [cell if known else None for cell, known in zip(cells, valid, strict=True)]
        if any(
            test(field.type) for test in (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
        ):
            column = column.cast(pa.large_binary()).cast(pa.large_string())
        elif types.is_nested(field.type) or types.is_dictionary(field.type) or types.is_interval(field.type):
            return [msgspec.Raw(dump_json(value).encode()) for value in column.to_pylist()]
        return list(column.to_pylist())
    except InputError:
        raise
    except _FAULTS as error:
        raise _unwritable(field, "jsonl", error) from None


def as_cells(field: pa.Field, column: pa.Array) -> pa.Array:
    """Return a column as cell strings, empty for null."""
    try:
        if pa.types.is_nested(field.type):
            texts = [None if value is None else dump_json(value) for value in column.to_pylist()]
            column = as_strings(texts).array
        cells = column.cast(pa.large_string())
        cells = cells.fill_null("") if cells.null_count else cells  # which would copy it
    except _FAULTS as error:
        raise _unwritable(field, "csv", error) from None
    if pa.types.is_temporal(field.type) and pc.any(pc.starts_with(cells, "<value out of range")).as_py():
        raise _unwritable(field, "csv", "a value is out of range")
    return cells


def dump_json(value: Any) -> str:
    """Return a value as JSON, with null for numbers that JSON cannot represent."""
    try:
        return json.dumps(value, ensure_ascii=False, default=_other_value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_other_value, allow_nan=False)


def _other_value(value: Any) -> str:
    """Return the text for a value that has no JSON form."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _finite(value: Any) -> Any:
    """Return the value with null for numbers that JSON cannot represent."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return value


def _unwritable(field: pa.Field, format_name: str, error: object) -> InputError:
    reason = str(error).partition("\n")[0]
    problem = f"column {field.name!r} of type {field.type} cannot be written as {format_name} ({reason:.100})"
    return InputError(problem)
