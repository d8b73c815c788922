"""Lists of words passed in by callers, from Arrow or Python, checked like texts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import BadRowError, Strings, as_strings, ints
from salva._types import Ints64
from salva.errors import InputError
from salva.text.spans import Spans


class WordLists(NamedTuple):
    """Rows of words: row `i` has words `rows[i]` to `rows[i + 1]`; `like` is null where the row is null."""

    rows: Ints64
    flat: Strings
    like: pa.Array


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


def as_word_lists(values: Any) -> WordLists:
    """Check lists of words.

    >>> as_word_lists([["a", "b"], None, []]).rows.tolist()
    [0, 2, 2, 2]
    """
    if isinstance(values, Spans):
        return WordLists(values.rows, values.flat, values.texts.array)
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


def _is_list(kind: pa.DataType) -> bool:
    """Return whether a type is a list of strings; list views do not count: Arrow copies them unchecked."""
    types = pa.types
    if not (types.is_list(kind) or types.is_large_list(kind)):
        return False
    words = kind.value_type
    return bool(types.is_string(words) or types.is_large_string(words) or types.is_null(words))


def _from_python(values: Any) -> WordLists:
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


def _checked(sizes: Ints64, values: Any, like: pa.Array) -> WordLists:
    rows = np.concatenate([[0], np.cumsum(sizes)])
    try:
        words = as_strings(values)
    except BadRowError as error:
        row = int(np.searchsorted(rows, error.row, side="right")) - 1
        raise BadRowError(row, f"word {error.row - int(rows[row])}: {error.problem}") from None
    if words.array.null_count:
        raise InputError("a list of words holds a null; expected strings")
    return WordLists(rows, words, like)
