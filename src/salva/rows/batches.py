"""Batches of rows: Arrow record batches, with marks on the columns that are not plain data.

A column may hold raw JSON values. A hidden column holds what only the writer of the same format reads, such
as line ends. Both are found by their mark, never by their name, because a user's column can have any name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import pyarrow as pa

from salva._arrow import Strings, as_strings
from salva.errors import InputError
from salva.rows.keys import key_columns

LINE = "line"
_WRITTEN = "written"
_MARK = b"salva"
_HIDDEN = b"hidden:"
_VALUE = b"value"

Row = TypeVar("Row")


def text_field(name: str) -> pa.Field:
    """Return the field for a plain string column."""
    return pa.field(name, pa.large_string())


def json_field(name: str) -> pa.Field:
    """Return the field for a column of raw JSON values as in the file; null where the key is absent."""
    return pa.field(name, pa.large_string(), metadata={_MARK: b"json"})


def value_field(name: str) -> pa.Field:
    """Return the field for a column of JSON values that are written as they are, in place of those read."""
    return pa.field(name, pa.large_string(), metadata={_MARK: _VALUE})


def is_value(field: pa.Field) -> bool:
    """Return whether a column holds JSON values to write."""
    return _mark(field) == _VALUE


def is_raw_json(field: pa.Field) -> bool:
    """Return whether a column holds JSON values as they were read, null where a key is absent."""
    return _mark(field) == b"json"


def hidden_field(role: str, data_type: pa.DataType | None = None) -> pa.Field:
    """Return the field for a hidden column, which is not data: line ends, for example."""
    mark = {_MARK: _HIDDEN + role.encode()}
    return pa.field(f"salva:{role}", data_type or pa.large_string(), metadata=mark)


def data_fields(batch: pa.RecordBatch) -> dict[int, pa.Field]:
    """Return the fields that are data, by index: neither hidden nor JSON that was only read."""
    return {i: field for i, field in enumerate(batch.schema) if _mark(field) in (b"", _VALUE)}


def hidden_column(batch: pa.RecordBatch, role: str) -> pa.Array | None:
    """Return the hidden column with the given role, or None if the batch has none."""
    mark = _HIDDEN + role.encode()
    return next((batch.column(i) for i, field in enumerate(batch.schema) if _mark(field) == mark), None)


def written_batch(rows: pa.Array) -> pa.RecordBatch:
    """Return rows as the writer of their format writes them, for which nothing else is needed."""
    return pa.RecordBatch.from_arrays([rows], schema=pa.schema([hidden_field(_WRITTEN)]))


def is_written(batch: pa.RecordBatch) -> bool:
    """Return whether a batch holds rows as they are written, which were checked for that."""
    return hidden_column(batch, _WRITTEN) is not None


def written_rows(batch: pa.RecordBatch) -> memoryview | None:
    """Return the bytes of a batch that holds rows as they are written; None if it does not."""
    rows = hidden_column(batch, _WRITTEN)
    return None if rows is None else Strings.from_checked(rows).data.data


def replace_hidden(batch: pa.RecordBatch, role: str, column: pa.Array) -> pa.RecordBatch:
    """Return the batch with another hidden column in place of the one with the given role."""
    place = next(i for i, field in enumerate(batch.schema) if _mark(field) == _HIDDEN + role.encode())
    return batch.set_column(place, batch.schema.field(place), column)


def column_index(batch: pa.RecordBatch, name: str) -> int:
    """Return the index of a column that is not hidden."""
    fields = enumerate(batch.schema)
    return next(i for i, field in fields if field.name == name and not _mark(field).startswith(_HIDDEN))


def text_column(batch: pa.RecordBatch, name: str) -> Strings:
    """Return the texts of a batch that `open_rows` yielded; they were checked there."""
    return Strings.from_checked(batch.column(column_index(batch, name)))


def without_marks(schema: pa.Schema) -> pa.Schema:
    """Return a schema without this package's marks; other metadata is kept."""
    fields = [field.with_metadata(_without_marks(field.metadata)) for field in schema]
    return pa.schema(fields, metadata=_without_marks(schema.metadata))


def _without_marks(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
    return {key: value for key, value in (metadata or {}).items() if not key.startswith(_MARK)} or None


def _mark(field: pa.Field) -> bytes:
    mark: bytes = (field.metadata or {}).get(_MARK, b"")
    return mark


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows, so that an output without rows still has its columns."""
    # Not `schema.empty_table()`, which imports pandas.
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def string_columns(rows: Sequence[Sequence[str]]) -> list[pa.Array]:
    """Return rows of strings as columns; `pa.array` would import pandas."""
    return [as_strings(cells).array for cells in zip(*rows, strict=True)]


def string_batch(schema: pa.Schema, rows: Sequence[Sequence[str]]) -> pa.RecordBatch:
    """Return rows of strings as a batch."""
    return pa.RecordBatch.from_arrays(string_columns(rows), schema=schema) if rows else empty_batch(schema)


class BatchBuilder(Generic[Row]):
    """Collects rows and whole columns in the order of the file; `rows` are made into columns when needed."""

    def __init__(self, schema: pa.Schema, make_columns: Callable[[list[Row]], list[pa.Array]]) -> None:
        self.rows: list[Row] = []
        self._schema, self._make_columns = schema, make_columns
        self._parts: list[pa.RecordBatch] = []

    @property
    def is_empty(self) -> bool:
        """Whether no rows are held."""
        return not self.rows and not any(part.num_rows for part in self._parts)

    def add(self, columns: list[pa.Array]) -> None:
        """Add rows that are columns already."""
        self._end_rows()
        self._parts.append(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def take(self) -> pa.RecordBatch:
        """Return all rows so far as a batch, and forget them."""
        self._end_rows()
        parts, self._parts = [part for part in self._parts if part.num_rows], []
        if len(parts) > 1:
            return pa.concat_batches(parts)
        return parts[0] if parts else empty_batch(self._schema)

    def _end_rows(self) -> None:
        rows, self.rows = self.rows, []
        if rows:
            self._parts.append(pa.RecordBatch.from_arrays(self._make_columns(rows), schema=self._schema))


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch as a plain table: without hidden columns; for JSON lines, with one column per key.

    JSON strings stay as they are; other JSON values become their JSON text.
    """
    lines = hidden_column(batch, LINE)
    columns = {field.name: batch.column(i) for i, field in data_fields(batch).items()}
    fields = {field.name: field for field in data_fields(batch).values()}
    if lines is not None:
        parsed = key_columns(lines, skipped=columns.keys())
        columns = {key: columns.get(key, parsed.get(key)) for key in dict.fromkeys([*parsed, *columns])}
        fields = {key: fields.get(key, text_field(key)) for key in columns}
    schema = pa.schema(list(fields.values()), metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch with the columns of a file: missing columns become null, new ones are refused."""
    indices = {name: i for i, name in enumerate(batch.schema.names)}
    known = set(schema.names)
    new = next((name for name in indices if name not in known), None)
    if new is not None:
        raise InputError(
            f"column {new!r} first appears after writing began; write jsonl, where rows may differ"
        )
    columns = [
        batch.column(indices[field.name]) if field.name in indices else pa.nulls(len(batch), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
