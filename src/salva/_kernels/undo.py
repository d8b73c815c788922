"""Undo edits: replace the new words with the old ones."""

from __future__ import annotations

from salva._kernels.jit import kernel, step
from salva._kernels.lanes import copy_bytes
from salva._kernels.strings import same
from salva._types import Bytes, Ints64


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
