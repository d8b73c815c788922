"""Tables of strings: which words are the same, and whether a word is in a list.

Open addressing over FNV-1a hashes; a slot holds the number of a string plus one. Half of the slots stay
empty. The last cell of the slots is no slot but where hashes begin, a number that no author of a text knows:
nobody can write words that all fall into one slot. Results do not depend on it.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._kernels.characters import Bytes
from salva._kernels.jit import kernel, step
from salva._kernels.rng import FNV_PRIME, mix

__all__ = ["StringTable", "fill_slots", "find", "find_all", "number_types", "same", "slots_for"]

Ints64 = NDArray[np.int64]
Ints32 = NDArray[np.int32]
_HALF, _EIGHT, _ONE, _TOP_BYTE = np.uint64(32), np.uint64(8), np.uint64(1), np.uint64(56)
_HASHED = np.uint64(0xFF) << _TOP_BYTE  # above every head that is a string
_SECRET = secrets.randbits(31)


class StringTable(NamedTuple):
    """Distinct strings and where their hashes lead; string `i` is `data[offsets[i]:offsets[i + 1]]`."""

    data: Bytes
    offsets: Ints64
    slots: Ints32


def slots_for(count: int) -> Ints32:
    """Return empty slots for `count` strings.

    >>> len(slots_for(3))
    9
    """
    slots = np.zeros((1 << max(3, (2 * count - 1).bit_length())) + 1, np.int32)
    slots[-1] = _SECRET
    return slots


@step
def same(left: Bytes, i: int, right: Bytes, j: int, size: int) -> bool:
    """Tell whether two stretches of bytes are equal."""
    first, second = np.uint64(i), np.uint64(j)
    for k in range(np.uint64(size)):  # noqa: SIM110  (compiled: `all` over a generator is not)
        if left[first + k] != right[second + k]:
            return False
    return True


@step
def slot_of(data: Bytes, start: int, stop: int, slots: Ints32) -> int:
    """Return where to begin to look; FNV's low bits are weak for short words, so they are mixed."""
    bits = mix(np.uint64(slots[len(slots) - 1]))
    for i in range(np.uint64(start), np.uint64(stop)):
        bits = (bits ^ np.uint64(data[i])) * FNV_PRIME
    return np.int64(mix(bits) >> _HALF) & (len(slots) - 2)


@step
def find(table: StringTable, data: Bytes, start: int, stop: int) -> int:
    """Return the number of the string that equals `data[start:stop]`, or -1."""
    slot = slot_of(data, start, stop, table.slots)
    while table.slots[slot]:
        number = table.slots[slot] - 1
        first = table.offsets[number]
        if table.offsets[number + 1] - first == stop - start and same(
            table.data, first, data, start, stop - start
        ):
            return number
        slot = (slot + 1) & (len(table.slots) - 2)
    return -1


@kernel
def fill_slots(data: Bytes, offsets: Ints64, first: int, slots: Ints32) -> None:
    """Enter distinct strings, from number `first` on, into slots that hold those before."""
    for number in range(first, len(offsets) - 1):
        slot = slot_of(data, offsets[number], offsets[number + 1], slots)
        while slots[slot]:
            slot = (slot + 1) & (len(slots) - 2)
        slots[slot] = number + 1


@kernel
def find_all(table: StringTable, data: Bytes, offsets: Ints64, places: Ints64, out: Ints32) -> None:
    """Fill the number of every string at `places`, -1 where it is not in the table."""
    for k in range(len(places)):
        out[k] = find(table, data, offsets[places[k]], offsets[places[k] + 1])


@step
def head_of(data: Bytes, start: int, size: int, secret: np.uint64) -> np.uint64:
    """Return 64 bits of a string: up to seven bytes are the string itself and its size, more are a hash.

    The eight bytes become one load; with the comparison of heads, 12 ns a word instead of 25.
    """
    place, bits = np.uint64(start), np.uint64(0)
    if size < 8:
        for k in range(_EIGHT if start + 8 <= len(data) else np.uint64(size)):
            bits |= np.uint64(data[place + k]) << (_EIGHT * k)
        kept = (_ONE << (_EIGHT * np.uint64(size))) - _ONE
        return (bits & kept) | (np.uint64(size) << _TOP_BYTE)
    bits = secret
    for k in range(np.uint64(size)):
        bits = (bits ^ np.uint64(data[place + k])) * FNV_PRIME
    return bits | _HASHED


@kernel
def number_types(
    data: Bytes,
    starts: Ints32,
    stops: Ints32,
    slots: Ints32,
    heads: NDArray[np.uint64],
    firsts: Ints64,
    out: Ints32,
) -> int:
    """Give equal strings equal numbers, in the order they are first met; return how many there are.

    `heads` has room beside the slots; `firsts` gets the place of each type's first string. Returns -1 when
    more than half of the slots would be used.
    """
    types = 0
    secret = mix(np.uint64(slots[len(slots) - 1]))
    for token in range(len(starts)):
        start = np.int64(starts[token])
        size = np.int64(stops[token]) - start
        head = head_of(data, start, size, secret)
        slot = np.int64(mix(head ^ secret) >> _HALF) & (len(slots) - 2)
        number = -1
        while slots[slot]:
            first = firsts[slots[slot] - 1]
            if heads[slot] == head and (
                head < _HASHED
                or (
                    stops[first] - starts[first] == size
                    and same(data, np.int64(starts[first]), data, start, size)
                )
            ):
                number = slots[slot] - 1
                break
            slot = (slot + 1) & (len(slots) - 2)
        if number < 0:
            if 2 * types >= len(slots) - 1:
                return -1
            number = types
            firsts[types] = token
            types += 1
            slots[slot] = types
            heads[slot] = head
        out[token] = number
    return types
