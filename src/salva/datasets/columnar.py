"""Parquet and Arrow IPC: typed columns, read in slices and validated before they are decoded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from salva._arrow import settled, settled_type
from salva._files import storage_errors
from salva.datasets.badrows import BadRows
from salva.datasets.columns import check_names
from salva.datasets.fields import without_marks
from salva.datasets.options import ReadOptions
from salva.datasets.source import Source
from salva.errors import InputError

BATCH_BYTES = 8 << 20
MAX_BATCH_ROWS = 1 << 12
SAMPLE_ROWS = 64


@contextlib.contextmanager
def arrow_errors(source: Source, kind: str) -> Iterator[None]:
    """Turn pyarrow's errors about a broken file into one line."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            with storage_errors(source.name):
                raise
        reason = str(error).strip().partition("\n")[0]
        raise InputError.at(
            source.name, None, f"is damaged, or not in {kind} format ({reason:.200})"
        ) from None


class ParquetReader:
    """Rows of a Parquet file; page checksums are verified if the file has them."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._source = source
        bad.numbered_by = "row"
        path = source.local_path()
        _refuse_cut_parquet(source.name, path)
        with arrow_errors(source, "Parquet"):
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            self._schema = _settled_schema(source, self._file.schema_arrow)
        self.names = tuple(self._schema.names)
        check_names(source.name, self.names)

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield batches of a few megabytes, regardless of the size of the row groups."""
        with arrow_errors(self._source, "Parquet"), self._file:
            yield no_rows(self._schema)
            for batch in self._file.iter_batches(batch_size=self._batch_rows(), use_threads=False):
                yield _settled(self._source, batch, self._schema, text)

    def _batch_rows(self) -> int:
        """Return how many rows to read per batch, estimated from the decoded size of the first few."""
        some = next(self._file.iter_batches(batch_size=SAMPLE_ROWS, use_threads=False), None)
        size = some.nbytes / max(some.num_rows, 1) if some is not None else 1
        return int(min(max(BATCH_BYTES / max(size, 1), 1), MAX_BATCH_ROWS))


class ArrowReader:
    """Rows of an Arrow IPC file or stream."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._source = source
        bad.numbered_by = "row"
        # Not a memory map: if another process truncates the file, reading the map kills this one.
        self._disk = pa.OSFile(str(source.local_path()))
        with arrow_errors(source, "Arrow"):
            self._file = self._open()
            self._schema = _settled_schema(source, self._file.schema)
        self.names = tuple(self._schema.names)
        check_names(source.name, self.names)

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield slices of the record batches, which are fully validated first."""
        with arrow_errors(self._source, "Arrow"), self._disk:
            yield no_rows(self._schema)
            for raw in self._batches():
                whole = _settled(self._source, raw, self._schema, text)
                rows = max(1, min(MAX_BATCH_ROWS, BATCH_BYTES * whole.num_rows // max(whole.nbytes, 1)))
                for start in range(0, whole.num_rows, rows):
                    yield whole.slice(start, rows)

    def _open(self) -> Any:
        magic = self._disk.read(6)
        self._disk.seek(0)
        if magic == b"ARROW1":
            return pa.ipc.open_file(self._disk)
        return pa.ipc.open_stream(self._disk)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        if hasattr(self._file, "num_record_batches"):
            return (self._file.get_batch(i) for i in range(self._file.num_record_batches))
        return iter(self._file)


def no_rows(schema: pa.Schema) -> pa.RecordBatch:
    """Return an empty batch, so that an output without rows still has its columns."""
    # Not `schema.empty_table()`, which imports pandas.
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def _settled_schema(source: Source, schema: pa.Schema) -> pa.Schema:
    """Return the schema with types that Arrow handles well, without Salva marks that came with the file."""
    fields = []
    for field in schema:
        kind = settled_type(field.type)
        if kind is None:
            problem = f"column {field.name!r} of type {field.type} cannot be read; cast it first"
            raise InputError.at(source.name, None, problem)
        fields.append(field.with_type(kind).with_nullable(True))
    return without_marks(pa.schema(fields, metadata=schema.metadata))


def _settled(source: Source, batch: pa.RecordBatch, schema: pa.Schema, text: Sequence[str]) -> pa.RecordBatch:
    """Refuse broken columns; bad UTF-8 in texts concerns single rows and is checked later."""
    columns = []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        full = field.name not in text
        try:
            if pa.types.is_dictionary(field.type):
                column.dictionary.validate(full=full)
            column.validate(full=full)
            columns.append(settled(column))
            columns[-1].validate(full=full)
        except (pa.ArrowException, InputError) as error:
            raise InputError.at(source.name, None, f"column {field.name!r} is broken ({error})") from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)


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
        raise InputError.at(name, None, f"is not a Parquet file (it begins with {head!r}); pass --format")
    if head != tail or size < 12:
        raise InputError.at(name, None, "is cut off: the Parquet footer is missing; copy the file again")
