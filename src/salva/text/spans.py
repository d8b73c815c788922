"""Spans of text: sentences and words as positions, until a caller asks for strings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import BadRowError, Strings, as_numbers, validity
from salva._kernels.characters import code_points
from salva._kernels.spans import span_bytes, write_spans
from salva._types import Bytes, Ints32, Ints64
from salva.text.columns import over_threads, row_chunks

MOST_BYTES = (1 << 31) - (1 << 22)  # a chunk holds less than 4 MB before its last row


class Cuts(NamedTuple):
    """Spans of some rows, as byte positions in their texts; row `i` has spans `rows[i]` to `rows[i + 1]`.

    `written` marks spans that NLTK writes as `` or ''. `size` is their total size in bytes when written.
    """

    texts: Strings
    rows: Ints64
    starts: Ints32
    stops: Ints32
    written: Bytes
    size: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Spans:
    """The sentences or words of every row of a column, as positions in its texts.

    `strings` writes them out; `starts` and `ends` are their positions in code points, so that
    `text[start:end]` is the word as the text has it. NLTK writes double quotes as `` and ''; `strings` has
    NLTK's form, the positions are those of the quotes in the text. All three are Arrow columns with one list
    per row; a null text gives a null.

    >>> from salva.text import tokenize
    >>> spans = tokenize(['"Naïve?"', None])
    >>> spans.to_pylist()
    [['``', 'Naïve', '?', "''"], None]
    >>> spans.starts.to_pylist(), spans.ends.to_pylist()
    ([[0, 1, 6, 7], None], [[1, 6, 7, 8], None])
    """

    texts: Strings
    chunks: tuple[Cuts, ...]
    threads: int | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<Spans: {self._firsts[-1]} in {len(self)} rows>"

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.strings.__arrow_c_array__(requested_schema)

    @cached_property
    def rows(self) -> Ints64:
        """How many spans come before each row, and the total."""
        counts = [chunk.rows[:-1] + first for chunk, first in zip(self.chunks, self._firsts, strict=False)]
        return np.concatenate([*counts, self._firsts[-1:]])

    @cached_property
    def strings(self) -> pa.LargeListArray:
        """The spans as strings."""
        return as_lists(self.rows, self.flat.array, self.texts.array)

    @cached_property
    def starts(self) -> pa.LargeListArray:
        """Where the spans begin, in code points."""
        return self._places(lambda chunk: chunk.starts)

    @cached_property
    def ends(self) -> pa.LargeListArray:
        """Where the spans end, in code points."""
        return self._places(lambda chunk: chunk.stops)

    @cached_property
    def flat(self) -> Strings:
        """The strings of all rows as one flat column, for callers that work on bytes."""
        first_bytes = [0, *accumulate(chunk.size for chunk in self.chunks)]
        offsets = np.empty(int(self._firsts[-1]) + 1, np.int64)
        offsets[-1] = first_bytes[-1]
        data = np.empty(first_bytes[-1], np.uint8)

        def write(k: int) -> None:
            texts, _, starts, stops, written, _ = self.chunks[k]
            out = offsets[self._firsts[k] : self._firsts[k + 1]]
            write_spans(texts.data, starts, stops, written, first_bytes[k], out, data)

        over_threads(write, range(len(self.chunks)), threads=self.threads)
        return Strings.of(data, offsets)

    def to_pylist(self) -> list[list[str] | None]:
        """Return the strings as Python lists."""
        lists: list[list[str] | None] = self.strings.to_pylist()
        return lists

    @cached_property
    def _firsts(self) -> Ints64:
        return np.cumsum([0, *(len(chunk.starts) for chunk in self.chunks)], dtype=np.int64)

    def _places(self, bytes_of: Callable[[Cuts], Ints32]) -> pa.LargeListArray:
        points = np.empty(int(self._firsts[-1]), np.int64)

        def count(k: int) -> None:
            chunk, out = self.chunks[k], points[self._firsts[k] : self._firsts[k + 1]]
            places = bytes_of(chunk).astype(np.int64)
            code_points(chunk.texts.data, chunk.texts.offsets, chunk.rows, places, out)

        over_threads(count, range(len(self.chunks)), threads=self.threads)
        return as_lists(self.rows, as_numbers(points), self.texts.array)


def cut_column(texts: Strings, cut: Callable[[Strings], Cuts], *, threads: int | None) -> Spans:
    """Cut a column into spans, chunk by chunk."""
    check_sizes(texts)

    def work(rows: tuple[int, int]) -> Cuts:
        return cut_rows(texts.rows(*rows), cut)

    return Spans(texts, tuple(over_threads(work, row_chunks(texts.offsets), threads=threads)), threads)


def check_sizes(texts: Strings) -> None:
    """Refuse rows whose positions do not fit into 32 bits."""
    sizes = np.diff(texts.offsets)
    if sizes.max(initial=0) > MOST_BYTES:
        row = int(np.argmax(sizes))
        raise BadRowError(row, f"has {sizes[row]} bytes; the limit is {MOST_BYTES}")


def cut_rows(texts: Strings, cut: Callable[[Strings], Cuts]) -> Cuts:
    """Cut some rows into spans, and keep only the memory that the spans need."""
    texts, rows, starts, stops, written, size = sized(cut(texts))
    return Cuts(texts, rows, starts.copy(), stops.copy(), written.copy(), size)


def sized(cuts: Cuts) -> Cuts:
    """Return the spans with `size` filled in."""
    return cuts._replace(size=span_bytes(cuts.starts, cuts.stops, cuts.written))


def as_lists(rows: Ints64, values: pa.Array, like: pa.Array) -> Any:
    """Return values as one list per row, null where `like` is null."""
    kind = pa.large_list(values.type)
    return pa.Array.from_buffers(kind, len(like), [validity(like), pa.py_buffer(rows)], children=[values])
