"""Parquet and Arrow IPC: typed columns, read in slices and validated before they are decoded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from salva._arguments import argument
from salva._arrow import as_supported, open_disk, supported_type
from salva._files import storage_errors
from salva.errors import InputError
from salva.rows.columns import (
    Columns,
    Reader,
    ReadOptions,
    Writer,
    check_names,
    conform,
    empty_batch,
    without_marks,
)
from salva.rows.jsonl import as_table
from salva.rows.source import BadRows, Layout, Source

BATCH_BYTES = 8 << 20
MAX_BATCH_ROWS = 1 << 12
# Rows that are decoded at once: few, because the next ones may be far longer than those before.
_MOST_DECODED = 128
ROW_GROUP_BYTES = 32 << 20
_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of an Arrow stream; without the first half before Arrow 0.15

_Opened: TypeAlias = tuple[pa.Schema, Iterator[pa.RecordBatch]]


def read_parquet(source: Source, options: ReadOptions, bad: BadRows) -> Reader:
    """Read a Parquet file; page checksums are verified if the file has them."""
    return _read(source, bad, "Parquet", _open_parquet)


def read_arrow(source: Source, options: ReadOptions, bad: BadRows) -> Reader:
    """Read an Arrow IPC file or stream."""
    return _read(source, bad, "Arrow", _open_arrow)


def _read(source: Source, bad: BadRows, title: str, open_file: Callable[[Source, Path], _Opened]) -> Reader:
    """Read an empty batch, then batches of a few megabytes, fully validated except for the texts."""
    bad.numbered_by = "row"
    path = source.local_path()
    with _one_line_errors(source.name, title):
        foreign, read = open_file(source, path)
        schema = _supported_schema(source.name, foreign)
        names = tuple(schema.names)
    check_names(source.name, names)

    def batches(columns: Columns) -> Iterator[pa.RecordBatch]:
        with _one_line_errors(source.name, title):
            yield empty_batch(schema)
            for batch in read:
                whole = _check_columns(source.name, batch, schema, columns.text)
                fit = BATCH_BYTES * whole.num_rows // max(_plain_bytes(whole), 1)
                rows = max(1, min(MAX_BATCH_ROWS, fit))
                for start in range(0, whole.num_rows, rows):
                    yield whole.slice(start, rows)

    return Reader(names, batches)


@contextlib.contextmanager
def _one_line_errors(name: str, title: str) -> Iterator[None]:
    """Turn pyarrow's errors about a broken file into one line."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            with storage_errors(name):
                raise
        reason = str(error).strip().partition("\n")[0]
        problem = f"is damaged, or not in {title} format ({reason:.200})"
        raise InputError.at(name, None, problem) from None


