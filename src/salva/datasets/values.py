"""Convert columns to text: JSON, cells, and a plain table without marks."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from collections.abc import Collection, Iterator
from json.encoder import encode_basestring
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from salva.datasets.fields import hidden_column, is_hidden, is_json, text_field
from salva.datasets.jsonl import LINE, SURROGATE, span_of, split_object
from salva.errors import InputError

MAX_COLUMNS = 10_000
_FAULTS = (pa.ArrowException, OverflowError, TypeError, ValueError, UnicodeError, LookupError, RecursionError)


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch as a plain table: without hidden columns; for JSON lines, with one column per key.

    JSON strings stay as they are; other JSON values become their JSON text.
    """
    lines = hidden_column(batch, LINE)
    data = [(i, field) for i, field in enumerate(batch.schema) if not is_hidden(field) and not is_json(field)]
    columns = {field.name: batch.column(i) for i, field in data}
    fields = {field.name: field for _, field in data}
    if lines is not None:
        found = _json_columns(lines, skipped=columns.keys())
        keys = dict.fromkeys([*found, *columns])
        columns = {key: found[key] if found.get(key) is not None else columns[key] for key in keys}
        fields = {key: fields.get(key, text_field(key)) for key in keys}
    schema = pa.schema(list(fields.values()), metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


def _json_columns(lines: pa.Array, skipped: Collection[str]) -> dict[str, pa.Array | None]:
    """Return one column per key of the JSON lines, in order of first occurrence; None for skipped keys."""
    rows = [(line, split_object(line)) for line in lines.to_pylist()]
    keys = dict.fromkeys(key for _, spans in rows for key in spans)
    if len(keys) > MAX_COLUMNS:
        raise InputError(
            f"the rows have over {MAX_COLUMNS} different keys, too many for columns; write jsonl"
        )
    return {
        key: None
        if key in skipped
        else pa.array([_cell(key, line, spans) for line, spans in rows], pa.large_string())
        for key in keys
    }


def _cell(key: str, line: str, spans: dict[str, Any]) -> str | None:
    if key not in spans:
        return None
    raw = line[slice(*spans[key])]
    if not raw.startswith('"'):
        return None if raw == "null" else raw
    text: str = json.loads(raw)
    if SURROGATE.search(text):
        raise InputError(f"column {key!r} has half a surrogate pair, which only JSON can hold; write jsonl")
    return text


def encode_rows(batch: pa.RecordBatch) -> Iterator[bytes]:
    """Yield JSON lines; in rows that came from JSON, only the texts change, and new columns come last."""
    lines = hidden_column(batch, LINE)
    data = [i for i, field in enumerate(batch.schema) if not is_hidden(field) and not is_json(field)]
    encoded = {batch.schema.field(i).name: _encoded_column(batch, i) for i in data}
    if lines is None:
        keys = [(encode_basestring(name) + ": ", column) for name, column in encoded.items()]
        rows: Iterator[str] = (
            "{" + ", ".join([key + column[row] for key, column in keys]) + "}\n" for row in range(len(batch))
        )
    else:
        rows = _changed_lines(batch, lines.to_pylist(), encoded)
    yield "".join(rows).encode()


def _changed_lines(batch: pa.RecordBatch, lines: list[str], encoded: dict[str, list[str]]) -> Iterator[str]:
    read, new = [], []
    for name, values in encoded.items():
        start, stop = (hidden_column(batch, role) for role in span_of(name))
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


def _encoded_column(batch: pa.RecordBatch, place: int) -> list[str]:
    field, column = batch.schema.field(place), batch.column(place)
    try:
        if _is_bytes(field.type):
            column = column.cast(pa.large_binary()).cast(pa.large_string())
        elif pa.types.is_temporal(field.type):
            column = pc.if_else(
                column.is_valid(), as_cells(field, column), pa.scalar(None, pa.large_string())
            )
        return [_encoded(value) for value in column.to_pylist()]
    except InputError:
        raise
    except _FAULTS as error:
        raise _unwritable(field, "jsonl", error) from None


def _encoded(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return encode_basestring(value)
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


def as_cells(field: pa.Field, column: pa.Array) -> pa.Array:
    """Return a column as cell strings, empty for null."""
    try:
        if pa.types.is_nested(field.type):
            texts = [None if value is None else _encoded(value) for value in column.to_pylist()]
            column = pa.array(texts, pa.large_string())
        cells = column.cast(pa.large_string()).fill_null("")
    except _FAULTS as error:
        raise _unwritable(field, "csv", error) from None
    if pa.types.is_temporal(field.type) and pc.any(pc.starts_with(cells, "<value out of range")).as_py():
        raise _unwritable(field, "csv", "a value is out of range")
    return cells


def _is_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    )


def _unwritable(field: pa.Field, kind: str, error: object) -> InputError:
    reason = str(error).partition("\n")[0]
    return InputError(
        f"column {field.name!r} of type {field.type} cannot be written as {kind} ({reason:.100})"
    )
