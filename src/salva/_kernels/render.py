"""Texts with edits applied: spliced into the original, as tokens joined by blanks, or as NLTK joins words.

`undo` puts the old words back into a spliced text.
"""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.characters import bytes_in
from salva._kernels.detokenize import join_row
from salva._kernels.detokenize_marks import BLANK, Listed, list_word
from salva._kernels.detokenize_row import Row
from salva._kernels.jit import kernel, step
from salva._kernels.protection import CONTINUES, GLUED, OPAQUE
from salva._kernels.scanning import find_byte
from salva._kernels.spans import APOSTROPHE, BACKTICK
from salva._kernels.strings import copy_bytes, same
from salva._kernels.treebank_marks import OPEN
from salva._types import Bytes, Ints32, Ints64

LEANING = bytes_in(".?!,")


class Edited(NamedTuple):
    """Edits of some rows: row `i` has edits `rows[i]` to `rows[i + 1]`, in order of their tokens.

    Edit `k` replaces token `tokens[k]` with `new[offsets[k]:offsets[k + 1]]`.
    """

    rows: Ints64
    tokens: Ints64
    offsets: Ints64
    new: Bytes


@kernel
def splice(
    data: Bytes,
    row_starts: Ints64,
    edit_starts: Ints32,
    edit_stops: Ints32,
    edited: Edited,
    places: Ints64,
    offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the texts with the edits applied, and where in `out` every edit begins and ends.

    An edit replaces what is between its start and its stop: one token or several.
    """
    size = 0
    for row in range(len(row_starts) - 1):
        offsets[row] = size
        i = row_starts[row]
        for k in range(edited.rows[row], edited.rows[row + 1]):
            size = copy_bytes(data, i, edit_starts[k], size, out)
            places[2 * k] = size
            size = copy_bytes(edited.new, edited.offsets[k], edited.offsets[k + 1], size, out)
            places[2 * k + 1] = size
            i = edit_stops[k]
        size = copy_bytes(data, i, row_starts[row + 1], size, out)
    offsets[len(row_starts) - 1] = size


@kernel
def join_by_blanks(
    data: Bytes,
    rows: Ints64,
    starts: Ints32,
    stops: Ints32,
    written: Bytes,
    ties: Bytes,
    leaning: bool,
    edited: Edited,
    places: Ints64,
    offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the tokens with the edits applied and blanks between them; marks may follow without a blank.

    Between two tied tokens, the text between them is copied.
    """
    size = 0
    for row in range(len(rows) - 1):
        offsets[row] = size
        k = edited.rows[row]
        for token in range(rows[row], rows[row + 1]):
            if ties[token] & (GLUED | CONTINUES):
                size = copy_bytes(data, stops[token - 1], starts[token], size, out)
            elif token > rows[row] and not (leaning and LEANING[data[starts[token]]]):
                out[size] = BLANK
                size += 1
            if k < edited.rows[row + 1] and edited.tokens[k] == token:
                places[2 * k] = size
                size = copy_bytes(edited.new, edited.offsets[k], edited.offsets[k + 1], size, out)
                places[2 * k + 1] = size
                k += 1
            elif written[token]:
                out[size] = out[size + 1] = BACKTICK if written[token] == OPEN else APOSTROPHE
                size += 2
            else:
                size = copy_bytes(data, starts[token], stops[token], size, out)
    offsets[len(rows) - 1] = size


@kernel
def replace_words(
    words: Bytes,
    word_offsets: Ints64,
    data: Bytes,
    starts: Ints32,
    stops: Ints32,
    ties: Bytes,
    edited: Edited,
    offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the words, one after another, with the edits applied.

    A word that continues the previous one begins with the text between the two.
    """
    size = k = 0
    for word in range(len(word_offsets) - 1):
        offsets[word] = size
        if k < len(edited.tokens) and edited.tokens[k] == word:
            size = copy_bytes(edited.new, edited.offsets[k], edited.offsets[k + 1], size, out)
            k += 1
            continue
        if ties[word] & CONTINUES:
            size = copy_bytes(data, stops[word - 1], starts[word], size, out)
        size = copy_bytes(words, word_offsets[word], word_offsets[word + 1], size, out)
    offsets[len(word_offsets) - 1] = size


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


@step
def copy_living(row: Row, places: Ints64, size: int, out: Bytes) -> int:
    """Write what is not dead; return the end. `places` in the row, ascending, become places in `out`."""
    i = k = 0
    while i < row.stop:
        end = find_byte(row.dead, i, row.stop, 1)
        while k < len(places) and places[k] <= end:
            places[k] = size + max(places[k] - i, 0)
            k += 1
        size = copy_bytes(row.data, i, end, size, out)
        i = end
        while i < row.stop and row.dead[i]:
            i += 1
    return size


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
        listed = Listed(0, 0, 0)
        for word in range(rows[k], rows[k + 1]):
            tied |= ties[word]
            size -= ties[word] & CONTINUES != 0
            start = size
            size = copy_bytes(words, offsets[word], offsets[word + 1], size, data)
            if ties[word] & OPAQUE:
                data[start:size] = HIDDEN
            if 2 * len(marked) > place and marked[place // 2] == word:
                places[place], places[place + 1] = start, size
                place += 2
            data[size] = BLANK
            listed = list_word(scratch, start, size, listed)
            size += 1
        dead[:size] = 0
        marks, joints = scratch.marks[: listed.marks], scratch.joints[: listed.joints]
        row = Row(characters, data, dead, marks, joints, size)
        join_row(row, listed.kinds)
        if tied:
            restore_words(words, offsets, rows[k], rows[k + 1], ties, row)
        total = copy_living(row, places[first:place], total, out)
    counts[len(rows) - 1] = total


@step
def skip_points(data: Bytes, i: int, stop: int, points: int) -> int:
    """Return the byte that is `points` code points after byte `i`, or the end of the row."""
    while i < stop and points > 0:
        i += 1
        while i < stop and data[i] & 0xC0 == 0x80:
            i += 1
        points -= 1
    return i


@kernel
def undo(
    data: Bytes,
    row_starts: Ints64,
    rows: Ints64,
    starts: Ints64,
    ends: Ints64,
    new: Bytes,
    new_offsets: Ints64,
    old: Bytes,
    old_offsets: Ints64,
    offsets: Ints64,
    out: Bytes,
) -> int:
    """Write the original texts; return -1, or the first edit that is not in its text.

    The edits of row `i` are `rows[i]` to `rows[i + 1]`; their positions are code points of the row,
    ascending.
    """
    size = 0
    for row in range(len(row_starts) - 1):
        offsets[row] = size
        i, stop, point = row_starts[row], row_starts[row + 1], 0
        for k in range(rows[row], rows[row + 1]):
            if starts[k] < point or ends[k] < starts[k]:
                return k
            first = skip_points(data, i, stop, starts[k] - point)
            last = skip_points(data, first, stop, ends[k] - starts[k])
            length = new_offsets[k + 1] - new_offsets[k]
            if last - first != length or not same(data, first, new, new_offsets[k], length):
                return k
            size = copy_bytes(data, i, first, size, out)
            size = copy_bytes(old, old_offsets[k], old_offsets[k + 1], size, out)
            i, point = last, ends[k]
        size = copy_bytes(data, i, stop, size, out)
    offsets[len(row_starts) - 1] = size
    return -1
