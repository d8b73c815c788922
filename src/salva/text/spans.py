"""Sentences and words of every row: as positions in texts, until a caller asks for strings, or as lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import BadRowError, Strings, as_numbers, as_strings, ints, validity
from salva._kernels import code_points, span_bytes, write_spans
from salva._types import Bytes, Ints32, Ints64
from salva.errors import InputError
from salva.text.columns import CHUNK_BYTES, Result, over_chunks, over_threads, row_chunks


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
            own = data[: first_bytes[k + 1]]  # the kernel may write up to its end
            write_spans(texts.data, starts, stops, written, first_bytes[k], out, own)

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
    chunks = over_chunks(lambda rows: cut_rows(rows, cut), texts, threads=threads)
    return Spans(texts, tuple(chunks), threads)


def cut_rows(texts: Strings, cut: Callable[[Strings], Cuts]) -> Cuts:
    """Cut some rows into spans, and keep only the memory that the spans need."""
    texts, rows, starts, stops, written, size = sized(cut(texts))
    return Cuts(texts, rows, starts.copy(), stops.copy(), written.copy(), size)


def sized(cuts: Cuts) -> Cuts:
    """Return the spans with `size` filled in."""
    return cuts._replace(size=span_bytes(cuts.starts, cuts.stops, cuts.written))


def as_lists(rows: Ints64, values: pa.Array, like: pa.Array) -> Any:
    """Return values as one list per row, null where `like` is null."""
    buffers = [validity(like), pa.py_buffer(rows)]
    return pa.Array.from_buffers(pa.large_list(values.type), len(like), buffers, children=[values])


class WordRows(NamedTuple):
    """Rows of words: row `i` has words `rows[i]` to `rows[i + 1]`; `like` is null where the row is null."""

    rows: Ints64
    flat: Strings
    like: pa.Array

    def over_chunks(
        self, work: Callable[[WordRows], Result], *, size: int = CHUNK_BYTES, threads: int | None
    ) -> list[Result]:
        """Return `work(rows)` for every chunk of about `size` bytes, in order."""
        chunks = row_chunks(self.flat.offsets[self.rows], size)
        return over_threads(lambda rows: work(self._part(*rows)), chunks, threads=threads)

    def _part(self, first: int, last: int) -> WordRows:
        low, high = int(self.rows[first]), int(self.rows[last])
        rows = self.rows[first : last + 1] - low
        return WordRows(rows, self.flat.rows(low, high), self.like.slice(first, last - first))


def holds_lists(values: Any) -> bool:
    """Return whether a column holds lists of words, not texts, by its type or its first non-null row."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return _is_list(values.type)
    if isinstance(values, Spans):
        return True
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        return False
    first = next((row for row in values if row is not None), "")
    return hasattr(first, "__iter__") and not isinstance(first, str | bytes)


def as_word_lists(values: Any) -> WordRows:
    """Check lists of words.

    >>> as_word_lists([["a", "b"], None, []]).rows.tolist()
    [0, 2, 2, 2]
    """
    if isinstance(values, Spans):
        return WordRows(values.rows, values.flat, values.texts.array)
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        return _from_python(values)
    if not _is_list(values.type):
        raise InputError(f"column of type {values.type} does not hold lists of words; expected list<string>")
    for chunk in values.chunks if isinstance(values, pa.ChunkedArray) else [values]:
        try:
            chunk.validate(full=True)
        except pa.ArrowException as error:
            raise InputError(f"broken Arrow column: {error}") from None
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    lengths = values.value_lengths().cast(pa.int64())
    sizes = ints(lengths.fill_null(0) if lengths.null_count else lengths)
    return _checked(sizes, values.flatten(), values)


def _is_list(list_type: pa.DataType) -> bool:
    """Return whether a type is a list of strings; list views do not count: Arrow copies them unchecked."""
    types = pa.types
    if not (types.is_list(list_type) or types.is_large_list(list_type)):
        return False
    words = list_type.value_type
    return bool(types.is_string(words) or types.is_large_string(words) or types.is_null(words))


def _from_python(values: Any) -> WordRows:
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"{values!r:.40} is {type(values).__name__}, not lists of words")
    lists: list[list[str] | None] = []
    for number, row in enumerate(values):
        if row is not None and (isinstance(row, str | bytes) or not hasattr(row, "__iter__")):
            raise BadRowError(number, f"{row!r:.40} is {type(row).__name__}, not a list of words")
        lists.append(None if row is None else list(row))
    like = as_strings([None if row is None else "" for row in lists]).array
    words = [word for row in lists for word in row or ()]
    return _checked(np.array([len(row or ()) for row in lists], np.int64), words, like)


def _checked(sizes: Ints64, values: Any, like: pa.Array) -> WordRows:
    rows = np.concatenate([[0], np.cumsum(sizes)])
    try:
        words = as_strings(values)
    except BadRowError as error:
        row = int(np.searchsorted(rows, error.row, side="right")) - 1
        raise BadRowError(row, f"word {error.row - int(rows[row])}: {error.problem}") from None
    if words.array.null_count:
        raise InputError("a list of words holds a null; expected strings")
    return WordRows(rows, words, like)
