"""Edits of several plans of the same texts: which of them leave the edits of others alone."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.characters import WORD, Characters, flags_at, flags_before
from salva._kernels.jit import kernel, step
from salva._types import Bools, Bytes, Ints32, Ints64


class Places(NamedTuple):
    """Where edits are, in bytes: those of row `i` are `rows[i]` to `rows[i + 1]`, in order."""

    rows: Ints64
    starts: Ints32
    stops: Ints32


@step
def is_inside_word(characters: Characters, data: Bytes, first: int, last: int, i: int) -> bool:
    """Return whether byte `i` of a row, which goes from `first` to `last`, has a letter on both sides."""
    if i <= first or i >= last:
        return False
    return flags_before(characters, data, i) & WORD != 0 and flags_at(characters, data, i) & WORD != 0


@step
def overlaps(start: int, stop: int, other_start: int, other_stop: int) -> bool:
    """Return whether two edits share a byte, one inserts into the other, or both insert at one place."""
    same = start == stop == other_start == other_stop
    return same or (start < other_stop and other_start < stop)


@kernel
def find_free(
    characters: Characters,
    data: Bytes,
    row_starts: Ints64,
    edits: Places,
    taken: Places,
    out: Bools,
) -> None:
    """Fill whether each edit leaves the taken ones alone: it shares neither a byte nor a word with them."""
    for row in range(len(row_starts) - 1):
        first, last = row_starts[row], row_starts[row + 1]
        near = taken.rows[row]
        for k in range(edits.rows[row], edits.rows[row + 1]):
            start, stop = edits.starts[k], edits.stops[k]
            while near < taken.rows[row + 1] and taken.stops[near] < start:
                near += 1
            out[k] = True
            other = near
            while other < taken.rows[row + 1] and taken.starts[other] <= stop:
                seam = start if taken.stops[other] == start else stop
                if overlaps(start, stop, taken.starts[other], taken.stops[other]) or is_inside_word(
                    characters, data, first, last, seam
                ):
                    out[k] = False
                other += 1
