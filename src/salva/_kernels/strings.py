"""Strings as bytes: copied, compared, searched, and looked up in tables.

Bytes are handled eight or sixteen at a time, because a processor cannot predict where a short loop ends.

String tables use open addressing; a slot holds 64 bits of a string, its head, next to its number plus one.
Half of the slots stay empty. Hashes are seeded with a secret number, so that nobody can write a text whose
words all fall into one slot. Results do not depend on it.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.constants import *
    from salva._kernels.rng import mix

    memcpy = None  # it hides from checks which bytes it touches


@cfunc
@inline
@nogil
def eight_bytes(data: const_u8[::1], place: i64) -> u64:
    """Return eight bytes as a number."""
    k: i64
    bits: u64 = 0
    if CHECKED:
        for k in range(EIGHT):
            bits |= cython.cast(u64, data[place + k]) << (8 * k)
    else:
        memcpy(cython.address(bits), cython.address(data[place]), EIGHT)
    return bits


@cfunc
@inline
@nogil
def put_eight_bytes(bits: u64, place: i64, out: u8[::1]) -> cython.void:
    """Write a number as eight bytes."""
    k: i64
    if CHECKED:
        for k in range(EIGHT):
            out[place + k] = (bits >> (8 * k)) & 0xFF
    else:
        memcpy(cython.address(out[place]), cython.address(bits), EIGHT)


@cfunc
@inline
@nogil
def copy_lane(data: const_u8[::1], place: i64, end: i64, out: u8[::1]) -> cython.void:
    """Copy sixteen bytes; both halves are read first, because `out` may be `data`."""
    left: u64 = eight_bytes(data, place)
    right: u64 = eight_bytes(data, place + EIGHT)
    put_eight_bytes(left, end, out)
    put_eight_bytes(right, end + EIGHT, out)


@cfunc
@inline
@nogil
def copy_bytes(data: const_u8[::1], start: i64, stop: i64, size: i64, out: u8[::1]) -> i64:
    """Copy bytes to `out`, starting at `size`; return the end.

    If there is room, sixteen or more bytes are copied, and later writes overwrite the excess: 3 ns per word
    instead of 25. So `out` must end where the part of another thread begins.
    """
    i: i64
    length: i64 = stop - start
    if start + length + LANE <= len(data) and size + length + LANE <= len(out):
        copy_lane(data, start, size, out)
        i = LANE
        while i < length:
            copy_lane(data, start + i, size + i, out)
            i += LANE
    else:
        for i in range(length):
            out[size + i] = data[start + i]
    return size + length


@final
@dataclass(repr=False, eq=False)
@cclass
class Slots:
    """The slots: the head of a string, next to its number plus one, or 0 if empty."""

    cells: u64[:, ::1]
    secret: u64


@final
@dataclass(repr=False, eq=False)
@cclass
class StringTable:
    """Distinct strings and their slots; string `i` is `data[offsets[i]:offsets[i + 1]]`."""

    data: const_u8[::1]
    offsets: const_i64[::1]
    slots: Slots


@cfunc
@inline
@nogil
def same(left: const_u8[::1], i: i64, right: const_u8[::1], j: i64, size: i64) -> bint:
    """Return whether two byte ranges are equal."""
    k: i64
    for k in range(size):
        if left[i + k] != right[j + k]:
            return False
    return True


@cfunc
@inline
@nogil
def head_of(data: const_u8[::1], start: i64, size: i64, secret: u64) -> u64:
    """Return 64 bits for a string: up to seven bytes, the string and its size; beyond that, a hash.

    Comparing heads first takes 12 ns per word instead of 25.
    """
    k: i64
    bits: u64 = 0
    length: u64 = size
    if size < EIGHT:
        if start + EIGHT <= len(data):
            bits = eight_bytes(data, start)
        else:
            for k in range(size):
                bits |= cython.cast(u64, data[start + k]) << (8 * k)
        kept: u64 = (cython.cast(u64, 1) << (8 * size)) - 1
        return (bits & kept) | (length << 56)
    bits = secret ^ length
    last: i64 = start + size - EIGHT
    while start < last:
        bits = mix(bits ^ eight_bytes(data, start))
        start += EIGHT
    return mix(bits ^ eight_bytes(data, last)) | HASHED


@cfunc
@inline
@nogil
def first_slot(head: u64, slots: Slots) -> i64:
    """Return where to start looking; heads are not evenly distributed, so they are mixed."""
    return cython.cast(i64, mix(head ^ slots.secret) >> 32) & (len(slots.cells) - 1)


@cfunc
@inline
@nogil
def next_slot(slot: i64, slots: Slots) -> i64:
    """Return where to look next."""
    return (slot + 1) & (len(slots.cells) - 1)


@cfunc
@inline
@nogil
def find(table: StringTable, data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return the number of the string that equals `data[start:stop]`, or -1."""
    size: i64 = stop - start
    head: u64 = head_of(data, start, size, table.slots.secret)
    slot: i64 = first_slot(head, table.slots)
    while table.slots.cells[slot, 1]:
        if table.slots.cells[slot, 0] == head:
            number: i64 = cython.cast(i64, table.slots.cells[slot, 1]) - 1
            if head < HASHED:
                return number
            first: i64 = table.offsets[number]
            if table.offsets[number + 1] - first == size and same(table.data, first, data, start, size):
                return number
        slot = next_slot(slot, table.slots)
    return -1


