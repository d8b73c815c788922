"""Lists of words from elsewhere, Arrow's or Python's, checked as texts are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from salva._arrow import Strings, as_strings
from salva.errors import InputError
from salva.lexicon.tables import ints
from salva.text.spans import Spans

__all__ = ["WordLists", "as_word_lists", "holds_lists"]


class WordLists(NamedTuple):
    """Rows of words: those of row `i` are `rows[i]` to `rows[i + 1]`; `like` is null where a row is."""

    rows: NDArray[np.int64]
    words: Strings
    like: pa.Array


def holds_lists(values: Any) -> bool:
    """Tell whether a column holds lists of words, not texts."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return bool(pa.types.is_list(values.type) or pa.types.is_large_list(values.type))
    if isinstance(values, list | tuple):
        return any(isinstance(value, list | tuple) for value in values)
    return isinstance(values, Spans)


def as_word_lists(values: Any) -> WordLists:
    """Check lists of words.

    >>> as_word_lists([["a", "b"], None, []]).rows.tolist()
    [0, 2, 2, 2]
    """
    if isinstance(values, Spans):
        return WordLists(values.rows, values.words, values.texts.array)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        return _from_python(list(values))
    try:
        values.validate(full=True)
    except pa.ArrowException as error:
        raise InputError(f"broken Arrow column: {error}") from None
    sizes = ints(values.value_lengths().fill_null(0).cast(pa.int64()))
    return _checked(sizes, values.flatten(), values)


def _from_python(rows: list[Iterable[str] | None]) -> WordLists:
    lists = [[] if row is None else list(row) for row in rows]
    like = pa.array([None if row is None else True for row in rows], pa.bool_())
    words = [word for row in lists for word in row]
    return _checked(np.array([len(row) for row in lists], np.int64), words, like)


def _checked(sizes: NDArray[np.int64], values: Any, like: pa.Array) -> WordLists:
    words = as_strings(values)
    if words.array.null_count:
        raise InputError("a list of words holds a null; expected strings")
    return WordLists(np.concatenate([[0], np.cumsum(sizes)]), words, like)
