"""Which format a file has: from its name, its first bytes, or what the user says."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple, Protocol

import pyarrow as pa

from salva._types import PathLike
from salva.datasets.badrows import BadRows
from salva.datasets.columnar import ArrowReader, ParquetReader
from salva.datasets.delimited import CsvReader, TsvReader
from salva.datasets.jsonl import JsonlReader
from salva.datasets.options import ReadOptions
from salva.datasets.source import CODECS, Source
from salva.datasets.txt import TxtReader
from salva.errors import InputError, UsageError


class Reader(Protocol):
    """Reads one format: the names of the columns, then batches with the texts as plain strings."""

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        ...

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows, once only; `also` names the label and id columns, if any."""
        ...


class _MakeReader(Protocol):
    def __call__(self, source: Source, options: ReadOptions, bad: BadRows) -> Reader: ...


READERS: dict[str, _MakeReader] = {
    "txt": TxtReader,
    "csv": CsvReader,
    "tsv": TsvReader,
    "jsonl": JsonlReader,
    "parquet": ParquetReader,
    "arrow": ArrowReader,
}
_EXTENSIONS = {
    ".txt": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}


class Named(NamedTuple):
    """What a file name or option says: the format and the compression."""

    format: str | None
    packed: str | None


def format_of_name(path: PathLike, format: str | None = None) -> Named:  # noqa: A002
    """Return the format and compression of a file name, or of an option such as `csv` or `jsonl.gz`.

    >>> format_of_name("reviews.csv.gz")
    Named(format='csv', packed='gzip')
    """
    name = PurePath(f"x.{format}" if format is not None else os.fspath(path))
    packed = CODECS.get(name.suffix.lower())
    if packed is not None:
        name = name.with_suffix("")
    found = _EXTENSIONS.get(name.suffix.lower())
    if format is not None and found is None:
        raise UsageError(
            f"format {format!r} is unknown; use one of {', '.join(READERS)}, plain or with .gz, .zst or .bz2"
        )
    return Named(found, packed)


def format_of_source(source: Source, wanted: str | None) -> tuple[str, str | None]:
    """Return the format of an input, and a warning if its bytes contradict its name."""
    named = format_of_name(source.name, wanted).format
    if wanted is None and source.magic in READERS and source.magic != named:
        return source.magic, f"{source.name} is {source.magic} by its first bytes, and is read as such"
    if named is None:
        known = ", ".join(READERS)
        raise InputError.at(source.name, None, f"format unknown; pass --format (one of {known})")
    return named, None
