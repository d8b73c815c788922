"""JSON lines: the text is decoded, all other values are kept as they stand.

A batch holds the texts as columns, and the lines themselves in a hidden column. `msgspec` finds the values
in a line without decoding them. Lines that it refuses, or that may have a key twice, go through the scanner
of Python's `json`, which says what is wrong, and where. pyarrow's reader would crash the process at 20,000
levels of nesting.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import functools
import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from json.decoder import JSONObject  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import as_strings
from salva.errors import InputError
from salva.rows.columns import (
    Columns,
    Reader,
    ReadOptions,
    Writer,
    hidden_column,
    hidden_field,
    is_json,
    json_field,
    text_field,
    without_hidden,
)
from salva.rows.source import BadRows, Block, Source, text_blocks

MAX_COLUMNS = 10_000
LINE = "line"
_BLANKS = " \t\r"
_LONG_NUMBER = 4300  # digits; Python refuses more

Values: TypeAlias = dict[str, msgspec.Raw]
_decode = msgspec.json.Decoder(Values).decode
_decode_texts = msgspec.json.Decoder(list[str | None]).decode
_encoder = msgspec.json.Encoder()
_REFUSED = (msgspec.MsgspecError, RecursionError, UnicodeError)


def parse_line(line: bytes, *, checked: bool = False) -> Values:
    """Return the values of a JSON object by key, as they stand; a ValueError says what is wrong.

    >>> {key: bytes(value) for key, value in parse_line(b'{"a": 1.50, "b": [1, 2]}').items()}
    {'a': b'1.50', 'b': b'[1, 2]'}
    """
    try:
        values = _decode(line)
    except _REFUSED:
        return _scan_line(line.decode())
    if checked:
        return values
    # A line that is not what its keys and values give may have a key twice, or blanks elsewhere.
    raw = tuple(values.values())
    spaced, compact = _templates(tuple(values))
    is_plain = line in (spaced % raw, compact % raw)
    if is_plain and len(line) > _LONG_NUMBER:
        is_plain = not any(len(value) > _LONG_NUMBER and bytes(value)[:1] != b'"' for value in raw)
    return values if is_plain else _scan_line(line.decode())


@functools.lru_cache(1 << 10)
def _templates(keys: tuple[str, ...]) -> tuple[bytes, bytes]:
    """Return a line with these keys, in which %b stands for each value: with blanks, and without."""
    names = [_encoder.encode(key).replace(b"%", b"%%") for key in keys]
    spaced = b", ".join(name + b": %b" for name in names)
    compact = b",".join(name + b":%b" for name in names)
    return b"{" + spaced + b"}", b"{" + compact + b"}"


_SURROGATE = re.compile("[\ud800-\udfff]")


_PROBLEMS = {
    "Expecting property name enclosed in double quotes": "expected a key in quotes",
    "Expecting ':' delimiter": "expected ':'",
    "Expecting value": "no value",
    "Expecting ',' delimiter": "expected ',' or '}'",
}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


_scan: Any = json.JSONDecoder(parse_constant=_refuse_constant).scan_once  # type: ignore[attr-defined]


def _scan_raw(line: str, start: int) -> tuple[str, int]:
    _, end = _scan(line, start)
    return line[start:end], end


def _scan_line(line: str) -> Values:
    if not line.startswith("{"):
        raise ValueError(f"expected an object, found {line[:20]!r}")
    try:
        pairs, end = JSONObject((line, 1), True, _scan_raw, None, list)
    except json.JSONDecodeError as error:
        problem = _PROBLEMS.get(error.msg)
        raise ValueError(f"{problem} at column {error.colno}") if problem else error from None
    values: Values = {}
    for key, raw in pairs:
        if _SURROGATE.search(key):
            raise ValueError(f"key {key!r} has half a surrogate pair")
        if key in values:
            raise ValueError(f"key {key!r} occurs twice")
        values[key] = msgspec.Raw(raw)
    if end < len(line):
        raise ValueError(f"more than one value; extra text at column {end + 1}")
    return values


class _Rows(NamedTuple):
    """The rows of a block: their numbers, lines and values, and by number what is wrong with them.

    Broken lines have no values. They are refused in the order of the file, not before.
    """

    numbers: list[int]
    lines: list[bytes]
    values: list[Values]
    broken: dict[int, str]
    bad: dict[int, str]


def read_jsonl(source: Source, options: ReadOptions, bad: BadRows) -> Reader:
    """Read JSON lines; the columns are the keys in the first block that has a row."""
    blocks = text_blocks(source, options.max_line_bytes)
    for block in blocks:
        if block.first == 1 and block.data.lstrip()[:1] == b"[":
            problem = "is a JSON array, not JSON lines; convert it: jq -c '.[]'"
            raise InputError.at(source.name, None, problem)
        first = _read_block(block)
        if len(first.broken) < len(first.lines):
            break
        for number, problem in first.broken.items():
            bad.accepts(number, problem)
    else:
        reason = f"all {bad.rejected} were rejected" if bad.rejected else "the file is empty"
        raise InputError.at(source.name, None, f"no rows; {reason}")

    def batches(columns: Columns) -> Iterator[pa.RecordBatch]:
        for rows in chain([first], map(_read_block, blocks)):
            yield _as_batch(rows, columns, bad)

    return Reader(tuple(dict.fromkeys(chain.from_iterable(first.values))), batches)


def _read_block(block: Block) -> _Rows:
    rows = _Rows([], [], [], {}, block.bad)
    for number, line in enumerate(block.data.split(b"\n"), block.first):
        stripped = line.strip(_BLANKS.encode())
        if not stripped:
            continue
        values: Values = {}
        try:
            values = parse_line(stripped)
        except ValueError as error:
            rows.broken[number] = f"broken JSON: {error}"
        except RecursionError:
            rows.broken[number] = "broken JSON: nested too deeply"
        rows.numbers.append(number)
        rows.lines.append(stripped)
        rows.values.append(values)
    return rows


def _as_batch(rows: _Rows, columns: Columns, bad: BadRows) -> pa.RecordBatch:
    """Return the texts of a block, its spans as JSON, and its lines, without the rows that are rejected."""
    lines, spans = rows.lines, [] if columns.spans is None else [columns.spans]
    cells: Sequence[Sequence[str | None]] | None = None
    if not rows.bad and not rows.broken:
        with contextlib.suppress(KeyError, *_REFUSED):  # what is wrong is found row by row
            cells = [
                _decode_texts(b"[" + b",".join([values[name] for values in rows.values]) + b"]")
                for name in columns.text
            ] + [[bytes(values[name]).decode() for values in rows.values] for name in spans]
    if cells is None:
        found = [
            (line, row)
            for number, line, values in zip(rows.numbers, rows.lines, rows.values, strict=True)
            if (row := _read_row(number, values, rows, columns, bad)) is not None
        ]
        lines = [line for line, _ in found]
        cells = [[row[i] for _, row in found] for i in range(len(columns.text) + len(spans))]
    fields = [*map(text_field, columns.text), *map(json_field, spans), hidden_field(LINE, pa.large_binary())]
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(lines))]
    binary = pa.Array.from_buffers(pa.large_binary(), len(lines), buffers)
    arrays = [*(as_strings(column).array for column in cells), binary]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def _read_row(
    number: int, values: Values, rows: _Rows, columns: Columns, bad: BadRows
) -> list[str | None] | None:
    """Return the decoded texts of a row, and its spans as JSON; None if it is rejected."""
    if number in rows.broken:
        bad.accepts(number, rows.broken[number])
        return None
    problems = [rows.bad[number]] if number in rows.bad else []
    found: list[str | None] = []
    for name in columns.text:
        raw = bytes(values[name]).decode() if name in values else None
        value = None if raw is None else json.loads(raw)
        if raw is None or (value is not None and not isinstance(value, str)):
            bad.accepts(number, f"no {name!r}" if raw is None else f"{name!r} is {raw:.40}, not a string")
            return None
        if value and _SURROGATE.search(value):
            problems.append(f"{name!r} has half a surrogate pair, which is not a character")
            value = _SURROGATE.sub("\ufffd", value)
        found.append(value)
    if columns.spans is not None:
        if columns.spans not in values:
            bad.accepts(number, f"no {columns.spans!r}")
            return None
        found.append(bytes(values[columns.spans]).decode())
    return None if problems and not bad.accepts(number, "; ".join(problems), repairable=True) else found


def _parse_lines(batch: pa.RecordBatch) -> list[dict[str, Any]] | None:
    """Return the values of rows that came from JSON, once more; None for those of another format."""
    lines = hidden_column(batch, LINE)
    return None if lines is None else [parse_line(line, checked=True) for line in lines.to_pylist()]


def as_table(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch without hidden columns; JSON lines have one column per key, in order of occurrence.

    JSON strings stay as they are; other JSON values become their JSON text, null and absent ones null.
    """
    data, rows = without_hidden(batch), _parse_lines(batch)
    columns = {field.name: (field, column) for field, column in zip(data.schema, data.columns, strict=True)}
    for name, (field, column) in columns.items():
        if is_json(field):
            columns[name] = text_field(name), _decoded(name, column.cast(pa.large_binary()).to_pylist())
    if rows is not None:
        keys = dict.fromkeys(chain.from_iterable(rows))
        if len(keys) > MAX_COLUMNS:
            problem = f"the rows have over {MAX_COLUMNS} different keys, too many for columns; write jsonl"
            raise InputError(problem)
        for key in keys.keys() - columns.keys():
            columns[key] = text_field(key), _decoded(key, [row.get(key) for row in rows])
        columns = {key: columns[key] for key in dict.fromkeys([*keys, *columns])}
    schema = pa.schema([field for field, _ in columns.values()], metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays([column for _, column in columns.values()], schema=schema)


def _decoded(key: str, values: Sequence[msgspec.Raw | bytes | None]) -> pa.Array:
    """Return JSON values as a column of strings."""
    raws = [b"null" if value is None else bytes(value) for value in values]
    try:
        cells = [msgspec.json.decode(raw) if raw[:1] == b'"' else raw.decode() for raw in raws]
    except msgspec.DecodeError:
        problem = f"column {key!r} has half a surrogate pair, which only JSON can hold; write jsonl"
        raise InputError(problem) from None
    return as_strings([None if raw == b"null" else cell for raw, cell in zip(raws, cells, strict=True)]).array


class JsonlWriter(Writer):
    """JSON lines; in rows that came from JSON, only the texts change, and new columns come last."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        data = without_hidden(batch)
        rows = _parse_lines(batch) or [{} for _ in range(len(batch))]
        for field, column in zip(data.schema, data.columns, strict=True):
            name = field.name
            for row, value in zip(rows, _values(field, column), strict=True):
                row[name] = value
        self._stream.write(_encoder.encode_lines(rows))


@contextlib.contextmanager
def _unwritable(field: pa.Field, format_name: str) -> Iterator[None]:
    """Say which column has no form in a format."""
    try:
        yield
    except (pa.ArrowException, OverflowError, TypeError, ValueError, LookupError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        problem = f"column {field.name!r} of type {field.type} cannot be written as {format_name}"
        raise InputError(f"{problem} ({reason:.100})") from None


def _values(field: pa.Field, column: pa.Array) -> list[Any]:
    """Return the values of a column as `msgspec` encodes them."""
    types, kind = pa.types, field.type
    if types.is_temporal(kind):
        return [cell or None for cell in as_cells(field, column).to_pylist()]  # empty only for null
    with _unwritable(field, "jsonl"):
        if is_json(field):
            return [msgspec.Raw(value or b"null") for value in column.cast(pa.large_binary()).to_pylist()]
        if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
            column = column.cast(pa.large_binary()).cast(pa.large_string())
        elif types.is_nested(kind) or types.is_dictionary(kind) or types.is_interval(kind):
            return [msgspec.Raw(_dump(value).encode()) for value in column.to_pylist()]
        return list(column.to_pylist())


def as_cells(field: pa.Field, column: pa.Array) -> pa.Array:
    """Return a column as cell strings, empty for null."""
    with _unwritable(field, "csv"):
        if pa.types.is_nested(field.type):
            column = as_strings(
                [value if value is None else _dump(value) for value in column.to_pylist()]
            ).array
        cells = column.cast(pa.large_string())
        cells = cells.fill_null("") if cells.null_count else cells  # which would copy it
        if pa.types.is_temporal(field.type) and pc.any(pc.starts_with(cells, "<value out of range")).as_py():
            raise ValueError("a value is out of range")
    return cells


def _dump(value: Any) -> str:
    """Return a value as JSON, with null for numbers that JSON cannot represent."""
    text = json.dumps(value, ensure_ascii=False, default=_as_text)
    if "NaN" in text or "Infinity" in text:
        text = json.dumps(json.loads(text, parse_constant=lambda name: None), ensure_ascii=False)
    return text


def _as_text(value: Any) -> str:
    """Return a value of an Arrow column that JSON has no form for as a text."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
