"""Marks on the columns of a batch: raw JSON values, and helpers that only one format's writer knows."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

__all__ = ["hidden_field", "is_hidden", "is_json", "json_field", "plain", "text_field", "visible"]

_MARK = b"salva"


def text_field(name: str) -> pa.Field:
    """Return the field of a plain string column."""
    return pa.field(name, pa.large_string())


def json_field(name: str) -> pa.Field:
    """Return the field of a column of JSON values as they stand in the file; null where there is none."""
    return pa.field(name, pa.large_string(), metadata={_MARK: b"json"})


def hidden_field(name: str) -> pa.Field:
    """Return the field of a column that is no data: line ends, the order of keys."""
    return pa.field(name, pa.large_string(), metadata={_MARK: b"hidden"})


def is_json(field: pa.Field) -> bool:
    """Tell whether a column holds raw JSON."""
    return bool(field.metadata and field.metadata.get(_MARK) == b"json")


def is_hidden(field: pa.Field) -> bool:
    """Tell whether a column is no data."""
    return bool(field.metadata and field.metadata.get(_MARK) == b"hidden")


def visible(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch without hidden columns."""
    return batch.select([field.name for field in batch.schema if not is_hidden(field)])


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch as formats without JSON hold it: strings as they are, other values as JSON text."""
    batch = visible(batch)
    columns = [
        pa.array(map(_plain_value, batch.column(i).to_pylist()), pa.large_string())
        if is_json(field)
        else batch.column(i)
        for i, field in enumerate(batch.schema)
    ]
    schema = pa.schema([text_field(f.name) if is_json(f) else f for f in batch.schema])
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _plain_value(raw: str | None) -> Any:
    if raw is None or raw == "null":
        return None
    return json.loads(raw) if raw.startswith('"') else raw
