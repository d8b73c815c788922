"""Words as NLTK's `NLTKWordTokenizer` cuts them, with their positions in the text.

NLTK rewrites a sentence with some thirty substitutions, nearly all of which insert spaces around something,
and then splits it. Whether a space is inserted depends on the adjacent characters, except for the endings
`'s`, `n't` and the like, which look for the spaces that the other rules left. So `treebank_marks` finds where
spaces would be, and this module cuts there. A text is never copied; offsets are bytes.

NLTK's second rule for a final period has no effect and is left out. Its rule for `'tis` and `'twas` has an
effect only after a contraction: elsewhere an earlier rule has already split off the apostrophe.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import APOSTROPHE, WORD, Characters, bytes_in, flags_at, folds_to
from salva._kernels.jit import kernel, step
from salva._kernels.treebank_marks import (
    ACTIONS,
    BLANK,
    BLANKS,
    CLOSE,
    DOT,
    GAP,
    OPEN,
    Chunk,
    mark_chunk,
    mark_endings,
)
from salva._types import Bytes, Ints32, Ints64

TAILS = bytes_in(";@#$%&?!*[](){}<>,:")
SHORTEST, LONGEST = 5, 6  # sizes of the contractions that consist only of letters
_TWO, _THREE = np.uint64(2), np.uint64(3)

# The letters of every contraction, where its two parts end, and which contractions begin with a byte.
_CONTRACTIONS = ["can-not", "d-'ye", "gim-me", "gon-na", "got-ta", "lem-me", "more-'n", "wan-na"]
WANNA = len(_CONTRACTIONS) - 1
LETTERS = np.zeros((len(_CONTRACTIONS), 7), np.uint8)
PARTS = np.array([(word.index("-"), len(word) - 1) for word in _CONTRACTIONS])
for _row, _word in enumerate(_CONTRACTIONS):
    LETTERS[_row, : len(_word) - 1] = np.frombuffer(_word.replace("-", "").encode(), np.uint8)
FIRST_ROW, LAST_ROW = np.zeros(256, np.int64), np.zeros(256, np.int64)
for _row in reversed(range(len(LETTERS))):
    for _byte in (LETTERS[_row, 0], LETTERS[_row, 0] ^ 32):
        FIRST_ROW[_byte] = _row
        LAST_ROW[_byte] = LAST_ROW[_byte] or _row + 1

IS_WAS = np.frombuffer(b"iswas", np.uint8)


class Words(NamedTuple):
    """Spans in bytes, with the bit OPEN or CLOSE where NLTK writes `` or '' instead."""

    starts: Ints32
    stops: Ints32
    written: Bytes


class Chunks(NamedTuple):
    """Space for the chunks of a sentence: their ends, and how many bytes before them are not plain."""

    lasts: Ints32
    odd: Ints32


@step
def is_free(chunk: Chunk, end: int) -> bool:
    """Return whether there is a space at byte `end`."""
    return end >= chunk.last or chunk.marks[end - chunk.first] & (GAP | BLANK) != 0


@step
def is_bounded(chunk: Chunk, end: int) -> bool:
    """Return whether a word that reaches byte `end` ends there."""
    return is_free(chunk, end) or not flags_at(chunk.characters, chunk.data, end) & WORD


@step
def contraction_at(chunk: Chunk, i: int) -> tuple[int, int]:
    """Return where the two parts of a contraction that begins at byte `i` end; 0 if there is none."""
    for row in range(FIRST_ROW[chunk.data[i]], LAST_ROW[chunk.data[i]]):
        end = middle = i
        for k in range(PARTS[row, 1]):
            size = folds_to(chunk.data, end, chunk.last, LETTERS[row, k], True)
            if size == 0:
                end = -1
                break
            end += size
            if k + 1 == PARTS[row, 0]:
                middle = end
        if end >= 0 and (is_free(chunk, end) or (row != WANNA and is_bounded(chunk, end))):
            return middle, end
    return 0, 0


@step
def it_is_end(chunk: Chunk, i: int, was: int) -> int:
    """Return where 'tis or 'twas at byte `i`, after a contraction, ends; 0 if there is none."""
    data, last = chunk.data, chunk.last
    if i + 1 >= last or data[i] != APOSTROPHE or data[i + 1] | 32 != ord("t"):
        return 0
    end = i + 2
    for k in range(2 * was, 2 + 3 * was):
        size = folds_to(data, end, last, IS_WAS[k], True)
        if size == 0:
            return 0
        end += size
    return end if is_bounded(chunk, end) else 0


@step
def add(words: Words, total: int, start: int, stop: int, written: int) -> int:
    """Add a word, unless it is empty; return the new total."""
    if stop == start:
        return total
    words.starts[total] = start
    words.stops[total] = stop
    words.written[total] = written
    return total + 1


@step
def add_contraction(chunk: Chunk, words: Words, total: int, i: int, middle: int, end: int) -> tuple[int, int]:
    """Add a contraction, and 'tis and 'twas after it; return the new total and where all of it ends."""
    total = add(words, total, i, middle, 0)
    total = add(words, total, middle, end, 0)
    for was in range(2):
        it_is = it_is_end(chunk, end, was)
        if it_is:
            total = add(words, total, end, end + 2, 0)
            total = add(words, total, end + 2, it_is, 0)
            end = it_is
    return total, end


@step
def cut_chunk(chunk: Chunk, words: Words, total: int) -> int:
    """Add the words of a marked chunk, wipe its marks, and return the new total."""
    marks, first = chunk.marks, chunk.first
    i = begin = first
    written = np.uint8(0)
    while i < chunk.last:
        mark = marks[i - first]
        if mark == 0 and i > begin:
            i += 1
            continue
        if mark & (GAP | BLANK):
            total = add(words, total, begin, i, written)
            begin = i
            written = mark & (OPEN | CLOSE)
            if mark & BLANK:
                begin = i = i + 1
                continue
        middle, end = contraction_at(chunk, i)
        if end:
            total = add(words, total, begin, i, written)
            total, i = add_contraction(chunk, words, total, i, middle, end)
            begin = i
            written = np.uint8(0)
        else:
            i += 1
    total = add(words, total, begin, chunk.last, written)
    for k in range(np.uint64(chunk.last - first + 1)):
        marks[k] = 0
    return total


@step
def find_chunks(data: Bytes, start: int, stop: int, chunks: Chunks) -> int:
    """Fill the chunks that blanks end, which are empty between two blanks; return how many there are.

    No branches: a processor cannot predict where a word ends.
    """
    count = odd = 0
    for i in range(np.uint64(start), np.uint64(stop)):
        action = ACTIONS[data[i]]
        chunks.lasts[count] = i
        chunks.odd[count] = odd
        count += action == BLANKS
        odd += action > BLANKS
    chunks.lasts[count] = stop
    chunks.odd[count] = odd
    return count + 1


@step
def may_be_contraction(data: Bytes, first: int, last: int) -> bool:
    """Return whether letters may be a contraction: each has a double letter in the middle."""
    place = np.uint64(first)
    return SHORTEST <= last - first <= LONGEST and data[place + _TWO] | 32 == data[place + _THREE] | 32


@step
def is_word_and_mark(chunk: Chunk) -> bool:
    """Recognise quickly most chunks whose only mark is a separate token at their end.

    A period is a separate token only at the end of the sentence. Without this, cutting took half as long
    again.
    """
    data, last = chunk.data, chunk.last
    mark = data[last - 1]
    if last - chunk.first < 2 or not (TAILS[mark] or (mark == DOT and last == chunk.stop)):
        return False
    return not may_be_contraction(data, chunk.first, last - 1)


@step
def cut_sentence(
    characters: Characters,
    data: Bytes,
    start: int,
    stop: int,
    chunks: Chunks,
    marks: Bytes,
    apostrophes: Ints64,
    words: Words,
    total: int,
) -> int:
    """Add the words of a sentence and return the new total; four chunks in five are words as they are."""
    first, before = start, 0
    for k in range(find_chunks(data, start, stop, chunks)):
        last, odd = np.int64(chunks.lasts[k]), chunks.odd[k]
        chunk = Chunk(characters, data, start, stop, first, last, marks)
        if odd == before:
            if may_be_contraction(data, first, last):
                middle, end = contraction_at(chunk, first)
                if end:
                    total = add(words, total, first, middle, 0)
                    first = middle
            total = add(words, total, first, last, 0)
        elif odd == before + 1 and is_word_and_mark(chunk):
            total = add(words, total, first, last - 1, 0)
            total = add(words, total, last - 1, last, 0)
        else:
            count = mark_chunk(chunk, apostrophes)
            mark_endings(chunk, apostrophes, count)
            total = cut_chunk(chunk, words, total)
        first, before = last + 1, odd
    return total


@kernel
def cut_words(
    data: Bytes,
    sentences: Ints64,
    starts: Ints32,
    stops: Ints32,
    characters: Characters,
    chunks: Chunks,
    marks: Bytes,
    apostrophes: Ints64,
    counts: Ints64,
    out: Words,
) -> int:
    """Fill the words of all sentences and how many come before each row; return how many there are."""
    total = 0
    for row in range(len(sentences) - 1):
        counts[row] = total
        for k in range(sentences[row], sentences[row + 1]):
            start, stop = np.int64(starts[k]), np.int64(stops[k])
            total = cut_sentence(characters, data, start, stop, chunks, marks, apostrophes, out, total)
    counts[len(sentences) - 1] = total
    return total
