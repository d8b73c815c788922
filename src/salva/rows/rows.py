"""Read any data set as a stream of checked batches, with its columns found and its bad rows counted."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import BadRowError, as_strings, repair
from salva._files import storage_errors
from salva._types import Ints64, PathLike
from salva.errors import InputError, UsageError
from salva.rows.bad_rows import BadRows
from salva.rows.batches import column_index, is_raw_json, is_written
from salva.rows.columns import Columns, find_columns
from salva.rows.folder import FolderReader
from salva.rows.formats import FORMATS, CopyingReader, Reader, find_input_format
from salva.rows.options import ReadOptions
from salva.rows.source import Source, name_input
from salva.rows.spans import load_spans, read_places

logger = logging.getLogger("salva")


class Rows:
    """A data set that is read once, batch by batch; `open_rows` makes it.

    After the last batch, `digest` is the input's digest and the counts are final.
    """

    def __init__(self, path: PathLike, options: ReadOptions) -> None:
        self.options = options
        self.name = name_input(path)
        self.bad = BadRows(self.name, options.on_bad_row)
        self.count = 0
        self.digest: str | None = None
        self._may_block: Callable[[], bool] = lambda: False
        with contextlib.ExitStack() as files:
            self._reader = self._open(path, files)
            own = FORMATS[self.format].spans_column if self.format in FORMATS else None
            known = options if own is None else replace(options, spans_column=options.spans_column or own)
            self.columns: Columns = find_columns(self.name, self._reader.names, known)
            self._files = files.pop_all()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows; text columns are `large_string`, all other columns are unchanged."""
        named = (self.columns.spans, self.columns.label, self.columns.id)
        also = list(dict.fromkeys(name for name in named if name is not None))
        return self._counted(self._reader.batches(self.columns.text, also))

    def unchanged(self, format_name: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows for a writer; if it has the format of the input, most as it writes them."""
        reader = self._reader
        if format_name != self.format or self.columns.spans or not isinstance(reader, CopyingReader):
            return iter(self)
        return self._counted(reader.copied(self.columns.text))

    def _counted(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            checked = batch if is_written(batch) else self._checked(batch)
            self.count += checked.num_rows
            yield checked
        if self.count == 0:
            logger.warning("%s: no rows", self.name)
        self.digest = self._finish()

    def threads_ahead(self, threads: int) -> int:
        """Return how many threads may work ahead: none while no signal could stop reading."""
        return 0 if self._may_block() else threads

    def estimate(self) -> int | None:
        """Return how many rows there are in all, as far as this can be told; None for a stream."""
        return self._estimate(self.count)

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._files.close()

    def _open(self, path: PathLike, files: contextlib.ExitStack) -> Reader:
        if self.name == "<stdin>" and self.options.format is None:
            raise UsageError(f"standard input has no file name to show its format; pass {argument('format')}")
        with storage_errors(self.name):
            if self.name != "<stdin>" and Path(path).is_dir():
                folder = FolderReader(Path(path), self.options, self.bad)
                self.format, self._finish = "folder", folder.digest
                self._estimate = folder.estimate_rows
                return folder
        source = files.enter_context(contextlib.closing(Source(path, encoding=self.options.encoding)))
        self.format = find_input_format(source, self.options.format)
        self._finish, self._estimate, self._may_block = source.finish, source.estimate_rows, source.may_block
        return FORMATS[self.format].open_reader(source, self.options, self.bad)

    def _checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with its texts as `large_string`, without rejected rows."""
        bad: set[int] = set()
        for name in self.columns.text:
            place = column_index(batch, name)
            column, wrong = self._text(batch, place)
            bad.update(wrong)
            field = pa.field(name, pa.large_string(), metadata=batch.schema.field(place).metadata)
            batch = batch.set_column(place, field, column)
        keep = np.ones(batch.num_rows, dtype=bool)
        first = self.count + self.bad.rejected + 1
        for row in sorted(bad):
            keep[row] = self.bad.accepts(first + row, "bytes that are not UTF-8", repairable=True)
        for row, problem in self._wrong_spans(batch):
            keep[row] = keep[row] and self.bad.accepts(first + row, problem, by="row")
        return batch if keep.all() else batch.filter(pa.array(keep))

    def _wrong_spans(self, batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
        """Yield the rows whose spans cannot be spans of their texts, and why."""
        if self.columns.spans is None:
            return
        place = column_index(batch, self.columns.spans)
        spans, raw = batch.column(place), is_raw_json(batch.schema.field(place))
        texts = batch.column(column_index(batch, self.columns.text[0])).to_pylist()
        for row, (values, text) in enumerate(zip(load_spans(spans), texts, strict=True)):
            if raw and not spans[row].is_valid:
                yield row, f"no {self.columns.spans!r}"
                continue
            try:
                read_places(values, text)
            except ValueError as error:
                yield row, f"column {self.columns.spans!r}: {error}"

    def _text(self, batch: pa.RecordBatch, place: int) -> tuple[pa.LargeStringArray, list[int]]:
        try:
            texts = as_strings(batch.column(place))
        except BadRowError:
            pass
        except InputError as error:
            name = batch.schema.field(place).name
            raise InputError.at(self.name, None, f"column {name!r}: {error}") from None
        else:
            self._refuse_long(np.diff(texts.offsets))
            return texts.array, []
        try:
            return repair(batch.column(place))
        except BadRowError as error:
            raise self.bad.error(self.count + self.bad.rejected + 1 + error.row, error.problem) from None

    def _refuse_long(self, sizes: Ints64) -> None:
        """Refuse a text that is longer than a line may be: Parquet and Arrow have no lines."""
        most = self.options.max_line_bytes
        if sizes.max(initial=0) > most:
            row = self.count + self.bad.rejected + 1 + int(np.argmax(sizes > most))
            raise self.bad.error(row, f"text is longer than {most} bytes; raise {argument('max_line_bytes')}")


def open_rows(path: PathLike, options: ReadOptions | None = None) -> Rows:
    """Open a file, a folder, or standard input (`-`) as a stream of batches."""
    return Rows(path, options or ReadOptions())


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
