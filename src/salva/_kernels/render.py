"""Texts with edits applied: spliced into the original, as tokens joined by blanks, or as NLTK joins words.

`undo` puts the old words back into a spliced text.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        Characters,
        bytes_in,
        flags_at,
        flags_before,
        start_before,
        width,
    )
    from salva._kernels.constants import *
    from salva._kernels.detokenize import JoinedRow, begin_row_of_words, join_row, list_word
    from salva._kernels.strings import copy_bytes, find_byte, same

LEANING = cython.declare(u8[256])
LEANING = bytes_in(".?!,")


@final
@dataclass(repr=False, eq=False)
@cclass
class PlannedEdits:
    """Edits of some rows: row `i` has edits `rows[i]` to `rows[i + 1]`, in order of their tokens.

    Edit `k` replaces token `tokens[k]` with `new[offsets[k]:offsets[k + 1]]`.
    """

    rows: const_i64[::1]
    tokens: const_i64[::1]
    offsets: const_i64[::1]
    new: const_u8[::1]


def splice(
    data: const_u8[::1],
    row_starts: const_i64[::1],
    edit_starts: const_i32[::1],
    edit_stops: const_i32[::1],
    edited: PlannedEdits,
    places: i64[::1],
    offsets: i64[::1],
    out: u8[::1],
) -> None:
    """Write the texts with the edits applied, and where in `out` every edit begins and ends.

    An edit replaces what is between its start and its stop: one token or several.
    """
    with nogil:
        size: i64 = 0
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


def join_by_blanks(
    data: const_u8[::1],
    rows: const_i64[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    written: const_u8[::1],
    ties: const_u8[::1],
    leaning: bint,
    edited: PlannedEdits,
    places: i64[::1],
    offsets: i64[::1],
    out: u8[::1],
) -> None:
    """Write the tokens with the edits applied and blanks between them; marks may follow without a blank.

    Between two tied tokens, the text between them is copied.
    """
    with nogil:
        size: i64 = 0
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


def replace_words(
    words: const_u8[::1],
    word_offsets: const_i64[::1],
    data: const_u8[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    ties: const_u8[::1],
    edited: PlannedEdits,
    offsets: i64[::1],
    out: u8[::1],
) -> None:
    """Write the words, one after another, with the edits applied.

    A word that continues the previous one begins with the text between the two.
    """
    with nogil:
        size: i64 = 0
        k: i64 = 0
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


@cfunc
@nogil
def restore_words(
    words: const_u8[::1], offsets: const_i64[::1], first: i64, last: i64, ties: const_u8[::1], row: JoinedRow
) -> cython.void:
    """Write the opaque words back where they were hidden, and delete the blanks between glued words."""
    start: i64 = 1
    for word in range(first, last):
        if ties[word] & CONTINUES:
            start -= 1
        if ties[word] & GLUED:
            row.dead[start - 1] = 1
        if ties[word] & OPAQUE:
            for i in range(offsets[word + 1] - offsets[word]):
                row.data[start + i] = words[offsets[word] + i]
        start += offsets[word + 1] - offsets[word] + 1


@cfunc
@nogil
def copy_living(row: JoinedRow, places: i64[::1], first: i64, last: i64, size: i64, out: u8[::1]) -> i64:
    """Write what is not dead; return the end. The places `first` to `last` become places in `out`."""
    i: i64 = 0
    while i < row.stop:
        end = find_byte(row.dead, i, row.stop, 1)
        while first < last and places[first] <= end:
            places[first] = size + max(places[first] - i, 0)
            first += 1
        size = copy_bytes(row.data, i, end, size, out)
        i = end
        while i < row.stop and row.dead[i]:
            i += 1
    return size


def join_words(
    words: const_u8[::1],
    offsets: const_i64[::1],
    rows: const_i64[::1],
    ties: const_u8[::1],
    row: JoinedRow,
    marked: const_i64[::1],
    places: i64[::1],
    counts: i64[::1],
    out: u8[::1],
) -> None:
    """Fill the texts of all rows, one after another, and how many bytes come before each.

    `places` gets where in `out` every `marked` word begins and ends; `marked` is ascending.
    """
    total: i64 = 0
    place: i64 = 0
    with nogil:
        for number in range(len(rows) - 1):
            counts[number] = total
            first = place
            tied: i64 = 0
            begin_row_of_words(row)
            for word in range(rows[number], rows[number + 1]):
                tied |= ties[word]
                if ties[word] & CONTINUES:
                    row.stop -= 1
                start = row.stop
                row.stop = copy_bytes(words, offsets[word], offsets[word + 1], start, row.data)
                if ties[word] & OPAQUE:
                    for i in range(start, row.stop):
                        row.data[i] = HIDDEN
                if 2 * len(marked) > place and marked[place // 2] == word:
                    places[place] = start
                    places[place + 1] = row.stop
                    place += 2
                row.data[row.stop] = BLANK
                list_word(row, start, row.stop)
                row.stop += 1
            for i in range(row.stop):
                row.dead[i] = 0
            join_row(row)
            if tied:
                restore_words(words, offsets, rows[number], rows[number + 1], ties, row)
            total = copy_living(row, places, first, place, total, out)
        counts[len(rows) - 1] = total


@cfunc
@inline
@nogil
def skip_points(data: const_u8[::1], i: i64, stop: i64, points: i64) -> i64:
    """Return the byte that is `points` code points after byte `i`, or the end of the row."""
    while i < stop and points > 0:
        i += 1
        while i < stop and data[i] & 0xC0 == 0x80:
            i += 1
        points -= 1
    return i


@cfunc
@inline
@nogil
def find_edited(
    data: const_u8[::1],
    i: i64,
    stop: i64,
    points: i64,
    length: i64,
    new: const_u8[::1],
    first: i64,
    last: i64,
) -> tuple[i64, i64]:
    """Return where a new word is, `points` characters after byte `i`, and its end; -1 if it is not there."""
    start = skip_points(data, i, stop, points)
    end = skip_points(data, start, stop, length)
    if end - start != last - first or not same(data, start, new, first, last - first):
        return -1, -1
    return start, end


def undo(
    data: const_u8[::1],
    row_starts: const_i64[::1],
    rows: const_i64[::1],
    starts: const_i64[::1],
    ends: const_i64[::1],
    new: const_u8[::1],
    new_offsets: const_i64[::1],
    old: const_u8[::1],
    old_offsets: const_i64[::1],
    offsets: i64[::1],
    out: u8[::1],
) -> i64:
    """Write the original texts; return -1, or the first edit that is not in its text.

    The edits of row `i` are `rows[i]` to `rows[i + 1]`; their positions are code points of the row,
    ascending.
    """
    size: i64 = 0
    wrong: i64 = -1
    with nogil:
        for row in range(len(row_starts) - 1):
            offsets[row] = size
            i, stop = row_starts[row], row_starts[row + 1]
            point: i64 = 0
            for k in range(rows[row], rows[row + 1]):
                start: i64 = -1
                end: i64 = -1
                if point <= starts[k] <= ends[k]:
                    start, end = find_edited(
                        data,
                        i,
                        stop,
                        starts[k] - point,
                        ends[k] - starts[k],
                        new,
                        new_offsets[k],
                        new_offsets[k + 1],
                    )
                if start < 0:
                    wrong = k
                    break
                size = copy_bytes(data, i, start, size, out)
                size = copy_bytes(old, old_offsets[k], old_offsets[k + 1], size, out)
                i = end
                point = ends[k]
            if wrong >= 0:
                break
            size = copy_bytes(data, i, stop, size, out)
        offsets[len(row_starts) - 1] = size
    return wrong


@final
@dataclass(repr=False, eq=False)
@cclass
class RowTexts:
    """Texts end to end, and where each begins; the last offset is where all end."""

    data: const_u8[::1]
    offsets: const_i64[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class Differences:
    """Stretches that differ: where each begins and ends by turns, in the texts and in their twins.

    Those of row `i` are `rows[i]` to `rows[i + 1]`.
    """

    rows: i64[::1]
    old: i64[::1]
    new: i64[::1]


@cfunc
@inline
@nogil
def add_difference(
    before: RowTexts, after: RowTexts, i: i64, stop: i64, j: i64, end: i64, count: i64, out: Differences
) -> i64:
    """Add a stretch if its bytes differ from those of the twin; return how many there are."""
    if stop - i == end - j and same(before.data, i, after.data, j, stop - i):
        return count
    out.old[2 * count] = i
    out.old[2 * count + 1] = stop
    out.new[2 * count] = j
    out.new[2 * count + 1] = end
    return count + 1


@cfunc
@inline
@nogil
def marks_before(
    characters: Characters, before: RowTexts, after: RowTexts, i: i64, stop: i64, j: i64, end: i64
) -> i64:
    """Return how many bytes at the start of two stretches are the same marks, with a word after them."""
    size: i64 = 0
    while i + size < stop and j + size < end:
        step = width(before.data[i + size])
        if flags_at(characters, before.data, i + size) & WORD:
            return size if flags_at(characters, after.data, j + size) & WORD else 0
        if j + size + step > end or not same(before.data, i + size, after.data, j + size, step):
            return size
        size += step
    return 0


@cfunc
@inline
@nogil
def marks_behind(
    characters: Characters, before: RowTexts, after: RowTexts, i: i64, stop: i64, j: i64, end: i64
) -> i64:
    """Return how many bytes at the end of two stretches are the same marks, with a word before them."""
    size: i64 = 0
    while i < stop - size and j < end - size:
        place = start_before(before.data, stop - size)
        step = stop - size - place
        if flags_at(characters, before.data, place) & WORD:
            return size if flags_before(characters, after.data, end - size) & WORD else 0
        if end - size - step < j or not same(before.data, place, after.data, end - size - step, step):
            return size
        size += step
    return 0


def trim(characters: Characters, before: RowTexts, after: RowTexts, out: Differences) -> None:
    """Leave marks that are the same at the ends of stretches out of them, unless nothing else is there."""
    with nogil:
        for k in range(len(out.old) // 2):
            first, last = 2 * k, 2 * k + 1
            size = marks_before(
                characters, before, after, out.old[first], out.old[last], out.new[first], out.new[last]
            )
            out.old[first] += size
            out.new[first] += size
            size = marks_behind(
                characters, before, after, out.old[first], out.old[last], out.new[first], out.new[last]
            )
            out.old[last] -= size
            out.new[last] -= size


def find_differences(
    before: RowTexts,
    after: RowTexts,
    rows: const_i64[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    places: const_i64[::1],
    out: Differences,
) -> i64:
    """Fill the tokens, and the stretches between them, that differ; return how many there are.

    Token `k` is in its text from `starts[k]` to `stops[k]`, in the twin from `places[2 * k]` to
    `places[2 * k + 1]`.
    """
    with nogil:
        count: i64 = 0
        for row in range(len(rows) - 1):
            out.rows[row] = count
            i, j = before.offsets[row], after.offsets[row]
            for token in range(rows[row], rows[row + 1]):
                first, last = places[2 * token], places[2 * token + 1]
                count = add_difference(before, after, i, starts[token], j, first, count, out)
                count = add_difference(before, after, starts[token], stops[token], first, last, count, out)
                i, j = stops[token], last
            count = add_difference(
                before, after, i, before.offsets[row + 1], j, after.offsets[row + 1], count, out
            )
        out.rows[len(rows) - 1] = count
    return count
