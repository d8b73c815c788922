"""Parquet and Arrow IPC: typed columns, read in slices and validated before they are decoded."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from salva._arguments import argument
from salva._arrow import as_supported, open_disk, supported_type
from salva._files import storage_errors
from salva.errors import InputError
from salva.rows.columns import ReadOptions, check_names, conform, empty_batch, without_marks
from salva.rows.jsonl import as_table
from salva.rows.source import BadRows, Layout, Source

BATCH_BYTES = 8 << 20
MAX_BATCH_ROWS = 1 << 12
# Rows that are decoded at once: few, because the next ones may be far longer than those before.
_MOST_DECODED = 128
ROW_GROUP_BYTES = 32 << 20
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of an Arrow stream; without the first half before Arrow 0.15


class _ColumnarReader(abc.ABC):
    """What the two formats share: the schema and its checks, and errors that name the file."""

    title: str

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        bad.numbered_by = "row"
        self._source = source
        path = source.local_path()
        with self._one_line_errors():
            self._schema = _supported_schema(source.name, self._open(path))
            self.names = tuple(self._schema.names)
        check_names(source.name, self.names)

    def batches(self, text: Sequence[str], spans: str | None) -> Iterator[pa.RecordBatch]:
        """Yield an empty batch, then batches of a few megabytes, fully validated except for the texts."""
        with self._one_line_errors():
            yield empty_batch(self._schema)
            for batch in self._read():
                whole = _check_columns(self._source.name, batch, self._schema, text)
                rows = max(
                    1, min(MAX_BATCH_ROWS, BATCH_BYTES * whole.num_rows // max(_plain_bytes(whole), 1))
                )
                for start in range(0, whole.num_rows, rows):
                    yield whole.slice(start, rows)

    @abc.abstractmethod
    def _open(self, path: Path) -> pa.Schema:
        """Open the file, and return its schema."""

    @abc.abstractmethod
    def _read(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches of the file."""

    @contextlib.contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        """Turn pyarrow's errors about a broken file into one line."""
        try:
            yield
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                with storage_errors(self._source.name):
                    raise
            reason = str(error).strip().partition("\n")[0]
            problem = f"is damaged, or not in {self.title} format ({reason:.200})"
            raise InputError.at(self._source.name, None, problem) from None


class ParquetReader(_ColumnarReader):
    """Rows of a Parquet file; page checksums are verified if the file has them."""

    title = "Parquet"

    def _open(self, path: Path) -> pa.Schema:
        _refuse_cut_parquet(self._source.name, path)
        self._file = pq.ParquetFile(open_disk(path), page_checksum_verification=True)
        self._source.rows = self._file.metadata.num_rows
        return self._file.schema_arrow

    def _read(self) -> Iterator[pa.RecordBatch]:
        """Yield batches of some megabytes, put together from few rows each."""
        held: list[pa.RecordBatch] = []
        rows = size = 0
        with self._file:
            for batch in self._decode():
                held.append(batch)
                rows, size = rows + batch.num_rows, size + batch.nbytes
                if rows >= MAX_BATCH_ROWS or size >= BATCH_BYTES:
                    yield from _join(held)
                    held, rows, size = [], 0, 0
            yield from _join(held)

    def _decode(self) -> Iterator[pa.RecordBatch]:
        """Yield a few rows at a time: twice as many as before, as long as they are not too large.

        A page holds a long value that occurs often only once, so the size of the file says nothing.
        """
        rows = 1
        for batch in self._file.iter_batches(batch_size=rows, use_threads=False):
            yield batch
            fit = BATCH_BYTES * batch.num_rows // max(_plain_bytes(batch), 1)
            rows = max(1, min(2 * rows, fit, _MOST_DECODED))
            self._file.reader.set_batch_size(rows)  # for the next one


