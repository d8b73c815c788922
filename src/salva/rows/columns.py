"""Columns: which hold the text, the label and the id, and which only carry what a writer needs.

A batch is a `pyarrow.RecordBatch`. A hidden column holds what only the writer of the same format reads,
such as line ends. It is found by its mark, never by its name, because a user's column can have any name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from salva._arguments import argument, did_you_mean
from salva._arrow import Strings, as_strings
from salva.errors import InputError, UsageError
from salva.rows.source import MAX_LINE_BYTES, OnBadRow, check_encoding

USUAL_NAMES = {
    "text": ("text", "review", "sentence", "content", "document", "body", "comment"),
    "label": ("label", "labels", "sentiment", "target", "class", "category"),
    "id": ("id", "idx", "guid", "uid", "uuid", "row_id"),
}
# The largest limit that the csv module accepts on every platform.
_MOST_BYTES = (1 << 31) - 1
_MARK, _HIDDEN, _JSON = b"salva", b"hidden:", b"json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a file; None means that Salva detects it."""

    format: str | None = None
    text_column: str | None = None
    label_column: str | None = None
    id_column: str | None = None
    spans_column: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    on_bad_row: OnBadRow = "fail"
    max_line_bytes: int = MAX_LINE_BYTES

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if self.delimiter is not None and not re.fullmatch('[^"\r\n\0\ud800-\udfff]', self.delimiter):
            raise UsageError(f"delimiter {self.delimiter!r} must be one character, such as ';'")
        if self.on_bad_row not in {"fail", "keep", "drop"}:
            raise UsageError(f"on_bad_row {self.on_bad_row!r} is unknown; use fail, keep or drop")
        check_encoding(self.encoding)
        if not 1 <= self.max_line_bytes <= _MOST_BYTES:
            raise UsageError(f"max_line_bytes {self.max_line_bytes!r} must be between 1 and {_MOST_BYTES}")


