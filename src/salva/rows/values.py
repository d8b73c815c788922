"""Single values as text: where they are in a line of JSON, as JSON, and as the cells of a column.

A line is parsed with the scanner of Python's `json`, which raises an error on deep nesting; pyarrow's reader
crashes the process at 20,000 levels.
"""

from __future__ import annotations

import datetime
import decimal
import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import as_strings
from salva.errors import InputError
from salva.rows.lines import encode_strings

SURROGATE = re.compile("[\ud800-\udfff]")
_OPENING = re.compile(r"[ \t\r]*\{(?:[ \t\r]*(\}))?")
_PLAIN_KEY = re.compile(r'[ \t\r]*"([^"\\\x00-\x1f]*)"[ \t\r]*:[ \t\r]*')
_SPACE = re.compile(r"[ \t\r]*")
_COLON = re.compile(r"[ \t\r]*:[ \t\r]*")
_FOLLOWING = re.compile(r"[ \t\r]*([,}])")
_FAULTS = (pa.ArrowException, OverflowError, TypeError, ValueError, UnicodeError, LookupError, RecursionError)


class Span(NamedTuple):
    """Where a value is in its line."""

    start: int
    stop: int


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


_scan: Any = json.JSONDecoder(parse_constant=_refuse_constant).scan_once  # type: ignore[attr-defined]


def split_object(line: str) -> dict[str, Span]:
    """Return the position of every value of a JSON object, by key.

    >>> split_object('{"a": 1.50, "b": [1, 2]}')
    {'a': Span(start=6, stop=10), 'b': Span(start=17, stop=23)}
    """
    spans: dict[str, Span] = {}
    opening = _OPENING.match(line)
    if opening is None:
        raise ValueError(f"expected an object, found {line.lstrip()[:20]!r}")
    place, more = opening.end(), opening[1] is None
    while more:
        plain_key = _PLAIN_KEY.match(line, place)
        key, start = (plain_key[1], plain_key.end()) if plain_key else _any_key(line, place)
        try:
            _, place = _scan(line, start)
        except StopIteration:
            raise ValueError(f"no value at column {start + 1}") from None
        if key in spans:
            raise ValueError(f"key {key!r} occurs twice")
        spans[key] = Span(start, place)
        following = _FOLLOWING.match(line, place)
        if following is None:
            raise ValueError(f"expected ',' or '}}' at column {place + 1}")
        place, more = following.end(), following[1] == ","
    if line[place:].strip(" \t\r"):
        raise ValueError(f"more than one value; extra text at column {place + 1}")
    return spans


def _any_key(line: str, place: int) -> tuple[str, int]:
    """Return a key that may contain escapes, and where its value begins."""
    start = _SPACE.match(line, place).end()  # type: ignore[union-attr]
    if not line.startswith('"', start):
        raise ValueError(f"expected a key in quotes at column {start + 1}")
    key, place = scanstring(line, start + 1, True)
    if SURROGATE.search(key):
        raise ValueError(f"key {key!r} has half a surrogate pair")
    colon = _COLON.match(line, place)
    if colon is None:
        raise ValueError(f"expected ':' at column {place + 1}")
    return key, colon.end()


def encode_column(field: pa.Field, column: pa.Array, *, large: bool) -> pa.Array:
    """Return every value of a column as JSON; kernels encode the texts of large batches."""
    if pa.types.is_integer(field.type) or pa.types.is_boolean(field.type):
        return column.cast(pa.large_string()).fill_null("null")
    if large and (pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
        return encode_strings(column.cast(pa.large_string()))
    try:
        if pa.types.is_temporal(field.type):
            cells = as_cells(field, column)
            column = pc.if_else(column.is_valid(), cells, pa.scalar(None, pa.large_string()))
        elif _holds_bytes(field.type):
            column = column.cast(pa.large_binary()).cast(pa.large_string())
        return as_strings([_encode(value) for value in column.to_pylist()]).array
    except InputError:
        raise
    except _FAULTS as error:
        raise _unwritable(field, "jsonl", error) from None


def as_cells(field: pa.Field, column: pa.Array) -> pa.Array:
    """Return a column as cell strings, empty for null."""
    try:
        if pa.types.is_nested(field.type):
            texts = [None if value is None else _encode(value) for value in column.to_pylist()]
            column = as_strings(texts).array
        cells = column.cast(pa.large_string())
        cells = cells.fill_null("") if cells.null_count else cells  # which would copy it
    except _FAULTS as error:
        raise _unwritable(field, "csv", error) from None
    if pa.types.is_temporal(field.type) and pc.any(pc.starts_with(cells, "<value out of range")).as_py():
        raise _unwritable(field, "csv", "a value is out of range")
    return cells


def _encode(value: Any) -> str:
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


def _holds_bytes(data_type: pa.DataType) -> bool:
    types = pa.types
    tests = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view)
    return any(test(data_type) for test in tests)


def _unwritable(field: pa.Field, format_name: str, error: object) -> InputError:
    reason = str(error).partition("\n")[0]
    return InputError(
        f"column {field.name!r} of type {field.type} cannot be written as {format_name} ({reason:.100})"
    )