class ArrowReader(_ColumnarReader):
    """Rows of an Arrow IPC file or stream."""

    title = "Arrow"

    def _open(self, path: Path) -> pa.Schema:
        self._disk = open_disk(path)
        magic = self._disk.read(6)
        self._disk.seek(0)
        self._end = _END if magic.startswith(_END[:4]) else _END[4:]
        self._file = pa.ipc.open_file(self._disk) if magic == b"ARROW1" else pa.ipc.open_stream(self._disk)
        return self._file.schema

    def _read(self) -> Iterator[pa.RecordBatch]:
        with self._disk:
            if hasattr(self._file, "num_record_batches"):
                yield from (self._file.get_batch(i) for i in range(self._file.num_record_batches))
            else:
                yield from self._read_stream()

    def _read_stream(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a stream; refuse one without its end, which Arrow takes for a whole one."""
        place = self._disk.tell()
        for batch in self._file:
            place = self._disk.tell()
            yield batch
        last = self._disk.tell()
        if last == place or self._disk.read_at(len(self._end), last - len(self._end)) != self._end:
            raise InputError.at(self._source.name, None, "is cut off: the stream does not end; copy it again")


def _supported_schema(name: str, schema: pa.Schema) -> pa.Schema:
    """Return the schema with types that Arrow handles well, without Salva marks that came with the file."""
    fields = []
    for field in schema:
        data_type = supported_type(field.type)
        if data_type is None:
            problem = f"column {field.name!r} of type {field.type} cannot be read; cast it first"
            raise InputError.at(name, None, problem)
        fields.append(field.with_type(data_type).with_nullable(True))
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
        if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
            lengths = pc.binary_length(column.dictionary).cast(pa.int64())
            size += pc.sum(lengths.take(column.indices)).as_py() or 0
    return int(size)


def _is_text(data_type: pa.DataType) -> bool:
    return data_type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def _check_columns(
    name: str, batch: pa.RecordBatch, schema: pa.Schema, text: Sequence[str]
) -> pa.RecordBatch:
    """Refuse broken columns; bad UTF-8 in texts concerns single rows and is checked later."""
    columns = []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        full = field.name not in text
        try:
            if pa.types.is_dictionary(field.type):
                column.dictionary.validate(full=full)
            column.validate(full=full)
            columns.append(as_supported(column))
            columns[-1].validate(full=full)
        except (pa.ArrowException, InputError) as error:
            raise InputError.at(name, None, f"column {field.name!r} is broken ({error})") from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _refuse_cut_parquet(name: str, path: Path) -> None:
    with path.open("rb") as stream:
        head = stream.read(4)
        stream.seek(0, 2)
        size = stream.tell()
        stream.seek(max(size - 4, 0))
        tail = stream.read(4)
    if head == b"PARE" or tail == b"PARE":
        raise InputError.at(name, None, "is an encrypted Parquet file; decrypt it first")
    if not b"PAR1".startswith(head[:4]) and head != b"PAR1":
        problem = f"is not a Parquet file (it begins with {head!r}); pass {argument('format')}"
        raise InputError.at(name, None, problem)
    if head != tail or size < 12:
        raise InputError.at(name, None, "is cut off: the Parquet footer is missing; copy the file again")


class ParquetWriter:
    """Collects batches into groups of some megabytes."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        self._stream = stream
        self._writer: Any = None
        self._schema: pa.Schema | None = None
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Hold a batch; write all that are held if they are large enough."""
        table = self._prepare(as_table(batch))
        if self._schema is None:
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

    def _prepare(self, table: pa.RecordBatch) -> pa.RecordBatch:
        return table

    def _open(self, schema: pa.Schema) -> Any:
        return pq.ParquetWriter(self._stream, schema, compression="zstd", write_page_checksum=True)


class ArrowWriter(ParquetWriter):
    """The same as an Arrow IPC file, which can hold only one dictionary per column: columns become plain."""

    def _prepare(self, table: pa.RecordBatch) -> pa.RecordBatch:
        columns = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in table.columns]
        fields = [field.with_type(column.type) for field, column in zip(table.schema, columns, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields, metadata=table.schema.metadata))

    def _open(self, schema: pa.Schema) -> Any:
        return pa.ipc.new_file(self._stream, schema)
