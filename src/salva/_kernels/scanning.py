"""Bytes that end something are found eight at a time."""

from __future__ import annotations

import numpy as np

from salva._kernels.jit import step
from salva._kernels.strings import eight_bytes
from salva._types import Bytes

U64 = np.uint64
EIGHT = 8
ONES = U64(0x0101010101010101)
_TOPS, _SPACES = U64(0x8080808080808080), U64(32) * ONES
# Added to a byte, these reach the top bit from `a` on, and after `z`.
_FROM_A, _AFTER_Z = U64(0x80 - ord("a")) * ONES, U64(0x7F - ord("z")) * ONES
_ONE, _TOP_BYTE = U64(1), U64(56)


@step
def zero_bytes(bits: np.uint64) -> np.uint64:
    """Return a number that is 0 if none of eight bytes is zero."""
    return (bits - ONES) & ~bits & _TOPS


@step
def other_bytes(bits: np.uint64) -> np.uint64:
    """Return a number that is 0 if all of eight bytes are letters of ASCII."""
    small = (bits | _SPACES) & ~_TOPS
    return (~(small + _FROM_A) | (small + _AFTER_Z) | bits) & _TOPS


@step
def has_only_letters(data: Bytes, start: int, stop: int) -> bool:
    """Return whether there are only letters of ASCII; `data` has eight bytes or more after `stop`."""
    others = U64(0)
    place = start
    while place + EIGHT < stop:
        others |= other_bytes(eight_bytes(data, U64(place)))
        place += EIGHT
    # Bytes after the last one are shifted out.
    return (others | other_bytes(eight_bytes(data, U64(place))) << U64(EIGHT * (place + EIGHT - stop))) == 0


@step
def first_byte(found: np.uint64) -> int:
    """Return which of eight bytes was found first; `found` is not 0, and only its first bit is exact.

    A product counts the bytes up to that bit.
    """
    below = ((found & (~found + _ONE)) - _ONE) & ONES
    return np.int64((below * ONES) >> _TOP_BYTE) - 1


@step
def find_byte(data: Bytes, place: int, end: int, wanted: int) -> int:
    """Return where a byte occurs next, or the end."""
    pattern = U64(wanted) * ONES
    while place + EIGHT <= len(data) and place < end:
        found = zero_bytes(eight_bytes(data, U64(place)) ^ pattern)
        if found != U64(0):
            return min(place + first_byte(found), end)
        place += EIGHT
    while place < end and data[place] != wanted:
        place += 1
    return min(place, end)
