"""The rows of a run, kept in its directory: id, one text or two, label, further columns.

They are in groups that are processed as one. A run reads its input only at the start, so it may come from a
pipe, and a report can show any row later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from salva._arrow import Strings, as_numbers, as_strings, open_disk
from salva._files import replacing, storage_errors
from salva.errors import InputError

MOST_ROWS, MOST_BYTES = 4096, 2 << 20
_KEPT = "column_"  # before the names of further columns


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Some rows: one or two columns of texts, and further columns by name; any value may be None."""

    first: int
    ids: list[str]
    texts: tuple[Strings, ...]
    labels: list[str | None]
    columns: dict[str, list[str | None]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)


class RunRows:
    """The rows of a run, by group or by row number."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with storage_errors(path):
            try:
                self._file = pq.ParquetFile(open_disk(path), page_checksum_verification=True)
            except (pa.ArrowInvalid, OSError) as error:
                raise InputError.at(path, None, f"is damaged ({_line(error)}); start a new run") from None
        metadata = self._file.metadata
        counts = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
        self._firsts = np.cumsum([0, *counts])

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def __iter__(self) -> Iterator[RowGroup]:
        for group in range(len(self._firsts) - 1):
            yield self._group(group)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the further columns."""
        names = self._file.schema_arrow.names
        return tuple(name.removeprefix(_KEPT) for name in names if name.startswith(_KEPT))

    def rows(self, numbers: Sequence[int]) -> RowGroup:
        """Return the rows with these numbers, which must be ascending."""
        places = np.asarray(numbers, np.int64)
        groups = np.searchsorted(self._firsts, places, side="right") - 1
        parts = [
            self._table(group).take(as_numbers(places[groups == group] - self._firsts[group]))
            for group in sorted(set(groups.tolist()))
        ]
        return _group_from(0, pa.concat_tables(parts) if parts else self._table(0).slice(0, 0))

    def read_texts(self) -> list[pa.LargeStringArray]:
        """Return the texts of all rows, column by column."""
        tables = pa.concat_tables([self._table(group) for group in range(len(self._firsts) - 1)])
        names = [name for name in tables.column_names if name.startswith("text_")]
        return [tables[name].combine_chunks() for name in names]

    def _group(self, group: int) -> RowGroup:
        return _group_from(int(self._firsts[group]), self._table(group))

    def _table(self, group: int) -> pa.Table:
        with storage_errors(self._path):
            try:
                return self._file.read_row_group(group, use_threads=False)
            except (pa.ArrowException, OSError) as error:
                problem = f"is damaged ({_line(error)}); start a new run"
                raise InputError.at(self._path, None, problem) from None


def write_rows(path: Path, batches: Iterable[RowGroup]) -> None:
    """Write rows in groups of limited size."""
    with replacing(path, overwrite=True) as stream:
        writer = None
        try:
            for batch in batches:
                table = _table(batch)
                writer = writer or pq.ParquetWriter(
                    stream, table.schema, compression="zstd", write_page_checksum=True
                )
                for first, last in _groups(batch.texts):
                    with storage_errors(path):
                        writer.write_table(table.slice(first, last - first), row_group_size=last - first)
        finally:
            if writer is not None:
                with storage_errors(path):
                    writer.close()


def _groups(texts: Sequence[Strings]) -> Iterator[tuple[int, int]]:
    sizes = sum(np.diff(column.offsets) for column in texts)
    ends = np.cumsum(sizes)
    first, rows = 0, len(texts[0])
    while first < rows:
        before = int(ends[first - 1]) if first else 0
        last = int(np.searchsorted(ends, before + MOST_BYTES, side="right"))
        last = min(max(last, first + 1), first + MOST_ROWS, rows)
        yield first, last
        first = last


def _table(batch: RowGroup) -> pa.Table:
    columns = {"id": as_strings(batch.ids).array}
    columns |= {f"text_{k}": column.array for k, column in enumerate(batch.texts)}
    columns["label"] = as_strings(batch.labels).array
    return pa.table(columns | {f"{_KEPT}{k}": as_strings(v).array for k, v in batch.columns.items()})


def _group_from(first: int, table: pa.Table) -> RowGroup:
    texts = tuple(as_strings(table[name]) for name in table.column_names if name.startswith("text_"))
    further = [name for name in table.column_names if name.startswith(_KEPT)]
    columns = {name.removeprefix(_KEPT): table[name].to_pylist() for name in further}
    return RowGroup(first, table["id"].to_pylist(), texts, table["label"].to_pylist(), columns)


def _line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0]
