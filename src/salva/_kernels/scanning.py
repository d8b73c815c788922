"""Bytes that end something are found eight at a time."""

from __future__ import annotations

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.strings import copy_bytes, eight_bytes
from salva._types import Bytes, Ints64

U64 = np.uint64
EIGHT = 8
ONES = U64(0x0101010101010101)
_TOPS, _SPACES = U64(0x8080808080808080), U64(32) * ONES


@step
def zero_bytes(bits: np.uint64) -> np.uint64:
    """Return a number that is 0 if none of eight bytes is zero."""
    return (bits - ONES) & ~bits & _TOPS


@step
def control_bytes(bits: np.uint64) -> np.uint64:
    """Return a number that is 0 if none of eight bytes is less than a space."""
    return (bits - _SPACES) & ~bits & _TOPS


@step
def find_byte(data: Bytes, place: int, end: int, wanted: int) -> int:
    """Return where a byte occurs next, or the end."""
    pattern = U64(wanted) * ONES
    while place + EIGHT <= end and zero_bytes(eight_bytes(data, U64(place)) ^ pattern) == U64(0):
        place += EIGHT
    while place < end and data[place] != wanted:
        place += 1
    return place


@kernel
def copy_slices(data: Bytes, starts: Ints64, stops: Ints64, out: Bytes) -> None:
    """Copy parts of the data, one after the other."""
    size = 0
    for i in range(len(starts)):
        size = copy_bytes(data, starts[i], stops[i], size, out)
