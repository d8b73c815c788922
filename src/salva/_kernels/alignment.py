"""Where a text and its rebuilt twin differ: tokens and the text between them, compared byte by byte."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.characters import WORD, Characters, flags_at, flags_before, start_before, width
from salva._kernels.jit import kernel, step
from salva._kernels.strings import same
from salva._types import Bytes, Ints32, Ints64


class Texts(NamedTuple):
    """Texts end to end, and where each begins; the last offset is where all end."""

    data: Bytes
    offsets: Ints64


class Differences(NamedTuple):
    """Stretches that differ: where each begins and ends by turns, in the texts and in their twins.

    Those of row `i` are `rows[i]` to `rows[i + 1]`.
    """

    rows: Ints64
    old: Ints64
    new: Ints64


@step
def add_difference(
    before: Texts, after: Texts, i: int, stop: int, j: int, end: int, count: int, out: Differences
) -> int:
    """Add a stretch if its bytes differ from those of the twin; return how many there are."""
    if stop - i == end - j and same(before.data, i, after.data, j, stop - i):
        return count
    out.old[2 * count], out.old[2 * count + 1] = i, stop
    out.new[2 * count], out.new[2 * count + 1] = j, end
    return count + 1


@step
def marks_before(
    characters: Characters, before: Texts, after: Texts, i: int, stop: int, j: int, end: int
) -> int:
    """Return how many bytes at the start of two stretches are the same marks, with a word after them."""
    size = 0
    while i + size < stop and j + size < end:
        step = width(before.data[i + size])
        if flags_at(characters, before.data, i + size) & WORD:
            return size if flags_at(characters, after.data, j + size) & WORD else 0
        if j + size + step > end or not same(before.data, i + size, after.data, j + size, step):
            return size
        size += step
    return 0


@step
def marks_behind(
    characters: Characters, before: Texts, after: Texts, i: int, stop: int, j: int, end: int
) -> int:
    """Return how many bytes at the end of two stretches are the same marks, with a word before them."""
    size = 0
    while i < stop - size and j < end - size:
        place = start_before(before.data, stop - size)
        step = stop - size - place
        if flags_at(characters, before.data, place) & WORD:
            return size if flags_before(characters, after.data, end - size) & WORD else 0
        if end - size - step < j or not same(before.data, place, after.data, end - size - step, step):
            return size
        size += step
    return 0


@kernel
def trim(characters: Characters, before: Texts, after: Texts, out: Differences) -> None:
    """Leave marks that are the same at the ends of stretches out of them, unless nothing else is there."""
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


@kernel
def find_differences(
    before: Texts,
    after: Texts,
    rows: Ints64,
    starts: Ints32,
    stops: Ints32,
    places: Ints64,
    out: Differences,
) -> int:
    """Fill the tokens, and the stretches between them, that differ; return how many there are.

    Token `k` is in its text from `starts[k]` to `stops[k]`, in the twin from `places[2 * k]` to
    `places[2 * k + 1]`.
    """
    count = 0
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
