"""Words put together again, as NLTK's `TreebankWordDetokenizer` does."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import pyarrow as pa

from salva._arrow import validity
from salva._kernels.detokenize import join_words
from salva._kernels.joined import Row
from salva.text.characters import load_characters
from salva.text.columns import over_threads, row_chunks
from salva.text.lists import WordLists, as_word_lists

__all__ = ["detokenize"]


@overload
def detokenize(words: list[str] | tuple[str, ...], *, threads: int | None = None) -> str: ...
@overload
def detokenize(words: Any, *, threads: int | None = None) -> pa.LargeStringArray: ...
def detokenize(words: Any, *, threads: int | None = None) -> str | pa.LargeStringArray:
    """Put words together: a string for one list of words, an Arrow column for a column of lists.

    >>> detokenize(["It", "'s", "good", ",", "is", "n't", "it", "?"])
    "It's good, isn't it?"
    """
    if isinstance(words, list | tuple) and all(isinstance(word, str) for word in words):
        text: str = detokenize([list(words)], threads=threads)[0].as_py()
        return text
    lists = as_word_lists(words)
    row_bytes = lists.flat.offsets[lists.rows]
    chunks = over_threads(lambda rows: _join_rows(lists, *rows), row_chunks(row_bytes), threads=threads)
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def _join_rows(lists: WordLists, first: int, last: int) -> pa.LargeStringArray:
    low, high = int(lists.rows[first]), int(lists.rows[last])
    words, rows = lists.flat.rows(low, high), lists.rows[first : last + 1] - low
    sizes = np.diff(words.offsets[rows]) + np.diff(rows) + 1
    longest = int(sizes.max(initial=1))
    data, dead = np.empty(longest, np.uint8), np.empty(longest, np.uint8)
    marks, joints = np.empty(longest, np.int64), np.empty(longest, np.int64)
    scratch = Row(load_characters(), data, dead, marks, joints, 0)
    offsets, out = np.empty(len(rows), np.int64), np.empty(int(sizes.sum()), np.uint8)
    join_words(words.data, words.offsets, rows, scratch, offsets, out)
    like = lists.like.slice(first, last - first)
    buffers = [validity(like), pa.py_buffer(offsets), pa.py_buffer(out[: offsets[-1]].copy())]
    return pa.Array.from_buffers(pa.large_string(), len(like), buffers)
