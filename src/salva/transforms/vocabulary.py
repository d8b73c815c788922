"""Common words of a corpus: counted chunk by chunk, in files or in memory, and written to a file."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import Strings, as_numbers, as_strings
from salva._files import write_atomically
from salva._kernels.constants import HAS_LETTER
from salva._types import PathLike
from salva.errors import UsageError
from salva.lexicon.vocabulary import SHORTEST, common_words
from salva.rows.columns import ReadOptions, find_columns, text_column
from salva.rows.read import open_rows
from salva.text.columns import TYPED_BYTES, over_chunks
from salva.text.tokens import TOKENIZERS
from salva.text.words import describe, word_types

FitOn = PathLike | Iterable[PathLike]


class WordCounts:
    """Counts the words that may become common words: longer than four characters, with a letter."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, texts: Strings, *, threads: int | None = None) -> WordCounts:
        """Count the words of some texts."""
        for counts in over_chunks(_counts, texts, size=TYPED_BYTES, threads=threads):
            self.counts.update(counts)
        return self

    def common(self, size: int) -> tuple[str, ...]:
        """Return the most frequent words; ties are in alphabetical order."""
        return common_words(self.counts, size)


def write_vocabulary(path: PathLike, words: tuple[str, ...], *, overwrite: bool = False) -> None:
    """Write common words, one per line, most frequent first."""
    write_atomically(path, "".join(f"{word}\n" for word in words).encode(), overwrite=overwrite)


def count_words(
    fit: FitOn, source: PathLike | pa.Table | None, options: ReadOptions, threads: int | None
) -> WordCounts:
    """Count the words of all text columns of some data sets; "self" stands for `source`."""
    # Counting words needs no labels and no ids.
    options = dataclasses.replace(options, label_column=None, id_column=None)
    counts = WordCounts()
    for name in list_names(fit):
        for column in _text_columns(source if os.fspath(name) == "self" else name, options):
            counts.add(as_strings(column), threads=threads)
    return counts


def list_names(fit: FitOn) -> list[PathLike]:
    """Return the data sets to fit on; refuse none."""
    names = [fit] if isinstance(fit, str | os.PathLike) else list(fit)
    if not names:
        raise UsageError("fit names no file; name one or more, or leave it out")
    return names


def _text_columns(source: PathLike | pa.Table | None, options: ReadOptions) -> Iterator[Any]:
    if isinstance(source, pa.Table):
        columns = find_columns("data", source.column_names, options)
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


def _counts(texts: Strings) -> dict[str, int]:
    cuts = TOKENIZERS["word"].cut(texts)
    numbers, firsts = word_types(texts.data, cuts.starts, cuts.stops)
    _, lengths, made_of, lowered = describe(texts.data, cuts.starts[firsts], cuts.stops[firsts])
    times = np.bincount(numbers, minlength=len(firsts))
    able = np.flatnonzero((lengths >= SHORTEST) & (made_of & HAS_LETTER > 0))
    words = pc.take(lowered.array, as_numbers(able)).to_pylist()
    counts: Counter[str] = Counter()
    for word, count in zip(words, times[able].tolist(), strict=True):
        counts[word] += count
    return counts