def _open_parquet(source: Source, path: Path) -> _Opened:
    _refuse_cut_parquet(source.name, path)
    file = pq.ParquetFile(open_disk(path), page_checksum_verification=True)
    source.rows = file.metadata.num_rows

    def read() -> Iterator[pa.RecordBatch]:
        """Yield batches of some megabytes, put together from few rows each.

        A few rows are decoded at a time: twice as many as before, as long as they are not too large. A page
        holds a long value that occurs often only once, so the size of the file says nothing.
        """
        held: list[pa.RecordBatch] = []
        count, size, most = 0, 0, 1
        with file:
            for batch in file.iter_batches(batch_size=most, use_threads=False):
                held.append(batch)
                own = _plain_bytes(batch)
                count, size = count + batch.num_rows, size + own
                if count >= MAX_BATCH_ROWS or size >= BATCH_BYTES:
                    yield from _join(held)
                    held, count, size = [], 0, 0
                most = max(1, min(2 * most, BATCH_BYTES * batch.num_rows // max(own, 1), _MOST_DECODED))
                file.reader.set_batch_size(most)  # for the next one
            yield from _join(held)

    return file.schema_arrow, read()


def _open_arrow(source: Source, path: Path) -> _Opened:
    disk = open_disk(path)
    magic = disk.read(6)
    disk.seek(0)
    file: Any = pa.ipc.open_file(disk) if magic == b"ARROW1" else pa.ipc.open_stream(disk)

    def read() -> Iterator[pa.RecordBatch]:
        """Yield the batches; refuse a stream without its end, which Arrow takes for a whole one."""
        with disk:
            if magic == b"ARROW1":
                yield from (file.get_batch(i) for i in range(file.num_record_batches))
                return
            place = disk.tell()
            for batch in file:
                place = disk.tell()
                yield batch
            last, end = disk.tell(), _END if magic.startswith(_END[:4]) else _END[4:]
            if last == place or disk.read_at(len(end), last - len(end)) != end:
                raise InputError.at(source.name, None, "is cut off: the stream does not end; copy it again")

    return file.schema, read()


def _supported_schema(name: str, schema: pa.Schema) -> pa.Schema:
    """Return the schema with types that Arrow handles well, without Salva marks that came with the file."""
    types = [supported_type(field.type) for field in schema]
    if None in types:
        field = schema.field(types.index(None))
        problem = f"column {field.name!r} of type {field.type} cannot be read; cast it first"
        raise InputError.at(name, None, problem)
    fields = [field.with_type(kind).with_nullable(True) for field, kind in zip(schema, types, strict=True)]
    return without_marks(pa.schema(fields, metadata=schema.metadata))


def _join(batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches as one, or as they are if Arrow cannot join a type, such as a list of dictionaries."""
    try:
        yield from [pa.concat_batches(batches)] if batches else []
    except pa.ArrowException:
        yield from batches


def _plain_bytes(batch: pa.RecordBatch) -> int:
    """Return the size of a batch once its dictionaries are decoded."""
    size = batch.nbytes
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and column.type.value_type in _TEXTS:
            lengths = pc.binary_length(column.dictionary).cast(pa.int64())
            size += pc.sum(lengths.take(column.indices)).as_py() or 0
    return int(size)


def _check_columns(
    name: str, batch: pa.RecordBatch, schema: pa.Schema, text: Sequence[str]
) -> pa.RecordBatch:
    """Refuse broken columns; bad UTF-8 in texts concerns single rows and is checked later."""
    columns = []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        full = field.name not in text
        try:
            column.validate(full=full)
            columns.append(as_supported(column))
            columns[-1].validate(full=full)
        except (pa.ArrowException, InputError) as error:
            raise InputError.at(name, None, f"column {field.name!r} is broken ({error})") from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _refuse_cut_parquet(name: str, path: Path) -> None:
    with path.open("rb") as stream:
        head = stream.read(4)
        size = stream.seek(0, 2)
        stream.seek(max(size - 4, 0))
        tail = stream.read(4)
    if b"PARE" in (head, tail):
        raise InputError.at(name, None, "is an encrypted Parquet file; decrypt it first")
    if not b"PAR1".startswith(head):
        problem = f"is not a Parquet file (it begins with {head!r}); pass {argument('format')}"
        raise InputError.at(name, None, problem)
    if head != tail or size < 12:
        raise InputError.at(name, None, "is cut off: the Parquet footer is missing; copy the file again")


class ParquetWriter(Writer):
    """Collects batches into groups of some megabytes."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        super().__init__(stream, text, layout)
        self._writer: Any = None
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Hold a batch; write all that are held if they are large enough."""
        table = as_table(batch)
        if self._writer is None:
            self._schema = without_marks(table.schema)
            self._writer = self._open(self._schema)
        self._held.append(conform(table, self._schema))
        self._held_bytes += table.nbytes
        if self._held_bytes >= ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write what is still held, and the footer."""
        if self._writer is not None:
            self._flush()
            self._writer.close()

    def _flush(self) -> None:
        table = pa.Table.from_batches(self._held, self._schema).combine_chunks()
        self._held, self._held_bytes = [], 0
        if table.num_rows:
            self._writer.write_table(table)

    def _open(self, schema: pa.Schema) -> Any:
        return pq.ParquetWriter(self._stream, schema, compression="zstd", write_page_checksum=True)


class ArrowWriter(ParquetWriter):
    """The same as an Arrow IPC file, which can hold only one dictionary per column: columns become plain."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Hold a batch of plain columns."""
        table = as_table(batch)
        columns = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in table.columns]
        fields = [field.with_type(column.type) for field, column in zip(table.schema, columns, strict=True)]
        schema = pa.schema(fields, metadata=table.schema.metadata)
        super().write(pa.RecordBatch.from_arrays(columns, schema=schema))

    def _open(self, schema: pa.Schema) -> Any:
        return pa.ipc.new_file(self._stream, schema)
