"""Rows of words joined by NLTK's rules, except for opaque words, which no rule may look into."""

from __future__ import annotations

from salva._kernels.detokenize import BLANK, join_row, list_places
from salva._kernels.jit import kernel, step
from salva._kernels.joined import Row
from salva._kernels.ties import CONTINUES, GLUED, OPAQUE
from salva._types import Bytes, Ints64

HIDDEN = 1  # replaces the bytes of an opaque word: not a letter, a mark or a space


@step
def restore_words(words: Bytes, offsets: Ints64, first: int, last: int, ties: Bytes, row: Row) -> None:
    """Write the opaque words back where they were hidden, and delete the blanks between glued words."""
    start = 1
    for word in range(first, last):
        start -= ties[word] & CONTINUES != 0
        if ties[word] & GLUED:
            row.dead[start - 1] = 1
        if ties[word] & OPAQUE:
            for i in range(offsets[word + 1] - offsets[word]):
                row.data[start + i] = words[offsets[word] + i]
        start += offsets[word + 1] - offsets[word] + 1


@kernel
def join_words(
    words: Bytes,
    offsets: Ints64,
    rows: Ints64,
    ties: Bytes,
    scratch: Row,
    marked: Ints64,
    places: Ints64,
    counts: Ints64,
    out: Bytes,
) -> None:
    """Fill the texts of all rows, one after another, and how many bytes come before each.

    `places` gets where in `out` every `marked` word begins and ends; `marked` is ascending.
    """
    total = place = 0
    characters, data, dead = scratch.characters, scratch.data, scratch.dead
    for k in range(len(rows) - 1):
        counts[k] = total
        first = place
        data[0] = BLANK
        size = 1
        tied = 0
        for word in range(rows[k], rows[k + 1]):
            tied |= ties[word]
            size -= ties[word] & CONTINUES != 0
            start = size
            for i in range(offsets[word], offsets[word + 1]):
                data[size] = words[i]
                size += 1
            if ties[word] & OPAQUE:
                data[start:size] = HIDDEN
            if 2 * len(marked) > place and marked[place // 2] == word:
                places[place], places[place + 1] = start, size
                place += 2
            data[size] = BLANK
            size += 1
        dead[:size] = 0
        row = Row(characters, data, dead, scratch.marks, scratch.joints, size)
        marks, joints = list_places(row)
        join_row(Row(characters, data, dead, row.marks[:marks], row.joints[:joints], size))
        if tied:
            restore_words(words, offsets, rows[k], rows[k + 1], ties, row)
        for i in range(size):
            while first < place and places[first] == i:
                places[first] = total
                first += 1
            if not dead[i]:
                out[total] = data[i]
                total += 1
    counts[len(rows) - 1] = total
