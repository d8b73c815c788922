"""Read any data set as a stream of checked batches: its format and columns found, its bad rows counted."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path, PurePath
from typing import BinaryIO, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import BadRowError, as_strings, repair
from salva._files import storage_errors
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.rows.columnar import ArrowWriter, ParquetWriter, read_arrow, read_parquet
from salva.rows.columns import (
    Reader,
    ReadOptions,
    Writer,
    column_index,
    find_columns,
    load_spans,
    read_places,
)
from salva.rows.delimited import CsvWriter, read_csv
from salva.rows.jsonl import JsonlWriter, read_jsonl
from salva.rows.source import CODECS, BadRows, Layout, Source, name_input
from salva.rows.texts import SPANS, ConllWriter, TextFolder, TxtWriter, read_conll, read_txt

logger = logging.getLogger("salva")


class Format(NamedTuple):
    """A format: how its file names end, its reader and its writer, and how its files begin, if that is fixed.

    A writer gets a stream, the name of the text column and the layout of the input. A format without columns
    holds only the texts; one with a `spans_column` has a line per token, and the spans in this column.
    """

    suffixes: tuple[str, ...]
    open_reader: Callable[[Source, ReadOptions, BadRows], Reader]
    open_writer: Callable[[BinaryIO, str, Layout], Writer]
    magic: bytes | None = None
    has_columns: bool = True
    spans_column: str | None = None


FORMATS = {
    "txt": Format((".txt",), read_txt, TxtWriter, has_columns=False),
    "csv": Format((".csv",), read_csv, CsvWriter),
    "tsv": Format(
        (".tsv", ".tab"),
        partial(read_csv, default="\t"),
        lambda stream, text, layout: CsvWriter(stream, text, Layout(delimiter="\t")),
    ),
    "jsonl": Format((".jsonl", ".ndjson"), read_jsonl, JsonlWriter),
    "parquet": Format((".parquet", ".pq"), read_parquet, ParquetWriter, b"PAR1"),
    "conll": Format(
        (".conll", ".bio", ".iob"), read_conll, ConllWriter, has_columns=False, spans_column=SPANS
    ),
    "arrow": Format((".arrow", ".ipc", ".feather"), read_arrow, ArrowWriter, b"ARROW1"),
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
        problem = f"format {format!r} is unknown; use one of {_KNOWN}, plain or with .gz, .zst or .bz2"
        raise UsageError(problem)
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
        remedy = f"pass {argument('format', flag='--output-format')}"
        raise UsageError(f"output {os.fspath(path)!r} has no known extension ({_KNOWN}); {remedy}")
    return known


class Rows:
    """A data set that is read once, batch by batch; `open_rows` makes it.

    After the last batch, `digest` is the input's digest and the counts are final.
    """

    def __init__(self, path: PathLike, options: ReadOptions, *, needs_text: bool) -> None:
        self.options = options
        self.name = name_input(path)
        self.bad = BadRows(self.name, options.on_bad_row)
        self.count = 0
        self.digest: str | None = None
        self._input: Source | TextFolder
        if self.name == "<stdin>" and options.format is None:
            raise UsageError(f"standard input has no file name to show its format; pass {argument('format')}")
        with contextlib.ExitStack() as files:
            with storage_errors(self.name):
                is_folder = self.name != "<stdin>" and Path(path).is_dir()
            if is_folder:
                folder = TextFolder(Path(path), options, self.bad)
                self.format, self._input, self._reader = "folder", folder, folder.reader
            else:
                self._input = source = files.enter_context(contextlib.closing(Source(path, options.encoding)))
                self.format = find_input_format(source, options.format)
                entry = FORMATS[self.format]
                self._reader = entry.open_reader(source, options, self.bad)
                if options.spans_column is None:
                    options = replace(options, spans_column=entry.spans_column)
            self.columns = find_columns(self.name, self._reader.names, options, needs_text=needs_text)
            self._files = files.pop_all()
        self.layout = self._input.layout

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows; text columns are `large_string`, all other columns are unchanged."""
        for batch in self._reader.batches(self.columns):
            checked = self._checked(batch)
            self.count += checked.num_rows
            yield checked
        if self.count == 0:
            logger.warning("%s: no rows", self.name)
        self.digest = self._input.finish()

    def threads_ahead(self, threads: int) -> int:
        """Return how many threads may work ahead: none while no signal could stop reading."""
        return 0 if self._input.may_block else threads

    def estimate(self) -> int | None:
        """Return how many rows there are in all, as far as this can be told; None for a stream."""
        return self._input.estimate_rows(self.count)

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.close()

    def _checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with its texts as `large_string`, without rejected rows."""
        first = self.count + self.bad.rejected + 1
        repaired: set[int] = set()
        for name in self.columns.text:
            place = column_index(batch, name)
            column = self._text(name, batch.column(place), first, repaired)
            field = batch.schema.field(place).with_type(pa.large_string()).with_nullable(True)
            batch = batch.set_column(place, field, column)
        keep = np.ones(batch.num_rows, dtype=bool)
        for row in sorted(repaired):
            keep[row] = self.bad.accepts(first + row, "bytes that are not UTF-8", repairable=True)
        if self.columns.spans is not None and self.columns.text:
            spans = load_spans(batch.column(column_index(batch, self.columns.spans)))
            texts = batch.column(column_index(batch, self.columns.text[0])).to_pylist()
            for row, (values, text) in enumerate(zip(spans, texts, strict=True)):
                try:
                    read_places(values, text or "")
                except ValueError as error:
                    problem = f"column {self.columns.spans!r}: {error}"
                    keep[row] = keep[row] and self.bad.accepts(first + row, problem, by="row")
        return batch if keep.all() else batch.filter(pa.array(keep))

    def _text(self, name: str, column: pa.Array, first: int, repaired: set[int]) -> pa.LargeStringArray:
        """Return a column of texts, and add the rows that were repaired; `first` is the number of row 0."""
        try:
            texts = as_strings(column)
        except BadRowError:
            array, bad = repair(column)
            repaired.update(bad)
            return array
        except InputError as error:
            raise InputError.at(self.name, None, f"column {name!r}: {error}") from None
        # Parquet and Arrow have no lines, whose length is limited.
        sizes, most = np.diff(texts.offsets), self.options.max_line_bytes
        if sizes.max(initial=0) > most:
            problem = f"text is longer than {most} bytes; raise {argument('max_line_bytes')}"
            raise self.bad.error(first + int(np.argmax(sizes > most)), problem)
        return texts.array


def open_rows(path: PathLike, options: ReadOptions | None = None, *, needs_text: bool = True) -> Rows:
    """Open a file, a folder, or standard input (`-`) as a stream of batches.

    Without `needs_text`, a data set in which no text column is found has none.
    """
    return Rows(path, options or ReadOptions(), needs_text=needs_text)


def reviews(split: Literal["train", "test"] = "test") -> pa.Table:
    """Return the bundled film reviews of one split: a table of `id`, `text` and `label`.

    They were written for this project; half are positive, half negative.

    >>> reviews("train").num_rows
    252
    """
    if split not in {"train", "test"}:
        raise UsageError(f"split {split!r} is unknown; use 'train' or 'test'")
    home = resources.files("salva.rows").joinpath(f"data/reviews-{split}.csv")
    with resources.as_file(home) as path, open_rows(path) as rows:
        return pa.Table.from_batches(list(rows))
