"""JSON lines: the text is decoded, every other value is carried as it stands, keys keep their order.

Each line is walked with the scanner of Python's `json`, which refuses depth with an error; pyarrow's reader
crashes the process at 20,000 levels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import Any

import pyarrow as pa

from salva.datasets.badrows import BadRows
from salva.datasets.fields import hidden_field, is_hidden, is_json, json_field, text_field
from salva.datasets.lines import Block, text_blocks
from salva.datasets.options import ReadOptions
from salva.datasets.source import Source
from salva.errors import InputError

__all__ = ["JsonlReader", "encode_rows", "encode_value"]

_KEYS = "salva:keys"
_OPENING = re.compile(r"[ \t\r]*\{(?:[ \t\r]*(\}))?")
_PLAIN_KEY = re.compile(r'[ \t\r]*"([^"\\\x00-\x1f]*)"[ \t\r]*:[ \t\r]*')
_COLON = re.compile(r"[ \t\r]*:[ \t\r]*")
_FOLLOWING = re.compile(r"[ \t\r]*([,}])")
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonlReader:
    """Rows of a JSON lines file."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._bad = bad
        self._name = source.name
        self._blocks = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._first = next(self._blocks, None)
        if self._first is None or not self._first.text.strip():
            raise InputError.at(source.name, None, "no rows; the file is empty")
        if self._first.text.lstrip()[0] == "[":
            raise InputError.at(source.name, None, "is a JSON array, not JSON lines; convert it: jq -c '.[]'")
        self._rows = list(self._parsed(self._first))
        self.names = tuple(dict.fromkeys(key for _, row in self._rows for key in row))

    def batches(self, text: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield a batch for every block of lines."""
        yield self._batch(self._rows, text)
        self._rows.clear()
        for block in self._blocks:
            yield self._batch(list(self._parsed(block)), text)

    def _parsed(self, block: Block) -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in enumerate(block.text.split("\n"), block.first):
            if not line or line.isspace():
                continue
            if number in block.bad and not self._bad.keeps(number, block.bad[number], mendable=True):
                continue
            try:
                yield number, split_object(line)
            except ValueError as error:
                self._bad.keeps(number, f"broken JSON: {error}")
            except RecursionError:
                self._bad.keeps(number, "broken JSON: nested too deeply")

    def _batch(self, rows: list[tuple[int, dict[str, str]]], text: Sequence[str]) -> pa.RecordBatch:
        rows = [(number, row) for number, row in rows if self._decode_texts(number, row, text)]
        names = dict.fromkeys([*text, *(key for _, row in rows for key in row)])
        columns = [pa.array([row.get(name) for _, row in rows], pa.large_string()) for name in names]
        fields = [text_field(name) if name in text else json_field(name) for name in names]
        columns.append(pa.array([_encoded_keys(tuple(row)) for _, row in rows], pa.large_string()))
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema([*fields, hidden_field(_KEYS)]))

    def _decode_texts(self, number: int, row: dict[str, Any], text: Sequence[str]) -> bool:
        """Put the strings of the text columns in place of their JSON; tell whether the row stays."""
        for name in text:
            if name not in row:
                return self._bad.keeps(number, f"no {name!r}")
            value = json.loads(row[name])
            if value is not None and not isinstance(value, str):
                return self._bad.keeps(number, f"{name!r} is {row[name]:.40}, not a string")
            if value and _SURROGATE.search(value):
                problem = f"{name!r} has half a surrogate pair, which is no character"
                if not self._bad.keeps(number, problem, mendable=True):
                    return False
                value = _SURROGATE.sub("\ufffd", value)
            row[name] = value
        return True


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


_scan = json.JSONDecoder(parse_constant=_refuse_constant).scan_once  # type: ignore[attr-defined]


def split_object(line: str) -> dict[str, str]:
    """Return the JSON text of every value of an object, by key.

    >>> split_object('{"a": 1.50, "b": [1, 2]}')
    {'a': '1.50', 'b': '[1, 2]'}
    """
    values: dict[str, str] = {}
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
        if key in values:
            raise ValueError(f"key {key!r} stands twice")
        values[key] = line[start:place]
        following = _FOLLOWING.match(line, place)
        if following is None:
            raise ValueError(f"expected ',' or '}}' at column {place + 1}")
        place, more = following.end(), following[1] == ","
    if line[place:].strip(" \t\r"):
        raise ValueError(f"more than one value; extra text at column {place + 1}")
    return values


def _any_key(line: str, place: int) -> tuple[str, int]:
    """Return a key that may have escapes, and where its value begins."""
    start = len(line) - len(line[place:].lstrip(" \t\r"))
    if not line.startswith('"', start):
        raise ValueError(f"expected a key in quotes at column {start + 1}")
    key, place = scanstring(line, start + 1, True)
    if _SURROGATE.search(key):
        raise ValueError(f"key {key!r} has half a surrogate pair")
    colon = _COLON.match(line, place)
    if colon is None:
        raise ValueError(f"expected ':' at column {place + 1}")
    return key, colon.end()


@cache
def _encoded_keys(keys: tuple[str, ...]) -> str:
    return json.dumps(keys)


def encode_rows(batch: pa.RecordBatch) -> Iterator[bytes]:
    """Yield the lines of a batch; columns that were not read from JSON come last."""
    data = [field for field in batch.schema if not is_hidden(field)]
    columns = {field.name: _encoded_column(batch, field) for field in data}
    orders = batch.column(_KEYS).to_pylist() if _KEYS in batch.schema.names else ["[]"] * batch.num_rows
    keys = {order: json.loads(order) for order in dict.fromkeys(orders)}
    read = {key for order in keys.values() for key in order}
    added = [name for name in columns if name not in read]
    cells = {
        order: [(encode_basestring(name) + ": ", columns[name]) for name in names + added]
        for order, names in keys.items()
    }
    lines = [
        "{" + ", ".join([key + (column[row] or "null") for key, column in cells[order]]) + "}\n"
        for row, order in enumerate(orders)
    ]
    yield "".join(lines).encode()


def _encoded_column(batch: pa.RecordBatch, field: pa.Field) -> list[str | None]:
    column = batch.column(field.name)
    if is_json(field):
        values: list[str | None] = column.to_pylist()
        return values
    return [None if value is None else encode_value(value) for value in column.to_pylist()]


def encode_value(value: Any) -> str:
    """Return the JSON of one value; what JSON has no form for becomes a string, NaN becomes null."""
    if isinstance(value, str):
        return encode_basestring(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        return "null"
