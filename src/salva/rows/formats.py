"""The formats, and which of them a file has: from its name, its first bytes, or what the user says."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import BinaryIO, NamedTuple, Protocol, runtime_checkable

import pyarrow as pa

from salva._arguments import argument
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.rows.bad_rows import BadRows
from salva.rows.columnar import ArrowReader, ArrowWriter, ParquetReader, ParquetWriter
from salva.rows.conll import SPANS, ConllReader, ConllWriter
from salva.rows.delimited import CsvReader, CsvWriter, TsvReader, TsvWriter
from salva.rows.jsonl import JsonlReader, JsonlWriter
from salva.rows.options import ReadOptions
from salva.rows.source import CODECS, Source
from salva.rows.txt import TxtReader, TxtWriter

logger = logging.getLogger("salva")


class Reader(Protocol):
    """Reads one format: the names of the columns, then batches with the texts as plain strings."""

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        ...

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows, once only; `also` names the label and id columns, if any."""
        ...


@runtime_checkable
class CopyingReader(Reader, Protocol):
    """A reader whose rows can be written in the same format without being taken apart."""

    def copied(self, text: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows for a writer of the same format, once only; most as it writes them."""
        ...


class Writer(Protocol):
    """Writes batches, the first of which may be empty; `close` finishes the file."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        ...

    def close(self) -> None:
        """Write what is still buffered."""
        ...


class Format(NamedTuple):
    """A format: how its file names end, its reader and its writer, and how its files begin, if that is fixed.

    A writer gets a stream and the name of the text column. A format without columns holds only the texts; one
    with a `spans_column` has a line per token of them, and the spans in this column.
    """

    suffixes: tuple[str, ...]
    open_reader: Callable[[Source, ReadOptions, BadRows], Reader]
    open_writer: Callable[[BinaryIO, str], Writer]
    magic: bytes | None = None
    has_columns: bool = True
    spans_column: str | None = None


FORMATS = {
    "txt": Format((".txt",), TxtReader, TxtWriter, has_columns=False),
    "csv": Format((".csv",), CsvReader, CsvWriter),
    "tsv": Format((".tsv", ".tab"), TsvReader, TsvWriter),
    "jsonl": Format((".jsonl", ".ndjson"), JsonlReader, JsonlWriter),
    "parquet": Format((".parquet", ".pq"), ParquetReader, ParquetWriter, b"PAR1"),
    "conll": Format(
        (".conll", ".bio", ".iob"), ConllReader, ConllWriter, has_columns=False, spans_column=SPANS
    ),
    "arrow": Format((".arrow", ".ipc", ".feather"), ArrowReader, ArrowWriter, b"ARROW1"),
}
_SUFFIXES = {suffix: name for name, entry in FORMATS.items() for suffix in entry.suffixes}
_KNOWN = ", ".join(FORMATS)


class FileFormat(NamedTuple):
    """The format of a file and its compression; None if unknown or not compressed."""

    format: str | None
    codec: str | None


def parse_name(path: PathLike, format: str | None = None) -> FileFormat:  # noqa: A002
    """Return the format and compression of a file name, or of an option such as `csv` or `jsonl.gz`.

    >>> parse_name("reviews.csv.gz")
    FileFormat(format='csv', codec='gzip')
    """
    name = PurePath(f"x.{format}" if format is not None else os.fspath(path))
    codec = CODECS.get(name.suffix.lower())
    if codec is not None:
        name = name.with_suffix("")
    known = _SUFFIXES.get(name.suffix.lower())
    if format is not None and known is None:
        raise UsageError(
            f"format {format!r} is unknown; use one of {_KNOWN}, plain or with .gz, .zst or .bz2"
        )
    return FileFormat(known, codec)


def find_input_format(source: Source, wanted: str | None) -> str:
    """Return the format of an input; warn if its first bytes contradict its name."""
    named = parse_name(source.name, wanted).format
    if wanted is None:
        for name, entry in FORMATS.items():
            if name != named and entry.magic and source.head.startswith(entry.magic):
                logger.warning("%s is %s by its first bytes, and is read as such", source.name, name)
                return name
    if named is None:
        problem = f"the format is unknown; pass {argument('format')} (one of {_KNOWN})"
        raise InputError.at(source.name, None, problem)
    return named


def find_output_format(path: PathLike, wanted: str | None = None) -> str:
    """Return the format of an output; for `-`, it must be given."""
    known = parse_name(path, wanted).format
    if known is None:
        raise UsageError(
            f"output {os.fspath(path)!r} has no known extension ({_KNOWN}); "
            f"pass {argument('format', flag='--output-format')}"
        )
    return known
