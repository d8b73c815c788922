"""JSON lines as a table: one column per key, in order of first occurrence.

Strings stay as they are; other values become their JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Collection

import pyarrow as pa

from salva._arrow import Strings, as_strings
from salva._types import Ints64
from salva.errors import InputError
from salva.rows.lines import PlainLines, decode_values, split_lines
from salva.rows.source import LARGE_BYTES
from salva.rows.values import SURROGATE, Span, split_object

MAX_COLUMNS = 10_000


def key_columns(lines: pa.Array, skipped: Collection[str]) -> dict[str, pa.Array | None]:
    """Return one column per key of lines that were read as JSON; None for skipped keys."""
    if lines.nbytes >= LARGE_BYTES:
        texts = Strings.from_checked(lines)
        places = split_lines(texts, split_object)
        if places is not None:
            return {
                key: None if key in skipped else _decode(key, texts, *spans) for key, spans in places.items()
            }
    return _parsed_columns(lines, skipped)


def find_keys(data: bytes) -> tuple[str, ...] | None:
    """Return the keys of many lines in order of first occurrence; None if kernels cannot find them all."""
    keys: dict[str, object] = {}
    lines, place = PlainLines([], []), 0
    while place < len(data):
        [plain], place = lines.read(data, place)
        found = split_lines(Strings.from_checked(plain), split_object)
        if found is None:
            return None
        keys |= found
        end = data.find(b"\n", place) + 1 or len(data)
        try:
            keys |= split_object(data[place:end].decode().rstrip("\n")) if place < end else {}
        except (ValueError, RecursionError):
            return None
        place = end
    return tuple(keys)


def _decode(key: str, lines: Strings, starts: Ints64, stops: Ints64) -> pa.Array:
    try:
        return decode_values(lines.data, starts, stops)
    except ValueError:
        raise _half_pair(key) from None


def _parsed_columns(lines: pa.Array, skipped: Collection[str]) -> dict[str, pa.Array | None]:
    rows = [(line, split_object(line)) for line in lines.to_pylist()]
    keys = dict.fromkeys(key for _, spans in rows for key in spans)
    if len(keys) > MAX_COLUMNS:
        raise InputError(
            f"the rows have over {MAX_COLUMNS} different keys, too many for columns; write jsonl"
        )
    return {
        key: None if key in skipped else as_strings([_cell(key, line, spans) for line, spans in rows]).array
        for key in keys
    }


def _cell(key: str, line: str, spans: dict[str, Span]) -> str | None:
    if key not in spans:
        return None
    raw = line[slice(*spans[key])]
    if not raw.startswith('"'):
        return None if raw == "null" else raw
    text: str = json.loads(raw)
    if SURROGATE.search(text):
        raise _half_pair(key)
    return text


def _half_pair(key: str) -> InputError:
    return InputError(f"column {key!r} has half a surrogate pair, which only JSON can hold; write jsonl")
