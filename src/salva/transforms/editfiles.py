"""Edits in files: a parquet or Arrow IPC table that records how its texts were rendered."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import as_numbers, ints
from salva._files import Unit, digest
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.rows.columns import ReadOptions, empty_batch
from salva.rows.read import Rows, find_output_format, open_rows
from salva.rows.write import RowWriter, open_writer
from salva.transforms.twins import EDIT_COLUMNS, no_way_back

_ABOUT = b"transform"
_FORMATS = ("parquet", "arrow")
_NO_EDITS = "holds no edits; name a file that a transform wrote as its edits"
_NUMBERS = EDIT_COLUMNS[:5]
_SCHEMA = pa.schema(
    [(name, pa.int64()) for name in _NUMBERS] + [(name, pa.large_string()) for name in EDIT_COLUMNS[5:]]
)


def check_edits_name(path: PathLike) -> None:
    """Refuse a file name that is neither .parquet nor .arrow."""
    if os.fspath(path) == "-" or find_output_format(path) not in _FORMATS:
        raise UsageError(f"{argument('edits', os.fspath(path))} must be a .parquet or .arrow file")


class EditWriter:
    """Writes the edits of one batch of rows after the other."""

    def __init__(self, writer: RowWriter, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema

    @classmethod
    @contextlib.contextmanager
    def open(
        cls, path: PathLike, about: dict[str, Any], *, overwrite: bool, unit: Unit | None
    ) -> Iterator[EditWriter]:
        """Open a file for edits, part of a unit; `about` describes the transform that made them."""
        schema = _SCHEMA.with_metadata({_ABOUT: json.dumps(about).encode()})
        with open_writer(path, text_column="new", overwrite=overwrite, unit=unit) as writer:
            edit_writer = cls(writer, schema)
            writer.write(empty_batch(schema))
            yield edit_writer

    def write(self, edits: pa.Table, first: int) -> None:
        """Write the edits of a batch; `first` is how many rows came before it."""
        if not edits.num_rows:
            return
        rows = as_numbers(ints(_whole(edits["row"])) + first)
        table = edits.set_column(0, "row", rows).cast(_SCHEMA).replace_schema_metadata(self._schema.metadata)
        for batch in table.combine_chunks().to_batches():
            self._writer.write(batch)


class EditReader:
    """Returns edits for ascending ranges of rows."""

    def __init__(self, path: PathLike, rows: Rows) -> None:
        self._path, self._rows = path, rows
        self._batches = iter(rows)
        self._held = pa.Table.from_batches([empty_batch(_SCHEMA)])
        self._last_row = -1
        self.digest = digest(path)

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: PathLike) -> Iterator[EditReader]:
        """Open a file of edits; refuse one that cannot be undone."""
        with open_rows(path, ReadOptions(text_column="new")) as rows:
            if rows.format not in _FORMATS:
                raise InputError.at(path, None, _NO_EDITS)
            reader = cls(path, rows)
            reader._check(next(reader._batches).schema)
            yield reader

    def take(self, first: int, last: int) -> pa.Table:
        """Return the edits of the rows from `first` up to, not including, `last`; rows count from `first`."""
        while self._last_row < last:
            batch = next(self._batches, None)
            if batch is None:
                break
            self._hold(batch)
        count = int(np.searchsorted(ints(_whole(self._held["row"])), last))
        taken, self._held = self._held.slice(0, count), self._held.slice(count)
        rows = as_numbers(ints(_whole(taken["row"])) - first)
        return taken.set_column(0, "row", rows)

    def finish(self, name: str, rows: int) -> None:
        """Refuse edits of rows that do not exist."""
        left = self.take(0, 1 << 62)
        if left.num_rows:
            row = left["row"][0].as_py()
            raise InputError.at(
                name,
                None,
                f"has {number_of(rows, 'row')}, but {os.fspath(self._path)} has edits for row {row}",
            )

    def _check(self, schema: pa.Schema) -> None:
        about = (schema.metadata or {}).get(_ABOUT)
        if about is None or not set(EDIT_COLUMNS) <= set(schema.names):
            raise InputError.at(self._path, None, _NO_EDITS)
        try:
            render = json.loads(about)["settings"]["render"]
        except (ValueError, KeyError, TypeError):
            raise InputError.at(self._path, None, "has no render; write it again") from None
        if render != "splice":
            raise InputError.at(self._path, None, no_way_back(str(render)))

    def _hold(self, batch: pa.RecordBatch) -> None:
        table = pa.Table.from_batches([batch]).select(EDIT_COLUMNS).cast(_SCHEMA)
        rows = ints(_whole(table["row"]))
        if any(table[name].null_count for name in EDIT_COLUMNS[:7]) or (np.diff(rows) < 0).any():
            raise InputError.at(self._path, None, "holds edits that are out of order or incomplete")
        if len(rows) and rows[0] < self._last_row:
            raise InputError.at(self._path, None, "holds edits that are out of order or incomplete")
        self._last_row = int(rows[-1]) if len(rows) else self._last_row
        self._held = pa.concat_tables([self._held, table])


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
