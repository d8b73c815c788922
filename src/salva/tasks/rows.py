"""Rows of a data set as a task sees them: a text per column, lists as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from salva._types import PathLike
from salva.rows import ReadOptions, open_rows, select_columns
from salva.rows.columns import find_column
from salva.rows.jsonl import as_table
from salva.tasks.options import Row
from salva.tasks.task import Task


def as_cell(value: Any) -> str | None:
    """Return a value as a task sees it.

    >>> as_cell(5), as_cell(["a", "b"]), as_cell(None)
    ('5', '["a", "b"]', None)
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def read_columns(
    name: str, batch: pa.RecordBatch, columns: Sequence[str], *, first: bool
) -> dict[str, list[str | None]]:
    """Return columns of a batch; the first batch must have all, in later ones a missing key is null."""
    there = batch.schema.names
    if first:
        there = [find_column(name, there, column) for column in columns]
    values = {column: batch.column(column).to_pylist() for column in columns if column in there}
    return {column: list(map(as_cell, values.get(column, [None] * len(batch)))) for column in columns}


def read_rows(path: PathLike, task: Task, options: ReadOptions | None = None) -> Iterator[Row]:
    """Yield the rows of a file with the columns that a task needs."""
    columns = (*task.edit, *task.kept_columns)
    with open_rows(path, select_columns(options, task.edit)) as rows:
        for number, batch in enumerate(rows):
            values = read_columns(rows.name, as_table(batch), columns, first=not number)
            yield from (dict(zip(values, cells, strict=True)) for cells in zip(*values.values(), strict=True))
