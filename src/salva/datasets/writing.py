"""Write batches to a file that appears under its name only when it is complete, or to standard output."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from salva._files import replacing, storage_errors
from salva._types import PathLike
from salva.datasets.delimited import delimiter_of, encode_cells, encode_header
from salva.datasets.fields import without_marks
from salva.datasets.formats import READERS, format_of_name
from salva.datasets.txt import encode_lines
from salva.datasets.values import encode_rows, plain
from salva.errors import InputError, UsageError

logger = logging.getLogger("salva")

ROW_GROUP_BYTES = 32 << 20


class Writer(Protocol):
    """Writes batches, the first of which may be empty; `close` finishes the file."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        ...

    def close(self) -> None:
        """Write what is still buffered."""
        ...


class _TextWriter:
    """Formats that are a plain sequence of bytes: an encoder turns a batch into chunks of bytes."""

    def __init__(self, stream: Any, encode: Callable[[pa.RecordBatch], Iterator[bytes]]) -> None:
        self._stream, self._encode = stream, encode

    def write(self, batch: pa.RecordBatch) -> None:
        for chunk in self._encode(batch):
            self._stream.write(chunk)

    def close(self) -> None:
        """Nothing is held back."""


class _TxtWriter(_TextWriter):
    """Plain text, which has no room for other columns; a warning names them."""

    def __init__(self, stream: Any, text: str) -> None:
        super().__init__(stream, lambda batch: encode_lines(batch, text))
        self._text = text
        self._told = False

    def write(self, batch: pa.RecordBatch) -> None:
        super().write(batch)
        others = [name for name in plain(batch).schema.names if name != self._text] if not self._told else []
        self._told = True
        if others:
            logger.warning("txt holds only the text; left out: %s", ", ".join(others))


class _DelimitedWriter:
    """csv and tsv: a header, then rows with the same columns."""

    def __init__(self, stream: Any, default_delimiter: str) -> None:
        self._stream, self._default = stream, default_delimiter
        self._schema: pa.Schema | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        delimiter = delimiter_of(batch, self._default)
        table = plain(batch)
        if self._schema is None:
            self._stream.write(encode_header(table, self._default))
            self._schema = table.schema
        for chunk in encode_cells(conformed(table, self._schema), delimiter):
            self._stream.write(chunk)

    def close(self) -> None:
        """Nothing is held back."""


class _ColumnarWriter:
    """Parquet with page checksums, or Arrow IPC: batches are collected into groups of some megabytes."""

    def __init__(self, stream: Any, format: str) -> None:  # noqa: A002
        self._stream, self._format = stream, format
        self._writer: Any = None
        self._schema: pa.Schema | None = None
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        table = plain(batch)
        if self._format == "arrow":
            table = without_dictionaries(table)
        if self._schema is None:
            self._schema = without_marks(table.schema)
            self._writer = self._open(self._schema)
        self._held.append(conformed(table, self._schema))
        self._held_bytes += table.nbytes
        if self._held_bytes >= ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        if self._writer is not None:
            self._flush()
            self._writer.close()

    def _flush(self) -> None:
        table = pa.Table.from_batches(self._held, self._schema).combine_chunks()
        self._held, self._held_bytes = [], 0
        if table.num_rows:
            self._writer.write_table(table)

    def _open(self, schema: pa.Schema) -> Any:
        if self._format == "arrow":
            return pa.ipc.new_file(self._stream, schema)
        return pq.ParquetWriter(self._stream, schema, compression="zstd", write_page_checksum=True)


class _NamedWriter:
    """A writer whose errors begin with the name of the output."""

    def __init__(self, path: PathLike, kind: str, writer: Writer) -> None:
        self._path, self._kind, self._writer = path, kind, writer

    def write(self, batch: pa.RecordBatch) -> None:
        with self._named():
            self._writer.write(batch)

    def close(self) -> None:
        with self._named():
            self._writer.close()

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            with storage_errors(self._path):
                yield
        except InputError as error:
            raise InputError.at(self._path, None, str(error)) from None
        except pa.ArrowException as error:
            problem = f"a column cannot be written as {self._kind} ({str(error).partition(chr(10))[0]:.200})"
            raise InputError.at(self._path, None, problem) from None


def without_dictionaries(table: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with plain columns: an Arrow file can hold only one dictionary per column."""
    columns = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in table.columns]
    fields = [field.with_type(column.type) for field, column in zip(table.schema, columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields, metadata=table.schema.metadata))


def conformed(table: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch with the columns of the file: missing columns become null, new ones are refused."""
    places = {name: i for i, name in enumerate(table.schema.names)}
    known = set(schema.names)
    new = next((name for name in places if name not in known), None)
    if new is not None:
        raise InputError(
            f"column {new!r} first appears after writing began; write jsonl, where rows may differ"
        )
    size = table.num_rows
    columns = [
        table.column(places[field.name]) if field.name in places else pa.nulls(size, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


class _KeptOpen(io.RawIOBase):
    """A stream that Arrow can close without closing the underlying file, which must still be synced."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.abandoned = False

    def write(self, data: Any, /) -> int:
        return len(data) if self.abandoned else self._raw.write(data)

    def writable(self) -> bool:
        return True


WRITERS: dict[str, Callable[[Any, str], Writer]] = {
    "txt": _TxtWriter,
    "csv": lambda stream, text: _DelimitedWriter(stream, ","),
    "tsv": lambda stream, text: _DelimitedWriter(stream, "\t"),
    "jsonl": lambda stream, text: _TextWriter(stream, encode_rows),
    "parquet": lambda stream, text: _ColumnarWriter(stream, "parquet"),
    "arrow": lambda stream, text: _ColumnarWriter(stream, "arrow"),
}


def output_format(path: PathLike, format: str | None) -> tuple[str, str | None]:  # noqa: A002
    """Return the format and compression of an output; for `-`, the format must be given."""
    named = format_of_name(path, format)
    if named.format is None:
        known = ", ".join(READERS)
        raise UsageError(f"output {os.fspath(path)!r} has no known extension ({known}); pass --output-format")
    return named.format, named.packed


@contextlib.contextmanager
def open_writer(
    path: PathLike,
    *,
    text_column: str,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
    finished: Callable[[Path], None] | None = None,
) -> Iterator[Writer]:
    """Open an output; it gets its name when the block ends without an error.

    `finished` is called with the complete file just before that; not for standard output or a device.
    """
    kind, packed = output_format(path, format)
    with _sink(path, overwrite=overwrite, finished=finished) as raw:
        kept = _KeptOpen(raw)
        stream = pa.PythonFile(kept, mode="w")
        if packed:
            stream = pa.CompressedOutputStream(stream, packed)
        writer = _NamedWriter(path, kind, WRITERS[kind](stream, text_column))
        try:
            yield writer
            writer.close()
            with storage_errors(path):
                stream.close()
        except BaseException:
            # Arrow's writers also write when they are garbage-collected; by then the file is gone.
            kept.abandoned = True
            with contextlib.suppress(Exception):
                writer.close()
                stream.close()
            raise


def _sink(
    path: PathLike, *, overwrite: bool, finished: Callable[[Path], None] | None
) -> contextlib.AbstractContextManager[BinaryIO]:
    if os.fspath(path) != "-":
        return replacing(path, overwrite=overwrite, finished=finished)
    if sys.stdout is None:
        raise UsageError("standard output is closed; pass a file")
    return contextlib.nullcontext(sys.stdout.buffer)
