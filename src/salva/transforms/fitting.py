"""Fit a transform: find the common words of one or more data sets, in files or in memory."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from salva._arrow import as_strings
from salva._types import PathLike
from salva.datasets.batches import text_column
from salva.datasets.columns import find_columns
from salva.datasets.options import ReadOptions
from salva.datasets.rows import open_rows
from salva.errors import UsageError
from salva.transforms.transform import Transform
from salva.transforms.vocabulary import Fit

FitOn = PathLike | Iterable[PathLike]


def fit_files(
    transform: Transform,
    fit: FitOn,
    *,
    source: PathLike | pa.Table | None = None,
    options: ReadOptions | None = None,
    threads: int | None = None,
) -> Transform:
    """Return the transform with the common words of one or more files; "self" stands for `source`."""
    size = transform.dictionary_size
    return transform.with_vocabulary(count_words(fit, source, options, threads=threads).common(size))


def count_words(
    fit: FitOn,
    source: PathLike | pa.Table | None = None,
    options: ReadOptions | None = None,
    *,
    threads: int | None = None,
) -> Fit:
    """Count the words of all text columns of some data sets; "self" stands for `source`."""
    named = [fit] if isinstance(fit, str | os.PathLike) else list(fit)
    if not named:
        raise UsageError("fit names no file; name one or more, or leave it out")
    # Counting words needs no labels and no ids.
    options = dataclasses.replace(options or ReadOptions(), label_column=None, id_column=None)
    counted = Fit()
    for one in named:
        for column in _text_columns(source if os.fspath(one) == "self" else one, options):
            counted.add(as_strings(column), threads=threads)
    return counted


def _text_columns(source: PathLike | pa.Table | None, options: ReadOptions) -> Iterator[Any]:
    if isinstance(source, pa.Table):
        found = find_columns("data", source.column_names, text=options.text_column)
        for batch in source.to_batches():
            yield from (batch.column(name) for name in found.text)
        return
    if source is None:
        raise UsageError("self stands for the input, but there is none; name a file")
    if os.fspath(source) == "-":
        raise UsageError("standard input cannot be read twice; fit on a file")
    with open_rows(source, options) as rows:
        for batch in rows:
            yield from (text_column(batch, name) for name in rows.columns.text)
