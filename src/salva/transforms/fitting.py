"""Fit transforms: find the common words of one or more data sets, in files or in memory."""

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
from salva.transforms.transform import Transform, nothing_to_fit
from salva.transforms.vocabulary import Fit

FitOn = PathLike | Iterable[PathLike]


def fit_files(
    transforms: Iterable[Transform],
    fit: FitOn,
    *,
    source: PathLike | pa.Table | None = None,
    options: ReadOptions | None = None,
    threads: int | None = None,
) -> list[Transform]:
    """Return the transforms; those with a vocabulary get the common words of one or more data sets.

    "self" stands for `source`. At least one transform must have a vocabulary.
    """
    transforms = list(transforms)
    if not any(transform.can_fit for transform in transforms):
        raise nothing_to_fit(transform.name for transform in transforms)
    counts = _count_words(fit, source, options or ReadOptions(), threads)
    return [
        transform.with_vocabulary(counts.common(transform.dictionary_size))
        if transform.can_fit
        else transform
        for transform in transforms
    ]


def _count_words(
    fit: FitOn, source: PathLike | pa.Table | None, options: ReadOptions, threads: int | None
) -> Fit:
    """Count the words of all text columns."""
    names = [fit] if isinstance(fit, str | os.PathLike) else list(fit)
    if not names:
        raise UsageError("fit names no file; name one or more, or leave it out")
    # Counting words needs no labels and no ids.
    options = dataclasses.replace(options, label_column=None, id_column=None)
    counts = Fit()
    for name in names:
        for column in _text_columns(source if os.fspath(name) == "self" else name, options):
            counts.add(as_strings(column), threads=threads)
    return counts


def _text_columns(source: PathLike | pa.Table | None, options: ReadOptions) -> Iterator[Any]:
    if isinstance(source, pa.Table):
        columns = find_columns("data", source.column_names, text=options.text_column)
        for batch in source.to_batches():
            yield from (batch.column(name) for name in columns.text)
        return
    if source is None:
        raise UsageError("self stands for the input, but there is none; name a file")
    if os.fspath(source) == "-":
        raise UsageError("standard input cannot be read twice; fit on a file")
    with open_rows(source, options) as rows:
        for batch in rows:
            yield from (text_column(batch, name) for name in rows.columns.text)
