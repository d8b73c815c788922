"""Strings as bytes: copied, compared, and looked up in tables.

Bytes are handled eight or sixteen at a time, because a processor cannot predict where a short loop ends.

String tables use open addressing; a slot holds 64 bits of a string, its head, next to its number plus one.
Half of the slots stay empty. Hashes are seeded with a secret number, so that nobody can write a text whose
words all fall into one slot. Results do not depend on it.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.rng import mix
from salva._types import Bytes, Ints32, Ints64, Uints64

U64 = np.uint64
LANE, _LANE = 16, U64(16)
_HALF, _EIGHT, _ONE, _TOP_BYTE = U64(32), U64(8), U64(1), U64(56)
_HASHED = U64(0xFF) << _TOP_BYTE  # greater than every head that is a string
_SECRET = U64(secrets.randbits(64))


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
    instead of 25. So `out` must end where the part of another thread begins.
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


class Slots(NamedTuple):
    """The slots: the head of a string, next to its number plus one, or 0 if empty."""

    cells: Uints64
    secret: np.uint64


class StringTable(NamedTuple):
    """Distinct strings and their slots; string `i` is `data[offsets[i]:offsets[i + 1]]`."""

    data: Bytes
    offsets: Ints64
    slots: Slots


def slots_for(count: int) -> Slots:
    """Return empty slots for `count` strings.

    >>> len(slots_for(3).cells)
    8
    """
    return Slots(np.zeros((1 << max(3, (2 * count - 1).bit_length()), 2), np.uint64), _SECRET)


@step
def same(left: Bytes, i: int, right: Bytes, j: int, size: int) -> bool:
    """Return whether two byte ranges are equal."""
    first, second = U64(i), U64(j)
    for k in range(U64(size)):  # noqa: SIM110  (compiled: `all` over a generator is not)
        if left[first + k] != right[second + k]:
            return False
    return True


@step
def head_of(data: Bytes, start: int, size: int, secret: np.uint64) -> np.uint64:
    """Return 64 bits for a string: up to seven bytes, the string and its size; beyond that, a hash.

    Comparing heads first takes 12 ns per word instead of 25.
    """
    place, bits = U64(start), U64(0)
    if size < 8:
        if start + 8 <= len(data):
            bits = eight_bytes(data, place)
        else:
            for k in range(U64(size)):
                bits |= U64(data[place + k]) << (_EIGHT * k)
        kept = (_ONE << (_EIGHT * U64(size))) - _ONE
        return (bits & kept) | (U64(size) << _TOP_BYTE)
    bits = secret ^ U64(size)
    last = place + U64(size) - _EIGHT
    while place < last:
        bits = mix(bits ^ eight_bytes(data, place))
        place += _EIGHT
    return mix(bits ^ eight_bytes(data, last)) | _HASHED


@step
def first_slot(head: np.uint64, slots: Slots) -> np.uint64:
    """Return where to start looking; heads are not evenly distributed, so they are mixed."""
    return (mix(head ^ slots.secret) >> _HALF) & U64(len(slots.cells) - 1)


@step
def next_slot(slot: np.uint64, slots: Slots) -> np.uint64:
    """Return where to look next."""
    return (slot + _ONE) & U64(len(slots.cells) - 1)


@step
def find(table: StringTable, data: Bytes, start: int, stop: int) -> int:
    """Return the number of the string that equals `data[start:stop]`, or -1."""
    cells, size = table.slots.cells, stop - start
    head = head_of(data, start, size, table.slots.secret)
    slot = first_slot(head, table.slots)
    while cells[slot, 1]:
        if cells[slot, 0] == head:
            number = np.int64(cells[slot, 1]) - 1
            if head < _HASHED:
                return number
            first = table.offsets[number]
            if table.offsets[number + 1] - first == size and same(table.data, first, data, start, size):
                return number
        slot = next_slot(slot, table.slots)
    return -1


@kernel
def enter(table: StringTable, first: int) -> None:
    """Enter the strings of a table, which are distinct, into its slots, starting with number `first`."""
    cells = table.slots.cells
    for number in range(first, len(table.offsets) - 1):
        start = table.offsets[number]
        head = head_of(table.data, start, table.offsets[number + 1] - start, table.slots.secret)
        slot = first_slot(head, table.slots)
        while cells[slot, 1]:
            slot = next_slot(slot, table.slots)
        cells[slot, 0], cells[slot, 1] = head, number + 1


@kernel
def find_all(table: StringTable, data: Bytes, starts: Ints32, stops: Ints32, out: Ints32) -> None:
    """Fill the number of every range of `data`, -1 for strings that are not in the table."""
    for k in range(len(starts)):
        out[k] = find(table, data, np.int64(starts[k]), np.int64(stops[k]))


@kernel
def number_types(
    data: Bytes, starts: Ints32, stops: Ints32, slots: Slots, firsts: Ints64, out: Ints32
) -> int:
    """Give equal strings equal numbers, in order of first occurrence; return how many types there are.

    `firsts` gets the index of each type's first string. Returns -1 if more than half of the slots would be
    used.
    """
    types = 0
    cells = slots.cells
    for token in range(len(starts)):
        start = np.int64(starts[token])
        size = np.int64(stops[token]) - start
        head = head_of(data, start, size, slots.secret)
        slot = first_slot(head, slots)
        number = -1
        while cells[slot, 1]:
            if cells[slot, 0] == head:
                first = firsts[np.int64(cells[slot, 1]) - 1]
                if head < _HASHED or (
                    stops[first] - starts[first] == size
                    and same(data, np.int64(starts[first]), data, start, size)
                ):
                    number = np.int64(cells[slot, 1]) - 1
                    break
            slot = next_slot(slot, slots)
        if number < 0:
            if 2 * types >= len(cells):
                return -1
            number = types
            firsts[types] = token
            types += 1
            cells[slot, 0], cells[slot, 1] = head, types
        out[token] = number
    return types
