"""Marks on the columns of a batch: raw JSON values, and hidden columns that only one format's writer reads.

Hidden columns are found by their mark, never by their name, because a user's column can have any name.
"""

from __future__ import annotations

import pyarrow as pa

_MARK = b"salva"
_HIDDEN = b"hidden:"


def text_field(name: str) -> pa.Field:
    """Return the field for a plain string column."""
    return pa.field(name, pa.large_string())


def json_field(name: str) -> pa.Field:
    """Return the field for a column of raw JSON values as in the file; null where the key is absent."""
    return pa.field(name, pa.large_string(), metadata={_MARK: b"json"})


def hidden_field(role: str, kind: pa.DataType | None = None) -> pa.Field:
    """Return the field for a hidden column, which is not data: line ends, for example."""
    return pa.field(f"salva:{role}", kind or pa.large_string(), metadata={_MARK: _HIDDEN + role.encode()})


def is_json(field: pa.Field) -> bool:
    """Return whether a column holds raw JSON."""
    return bool(_mark(field) == b"json")


def is_hidden(field: pa.Field) -> bool:
    """Return whether a column is hidden."""
    return _mark(field).startswith(_HIDDEN)


def hidden_column(batch: pa.RecordBatch, role: str) -> pa.Array | None:
    """Return the hidden column with the given role, or None if the batch has none."""
    mark = _HIDDEN + role.encode()
    return next((batch.column(i) for i, field in enumerate(batch.schema) if _mark(field) == mark), None)


def column_index(batch: pa.RecordBatch, name: str) -> int:
    """Return the index of a data column."""
    return next(i for i, field in enumerate(batch.schema) if field.name == name and not is_hidden(field))


def without_marks(schema: pa.Schema) -> pa.Schema:
    """Return a schema without this package's marks; other metadata is kept."""
    fields = [field.with_metadata(_others(field.metadata)) for field in schema]
    return pa.schema(fields, metadata=_others(schema.metadata))


def _others(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
    kept = {key: value for key, value in (metadata or {}).items() if not key.startswith(_MARK)}
    return kept or None


def _mark(field: pa.Field) -> bytes:
    mark: bytes = (field.metadata or {}).get(_MARK, b"")
    return mark
