"""Words joined back into texts, as NLTK's `TreebankWordDetokenizer` does."""

from __future__ import annotations

from typing import Any, NamedTuple, overload

import numpy as np
import pyarrow as pa

from salva._arrow import Strings
from salva._kernels import JoinedRow, join_words
from salva._kernels.constants import LANE
from salva._types import Bytes, Ints64
from salva.text.spans import WordRows, as_word_lists
from salva.text.words import load_characters


class Joined(NamedTuple):
    """Concatenated texts, the byte offset of each, and where the marked words begin and end."""

    data: Bytes
    offsets: Ints64
    places: Ints64


@overload
def detokenize(words: list[str] | tuple[str, ...], *, threads: int | None = None) -> str: ...
@overload
def detokenize(words: Any, *, threads: int | None = None) -> pa.LargeStringArray: ...
def detokenize(words: Any, *, threads: int | None = None) -> str | pa.LargeStringArray:
    """Join words: a string for one list of words, an Arrow column for a column of lists.

    >>> detokenize(["It", "'s", "good", ",", "is", "n't", "it", "?"])
    "It's good, isn't it?"
    """
    if isinstance(words, list | tuple) and all(isinstance(word, str) for word in words):
        text: str = detokenize([list(words)], threads=threads)[0].as_py()
        return text
    chunks = as_word_lists(words).over_chunks(_join_chunk, threads=threads)
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def _join_chunk(words: WordRows) -> pa.LargeStringArray:
    ties = np.zeros(len(words.flat), np.uint8)
    joined = join_rows(words.flat.data, words.flat.offsets, words.rows, ties, np.empty(0, np.int64))
    return Strings.of(joined.data, joined.offsets, words.like).array


def join_rows(data: Bytes, offsets: Ints64, rows: Ints64, ties: Bytes, marked: Ints64) -> Joined:
    """Join the words of each row, and return where the `marked` words, in ascending order, are.

    `ties` are those of `salva._kernels.protection`: which words stay as they are, and which stay attached.
    """
    sizes = np.diff(offsets[rows]) + np.diff(rows) + 1
    longest = int(sizes.max(initial=1))
    row = JoinedRow(
        load_characters(),
        np.empty(longest + LANE, np.uint8),
        np.empty(longest, np.uint8),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
    )
    counts, out = np.empty(len(rows), np.int64), np.empty(int(sizes.sum()), np.uint8)
    places = np.empty(2 * len(marked), np.int64)
    join_words(data, offsets, rows, ties, row, marked, places, counts, out)
    return Joined(out[: counts[-1]].copy(), counts, places)
