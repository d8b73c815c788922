"""Handle eight or sixteen bytes at a time, because a processor cannot predict where a short loop ends."""

from __future__ import annotations

import numpy as np

from salva._kernels.jit import step
from salva._types import Bytes

U64 = np.uint64
LANE, _LANE, _EIGHT = 16, U64(16), U64(8)


@step
def eight_bytes(data: Bytes, place: np.uint64) -> np.uint64:
    """Return eight bytes as a number: one load, once compiled."""
    bits = U64(0)
    for k in range(_EIGHT):
        bits |= U64(data[place + k]) << (_EIGHT * k)
    return bits


@step
def put_eight_bytes(bits: np.uint64, place: np.uint64, out: Bytes) -> None:
    """Write a number as eight bytes: one store, once compiled."""
    for k in range(_EIGHT):
        out[place + k] = np.uint8(bits >> (_EIGHT * k))


@step
def copy_lane(data: Bytes, place: np.uint64, end: np.uint64, out: Bytes) -> None:
    """Copy sixteen bytes; both halves are read first, because for the compiler `out` may be `data`."""
    left, right = eight_bytes(data, place), eight_bytes(data, place + _EIGHT)
    put_eight_bytes(left, end, out)
    put_eight_bytes(right, end + _EIGHT, out)


@step
def copy_bytes(data: Bytes, start: int, stop: int, size: int, out: Bytes) -> int:
    """Copy bytes to `out`, starting at `size`; return the end.

    If there is room, sixteen or more bytes are copied, and later writes overwrite the excess: 3 ns per word
    instead of 25.
    """
    length = stop - start
    if start + length + LANE <= len(data) and size + length + LANE <= len(out):
        place, end = U64(start), U64(size)
        copy_lane(data, place, end, out)
        for _ in range(LANE, length, LANE):
            place += _LANE
            end += _LANE
            copy_lane(data, place, end, out)
    else:
        for i in range(length):
            out[size + i] = data[start + i]
    return size + length
