"""Parquet and Arrow IPC: typed columns, read in slices; nothing is decoded that was not checked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from salva.datasets.badrows import BadRows
from salva.datasets.columns import check_names
from salva.datasets.options import ReadOptions
from salva.datasets.source import Source
from salva.errors import InputError

__all__ = ["ArrowReader", "ParquetReader"]

BATCH_BYTES = 8 << 20
MAX_BATCH_ROWS = 1 << 16


@contextlib.contextmanager
def arrow_errors(source: Source, kind: str) -> Iterator[None]:
    """Turn what pyarrow says of a broken file into one line."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).strip().partition("\n")[0]
        raise InputError.at(source.name, None, f"is damaged or no {kind} file ({reason:.200})") from None


class ParquetReader:
    """Rows of a Parquet file; page checksums are verified where the file has them."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._source = source
        bad.numbered_by = "row"
        path = source.local_path()
        _refuse_cut_parquet(source.name, path)
        with arrow_errors(source, "Parquet"):
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            self.names = tuple(self._file.schema_arrow.names)
        check_names(source.name, self.names)

    def batches(self, text: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield batches of a few megabytes, whatever the size of the row groups."""
        with arrow_errors(self._source, "Parquet"), self._file:
            if self._file.metadata.num_rows == 0:
                yield empty_batch(self._file.schema_arrow)
            yield from self._file.iter_batches(batch_size=self._batch_rows(), use_threads=False)

    def _batch_rows(self) -> int:
        about = self._file.metadata
        groups = [about.row_group(i) for i in range(min(about.num_row_groups, 100))]
        size = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=1)
        return int(min(max(BATCH_BYTES / max(size, 1), 1), MAX_BATCH_ROWS))


class ArrowReader:
    """Rows of an Arrow IPC file or stream."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._source = source
        bad.numbered_by = "row"
        self._map = pa.memory_map(str(source.local_path()))
        with arrow_errors(source, "Arrow"):
            self._file = self._open()
            self.names = tuple(self._file.schema.names)
        check_names(source.name, self.names)

    def batches(self, text: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield slices of the record batches, each validated in full."""
        with arrow_errors(self._source, "Arrow"), self._map:
            yield empty_batch(self._file.schema)
            for whole in self._batches():
                for i, field in enumerate(whole.schema):
                    # Broken UTF-8 in a text column is a matter of rows and is looked at later, row by row.
                    if field.name not in text:
                        _validate(self._source, field.name, whole.column(i))
                rows = max(1, min(MAX_BATCH_ROWS, BATCH_BYTES * whole.num_rows // max(whole.nbytes, 1)))
                for start in range(0, whole.num_rows, rows):
                    yield whole.slice(start, rows)

    def _open(self) -> Any:
        if self._map.size() >= 6 and self._map.read_at(6, 0) == b"ARROW1":
            return pa.ipc.open_file(self._map)
        return pa.ipc.open_stream(self._map)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        if hasattr(self._file, "num_record_batches"):
            return (self._file.get_batch(i) for i in range(self._file.num_record_batches))
        return iter(self._file)


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """Return no rows, so that an output without any has its columns all the same."""
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def _validate(source: Source, name: str, column: pa.Array) -> None:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError.at(source.name, None, f"column {name!r} is broken ({error})") from None


def _refuse_cut_parquet(name: str, path: Any) -> None:
    with path.open("rb") as stream:
        head = stream.read(4)
        stream.seek(0, 2)
        size = stream.tell()
        stream.seek(max(size - 4, 0))
        tail = stream.read(4)
    if head == b"PARE" or tail == b"PARE":
        raise InputError.at(name, None, "is an encrypted Parquet file; decrypt it first")
    if not b"PAR1".startswith(head[:4]) and head != b"PAR1":
        raise InputError.at(name, None, f"is no Parquet file (it begins with {head!r}); pass --format")
    if head != tail or size < 12:
        raise InputError.at(name, None, "is cut off: the end of a Parquet file is missing; copy it again")