def select_columns(
    options: ReadOptions | None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    spans: str | None = None,
) -> ReadOptions:
    """Return the options with these columns, as far as they are given.

    >>> select_columns(None, ["premise", "hypothesis"]).text_column
    'premise,hypothesis'
    """
    text = text_column if text_column is None or isinstance(text_column, str) else ",".join(text_column)
    columns = {"text_column": text, "label_column": label_column, "id_column": id_column}
    columns["spans_column"] = spans
    given = {name: column for name, column in columns.items() if column is not None}
    return dataclasses.replace(options or ReadOptions(), **given)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a data set that Salva works on; `text` has two names for pairs of texts.

    `spans` has labelled spans of the text, which are checked as the rows are read.
    """

    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    spans: str | None = None

    def __str__(self) -> str:
        """Describe the columns on one line: text 'review', label 'sentiment', no id (row numbers)."""
        text = f"text {', '.join(map(repr, self.text))}" if self.text else "no text"
        label = f"label {self.label!r}" if self.label else "no label"
        spans = f", spans {self.spans!r}" if self.spans else ""
        return f"{text}, {label}, {f'id {self.id!r}' if self.id else 'no id (row numbers)'}{spans}"


def check_names(path: str, names: Sequence[str]) -> None:
    """Refuse column names that are empty or occur twice."""
    for i, name in enumerate(names, 1):
        if not name.strip():
            raise InputError.at(path, None, f"column {i} has no name; columns: {_list(names)}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError.at(path, None, f"column {name!r} occurs twice; rename one")
        seen.add(name)


def find_columns(
    path: str, names: Sequence[str], options: ReadOptions, *, needs_text: bool = True
) -> Columns:
    """Choose the columns: those that the options name, or else those with usual names.

    >>> print(find_columns("a.csv", ["Review", "sentiment", "stars"], ReadOptions()))
    text 'Review', label 'sentiment', no id (row numbers)
    """
    label, key, spans = options.label_column, options.id_column, options.spans_column
    labels, keys = _usual(names, "label"), _usual(names, "id")
    return Columns(
        text=_find_texts(path, names, options.text_column, needs_text=needs_text),
        label=find_column(path, names, label) if label else labels[0] if len(labels) == 1 else None,
        id=find_column(path, names, key) if key else keys[0] if len(keys) == 1 else None,
        spans=find_column(path, names, spans) if spans else None,
    )


def _find_texts(path: str, names: Sequence[str], wanted: str | None, *, needs_text: bool) -> tuple[str, ...]:
    if wanted is not None:
        parts = (wanted,) if wanted in names else tuple(part.strip() for part in wanted.split(","))
        if len(set(parts)) < len(parts):
            raise UsageError(f"text column {wanted!r} names a column twice")
        return tuple(find_column(path, names, part) for part in parts)
    matches = list(names) if len(names) == 1 else _usual(names, "text")
    if len(matches) != 1 and needs_text:
        problem = f"several columns could be the text: {_list(matches)}"
        problem = problem if matches else f"no text column; columns: {_list(names)}"
        raise InputError.at(path, None, f"{problem}; pass {argument('text_column')}")
    return tuple(matches) if len(matches) == 1 else ()


def _usual(names: Sequence[str], role: str) -> list[str]:
    """Return the columns with usual names; the first usual name wins."""
    usual = USUAL_NAMES[role]
    matches = [name for name in names if name.strip().lower() in usual]
    return [name for name in matches if name == usual[0]] or matches


def find_column(path: str, names: Sequence[str], wanted: str) -> str:
    """Return the name of a column if the data has it; raise otherwise, with the names it has."""
    if wanted in names:
        return wanted
    known = f"columns: {_list(names)}"
    hint = "; ".join(filter(None, [known, did_you_mean(wanted, names)]))
    raise InputError.at(path, None, f"no column {wanted!r}; {hint}")


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def text_field(name: str) -> pa.Field:
    """Return the field for a plain string column."""
    return pa.field(name, pa.large_string())


def json_field(name: str) -> pa.Field:
    """Return the field for a column of JSON values, which are written to JSON lines as they are."""
    return pa.field(name, pa.large_string(), metadata={_MARK: _JSON})


def is_json(field: pa.Field) -> bool:
    """Return whether a column holds JSON values."""
    return _mark(field) == _JSON


def hidden_field(role: str, data_type: pa.DataType | None = None) -> pa.Field:
    """Return the field for a hidden column, which is not data: line ends, for example."""
    mark = {_MARK: _HIDDEN + role.encode()}
    return pa.field(f"salva:{role}", data_type or pa.large_string(), metadata=mark)


def hidden_index(batch: pa.RecordBatch, role: str) -> int | None:
    """Return the index of the hidden column with the given role; None if the batch has none."""
    mark = _HIDDEN + role.encode()
    return next((i for i, field in enumerate(batch.schema) if _mark(field) == mark), None)


def hidden_column(batch: pa.RecordBatch, role: str) -> pa.Array | None:
    """Return the hidden column with the given role, or None if the batch has none."""
    index = hidden_index(batch, role)
    return None if index is None else batch.column(index)


def without_hidden(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with the columns that are data."""
    return batch.select([i for i, field in enumerate(batch.schema) if not _mark(field).startswith(_HIDDEN)])


def column_index(batch: pa.RecordBatch, name: str) -> int:
    """Return the index of a column that is not hidden."""
    fields = enumerate(batch.schema)
    return next(i for i, field in fields if field.name == name and not _mark(field).startswith(_HIDDEN))


def text_column(batch: pa.RecordBatch, name: str) -> Strings:
    """Return the texts of a batch that `open_rows` yielded; they were checked there."""
    return Strings.from_checked(batch.column(column_index(batch, name)))


def without_marks(schema: pa.Schema) -> pa.Schema:
    """Return a schema without our marks, which a foreign file may have too; other metadata is kept."""
    fields = [field.with_metadata(_without_marks(field.metadata)) for field in schema]
    return pa.schema(fields, metadata=_without_marks(schema.metadata))


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows, so that an output without rows still has its columns."""
    # Not `schema.empty_table()`, which imports pandas.
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def string_batch(schema: pa.Schema, rows: Sequence[Sequence[str]]) -> pa.RecordBatch:
    """Return rows of strings as a batch; `pa.array` would import pandas."""
    columns = [as_strings(cells).array for cells in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema) if rows else empty_batch(schema)


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch with the columns of a file: missing columns become null, new ones are refused."""
    indices = {name: i for i, name in enumerate(batch.schema.names)}
    known = set(schema.names)
    new = next((name for name in indices if name not in known), None)
    if new is not None:
        problem = f"column {new!r} first appears after writing began"
        raise InputError(f"{problem}; write jsonl, where rows may differ")
    columns = [
        batch.column(indices[field.name]) if field.name in indices else pa.nulls(len(batch), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _without_marks(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
    return {key: value for key, value in (metadata or {}).items() if not key.startswith(_MARK)} or None


def _mark(field: pa.Field) -> bytes:
    mark: bytes = (field.metadata or {}).get(_MARK, b"")
    return mark
