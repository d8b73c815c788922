"""Texts as the tokens of a transformer: cut at white space, put together from the pieces of words, padded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.strings import StringTable, find
from salva._types import Bools, Bytes, Ints32, Ints64

TAB, LINE_FEED, RETURN, SPACE = 9, 10, 13, 32
# What a byte of a word is: kept, made lower case, a token of its own, removed, or too hard.
KEPT, CAPITAL, MARK, REMOVED, LEFT = range(5)


class Pieces(NamedTuple):
    """The tokens of numbered words: those of word `i` are `ids[offsets[i]:offsets[i + 1]]`."""

    ids: Ints32
    offsets: Ints64


@kernel
def cut_words(data: Bytes, offsets: Ints64, rows: Ints64, starts: Ints32, stops: Ints32) -> int:
    """Find what is between spaces, tabs and line ends; return how many words there are.

    The words of row `i` are `rows[i]` to `rows[i + 1]`. `starts` and `stops` need room for half of the bytes,
    rounded up, in every row.
    """
    words = 0
    for row in range(len(offsets) - 1):
        rows[row] = words
        start = offsets[row]
        for i in range(offsets[row], offsets[row + 1]):
            if data[i] <= SPACE and data[i] in (SPACE, LINE_FEED, RETURN, TAB):
                if i > start:
                    starts[words], stops[words] = start, i
                    words += 1
                start = i + 1
        if offsets[row + 1] > start:
            starts[words], stops[words] = start, offsets[row + 1]
            words += 1
    rows[len(offsets) - 1] = words
    return words


class Vocabulary(NamedTuple):
    """The tokens of a WordPiece model: those that begin a word, those that continue one, and how to read.

    `marks` says of every byte what it is: a word with one that is `LEFT` is not spelled here.
    """

    first: StringTable
    first_ids: Ints32
    later: StringTable
    later_ids: Ints32
    marks: Bytes
    unknown: int
    longest: int  # characters of a word; a longer one is unknown


@step
def _spell_run(vocabulary: Vocabulary, data: Bytes, start: int, stop: int, size: int, out: Ints32) -> int:
    """Write the tokens of a run without punctuation, always the longest that fits; return the new size."""
    begun, place = size, start
    if stop - start <= vocabulary.longest:
        while place < stop:
            end = stop
            number = -1
            while end > place:
                table = vocabulary.first if place == start else vocabulary.later
                number = find(table, data, place, end)
                if number >= 0:
                    break
                end -= 1
            if number < 0:
                break
            out[size] = vocabulary.first_ids[number] if place == start else vocabulary.later_ids[number]
            size += 1
            place = end
    if place < stop:
        out[begun] = vocabulary.unknown
        size = begun + 1
    return size


@kernel
def spell_words(
    vocabulary: Vocabulary,
    data: Bytes,
    starts: Ints32,
    stops: Ints32,
    scratch: Bytes,
    left: Bools,
    offsets: Ints64,
    out: Ints32,
) -> int:
    """Write the tokens of ASCII words, and mark the words that are `left` to the tokenizer.

    Returns how many tokens there are. A word has no more tokens than bytes, and fits into `scratch`.
    """
    size = 0
    for word in range(len(starts)):
        offsets[word] = size
        length = 0
        left[word] = False
        for i in range(starts[word], stops[word]):
            mark = vocabulary.marks[data[i]]
            if mark == LEFT:
                left[word] = True
                break
            if mark in (KEPT, MARK):
                scratch[length] = data[i]
                length += 1
            elif mark == CAPITAL:
                scratch[length] = data[i] + 32
                length += 1
        if left[word]:
            continue
        start = 0
        for i in range(length):
            if vocabulary.marks[scratch[i]] == MARK:
                if i > start:
                    size = _spell_run(vocabulary, scratch, start, i, size, out)
                size = _spell_run(vocabulary, scratch, i, i + 1, size, out)
                start = i + 1
        if length > start:
            size = _spell_run(vocabulary, scratch, start, length, size, out)
    offsets[len(starts)] = size
    return size


@kernel
def join_pieces(
    words: Ints32,
    rows: Ints64,
    pieces: Pieces,
    before: Ints32,
    after: Ints32,
    most: int,
    offsets: Ints64,
    cut: Bools,
    out: Ints32,
) -> int:
    """Write the tokens of every row, given its words by number; return how many tokens there are.

    At most `most` of them belong to words, and `cut` marks the rows that have more. Each row begins with the
    tokens `before` and ends with `after`. If `out` is empty, tokens are only counted.
    """
    size = 0
    for row in range(len(rows) - 1):
        offsets[row] = size
        end = size + len(before) + most
        if len(out):
            for k in range(len(before)):
                out[size + k] = before[k]
        size += len(before)
        cut[row] = False
        for word in range(rows[row], rows[row + 1]):
            first, last = pieces.offsets[words[word]], pieces.offsets[words[word] + 1]
            if size + last - first > end:
                cut[row] = True
                last = first + end - size
            if len(out):
                for k in range(first, last):
                    out[size + k - first] = pieces.ids[k]
            size += last - first
            if cut[row]:
                break
        if len(out):
            for k in range(len(after)):
                out[size + k] = after[k]
        size += len(after)
    offsets[len(rows) - 1] = size
    return size


@kernel
def pad_rows(values: Ints32, offsets: Ints64, rows: Ints64, fill: int, out: Ints64) -> None:
    """Fill line `k` of `out` with row `rows[k]` of the values, then `fill`; all further lines with `fill`."""
    for k in range(len(rows)):
        start = offsets[rows[k]]
        size = offsets[rows[k] + 1] - start
        for i in range(size):
            out[k, i] = np.int64(values[start + i])
        for i in range(size, out.shape[1]):
            out[k, i] = fill
    out[len(rows) :] = fill