def enter(table: StringTable, first: i64) -> None:
    """Enter the strings of a table, which are distinct, into its slots, starting with number `first`."""
    number: i64
    slots: Slots = table.slots
    with nogil:
        for number in range(first, len(table.offsets) - 1):
            start: i64 = table.offsets[number]
            head: u64 = head_of(table.data, start, table.offsets[number + 1] - start, slots.secret)
            slot: i64 = first_slot(head, slots)
            while slots.cells[slot, 1]:
                slot = next_slot(slot, slots)
            slots.cells[slot, 0] = head
            slots.cells[slot, 1] = number + 1


def find_all(
    table: StringTable, data: const_u8[::1], starts: const_i32[::1], stops: const_i32[::1], out: i32[::1]
) -> None:
    """Fill the number of every range of `data`, -1 for strings that are not in the table."""
    k: i64
    with nogil:
        for k in range(len(starts)):
            out[k] = find(table, data, starts[k], stops[k])


@cfunc
@inline
@nogil
def find_type(
    data: const_u8[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    slots: Slots,
    firsts: i64[::1],
    head: u64,
    token: i64,
) -> i64:
    """Return the slot of the type that equals a token, or the empty slot where it belongs."""
    size: i64 = stops[token] - starts[token]
    slot: i64 = first_slot(head, slots)
    while slots.cells[slot, 1]:
        if slots.cells[slot, 0] == head:
            first: i64 = firsts[cython.cast(i64, slots.cells[slot, 1]) - 1]
            if head < HASHED or (
                stops[first] - starts[first] == size and same(data, starts[first], data, starts[token], size)
            ):
                break
        slot = next_slot(slot, slots)
    return slot


def number_types(
    data: const_u8[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    slots: Slots,
    firsts: i64[::1],
    out: i32[::1],
) -> i64:
    """Give equal strings equal numbers, in order of first occurrence; return how many types there are.

    `firsts` gets the index of each type's first string. Returns -1 if more than half of the slots would be
    used.
    """
    token: i64
    types: i64 = 0
    with nogil:
        for token in range(len(starts)):
            head: u64 = head_of(data, starts[token], stops[token] - starts[token], slots.secret)
            slot: i64 = find_type(data, starts, stops, slots, firsts, head, token)
            if not slots.cells[slot, 1]:
                if 2 * types >= len(slots.cells):
                    types = -1
                    break
                firsts[types] = token
                types += 1
                slots.cells[slot, 0] = head
                slots.cells[slot, 1] = types
            out[token] = cython.cast(i64, slots.cells[slot, 1]) - 1
    return types


@cfunc
@inline
@nogil
def zero_bytes(bits: u64) -> u64:
    """Return a number that is 0 if none of eight bytes is zero."""
    return (bits - ONES) & ~bits & TOPS


@cfunc
@inline
@nogil
def other_bytes(bits: u64) -> u64:
    """Return a number that is 0 if all of eight bytes are letters of ASCII."""
    small: u64 = (bits | BLANKS) & ~TOPS
    return (~(small + FROM_A) | (small + AFTER_Z) | bits) & TOPS


@cfunc
@inline
@nogil
def has_only_letters(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether there are only letters of ASCII; `data` has eight bytes or more after `stop`."""
    others: u64 = 0
    while start + EIGHT < stop:
        others |= other_bytes(eight_bytes(data, start))
        start += EIGHT
    last: u64 = other_bytes(eight_bytes(data, start))
    after: i64 = start + EIGHT - stop  # bytes to shift out
    return (others | ((last << (8 * after)) & ALL_BITS)) == 0


@cfunc
@inline
@nogil
def first_byte(found: u64) -> i64:
    """Return which of eight bytes was found first; `found` is not 0, and only its first bit is exact.

    A product counts the bytes up to that bit.
    """
    bytes_below: u64 = ((found & (~found + 1)) - 1) & ONES
    return cython.cast(i64, ((bytes_below * ONES) & ALL_BITS) >> 56) - 1


@cfunc
@inline
@nogil
def find_byte(data: const_u8[::1], place: i64, end: i64, wanted: i64) -> i64:
    """Return where a byte occurs next, or the end."""
    pattern: u64 = cython.cast(u64, wanted) * ONES
    while place + EIGHT <= len(data) and place < end:
        found: u64 = zero_bytes(eight_bytes(data, place) ^ pattern)
        if found != 0:
            return min(place + first_byte(found), end)
        place += EIGHT
    while place < end and data[place] != wanted:
        place += 1
    return min(place, end)


@cfunc
@inline
@nogil
def find_place(points: const_i32[::1], point: i64) -> i64:
    """Return where a number is, or belongs, among ascending ones."""
    low: i64 = 0
    high: i64 = len(points)
    while low < high:
        middle: i64 = (low + high) >> 1
        if points[middle] < point:
            low = middle + 1
        else:
            high = middle
    return low


def span_bytes(starts: const_i32[::1], stops: const_i32[::1], written: const_u8[::1]) -> i64:
    """Return how many bytes the spans take when they are written out."""
    k: i64
    total: i64 = 0
    with nogil:
        for k in range(len(starts)):
            total += 2 if written[k] else stops[k] - starts[k]
    return total


def write_spans(
    data: const_u8[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    written: const_u8[::1],
    place: i64,
    offsets: i64[::1],
    out: u8[::1],
) -> None:
    """Write spans, one after another, starting at `place`; those that NLTK rewrites become `` or ''."""
    k: i64
    with nogil:
        for k in range(len(starts)):
            offsets[k] = place
            if written[k]:
                out[place] = out[place + 1] = BACKTICK if written[k] == OPEN else APOSTROPHE
                place += 2
            else:
                place = copy_bytes(data, starts[k], stops[k], place, out)
