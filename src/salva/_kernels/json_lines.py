"""Lines of JSON objects as bytes: where the values of some keys are, if nothing about a line is odd.

What is refused here may still be JSON: such a line is parsed again by Python, which also knows what is wrong
with it. What is accepted here is what Python's parser accepts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.json_strings import (
    BACKSLASH,
    NINE,
    ODD,
    QUOTE,
    SMALL_N,
    SMALL_U,
    SPACE,
    ZERO,
    byte_at,
    decoded_size,
    hex_number,
    skip_characters,
)
from salva._kernels.strings import copy_bytes
from salva._types import Bytes, Ints64, Uints64

U64 = np.uint64
LF, CR, TAB = 10, 13, 9
COMMA, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST = 44, 58, 123, 125, 91, 93
MINUS, PLUS, POINT, SMALL_E = 45, 43, 46, 101
_CASE, _ONE, _PRIME = 32, U64(1), U64(0x100000001B3)
_ESCAPED = (QUOTE, BACKSLASH, 47, 98, 102, 110, 114, 116)  # quote, backslash, slash, b, f, n, r, t
MOST_DEPTH = 60  # kinds of open brackets are kept in the bits of one number
MOST_DIGITS = 4_000  # Python refuses to read longer whole numbers


class Keys(NamedTuple):
    """The wanted keys as bytes, the texts first, and how many are texts."""

    data: Bytes
    offsets: Ints64
    texts: int


class Values(NamedTuple):
    """Where lines begin and end, and the values in them: one row per line, one column per wanted key.

    The sizes are those of the texts once they are decoded, -1 for null.
    """

    lines: Ints64
    ends: Ints64
    starts: Ints64
    stops: Ints64
    sizes: Ints64


class Walked(NamedTuple):
    """How many keys an object has, and the next place after it that is not blank; -1 if it is odd."""

    keys: int
    end: int


@step
def skip_blanks(data: Bytes, place: int, end: int) -> int:
    """Return the next place that is not blank."""
    while place < end and (data[place] == SPACE or data[place] == TAB or data[place] == CR):
        place += 1
    return place


@step
def skip_escape(data: Bytes, place: int, end: int) -> int:
    """Return the end of the escape whose backslash is at a place, or -1."""
    letter = byte_at(data, place + 1, end)
    if letter == SMALL_U:
        return place + 6 if hex_number(data, place + 2, end) >= 0 else ODD
    return place + 2 if letter in _ESCAPED else ODD


@step
def skip_string(data: Bytes, place: int, end: int) -> int:
    """Return the end of the string whose opening quote is at a place, or -1."""
    place = skip_characters(data, place + 1, end)
    while place < end and data[place] == BACKSLASH:
        after = skip_escape(data, place, end)
        if after < 0:
            return ODD
        place = skip_characters(data, after, end)
    return place + 1 if place < end and data[place] == QUOTE else ODD


@step
def skip_digits(data: Bytes, place: int, end: int) -> int:
    """Return the end of one or more digits, or -1."""
    first = place
    while place < end and ZERO <= data[place] <= NINE:
        place += 1
    return place if place > first else ODD


@step
def skip_number(data: Bytes, place: int, end: int) -> int:
    """Return the end of a number, or -1."""
    first = place
    place += byte_at(data, place, end) == MINUS
    zero = byte_at(data, place, end) == ZERO
    place = skip_digits(data, place, end) if not zero else place + 1
    if place >= 0 and byte_at(data, place, end) == POINT:
        place = skip_digits(data, place + 1, end)
    if place >= 0 and byte_at(data, place, end) | _CASE == SMALL_E:
        sign = byte_at(data, place + 1, end)
        place = skip_digits(data, place + 1 + (sign in (PLUS, MINUS)), end)
    return place if place - first <= MOST_DIGITS else ODD


@step
def skip_word(data: Bytes, place: int, end: int) -> int:
    """Return the end of true, false or null, or -1."""
    first = byte_at(data, place, end)
    word, size = U64(0x65757274), 4  # true, from its last letter to its first
    if first == SMALL_N:
        word = U64(0x6C6C756E)
    elif first == 102:
        word, size = U64(0x65736C6166), 5
    if place + size > end:
        return ODD
    for k in range(size):
        if data[place + k] != (word >> U64(8 * k)) & U64(0xFF):
            return ODD
    return place + size


@step
def skip_single(data: Bytes, place: int, end: int) -> int:
    """Return the end of a value that is neither a list nor an object, or -1."""
    first = byte_at(data, place, end)
    if first == QUOTE:
        return skip_string(data, place, end)
    if first == MINUS or ZERO <= first <= NINE:
        return skip_number(data, place, end)
    return skip_word(data, place, end)


@step
def skip_key(data: Bytes, place: int, end: int) -> int:
    """Return where the value of the key at a place begins, or -1."""
    if byte_at(data, place, end) != QUOTE:
        return ODD
    place = skip_string(data, place, end)
    if place < 0:
        return ODD
    place = skip_blanks(data, place, end)
    return skip_blanks(data, place + 1, end) if byte_at(data, place, end) == COLON else ODD


@step
def leave_brackets(
    data: Bytes, place: int, end: int, depth: int, objects: np.uint64
) -> tuple[int, int, np.uint64]:
    """Leave brackets that close at a place; return where the next value begins, or -1, and what is open."""
    while depth:
        place = skip_blanks(data, place, end)
        byte, in_object = byte_at(data, place, end), objects & _ONE
        if byte == COMMA:
            place = skip_blanks(data, place + 1, end)
            return (skip_key(data, place, end) if in_object else place), depth, objects
        if byte != (CLOSE if in_object else CLOSE_LIST):
            return ODD, depth, objects
        depth -= 1
        objects >>= _ONE
        place += 1
    return place, depth, objects


@step
def skip_value(data: Bytes, place: int, end: int) -> int:
    """Return the end of a value, or -1; `objects` has one bit per open bracket, 1 for an object."""
    depth, objects = 0, U64(0)
    while place >= 0:
        first = byte_at(data, place, end)
        if first in (OPEN, OPEN_LIST):
            if depth == MOST_DEPTH:
                return ODD
            depth += 1
            objects = (objects << _ONE) | U64(first == OPEN)
            place = skip_blanks(data, place + 1, end)
            if byte_at(data, place, end) != first + 2:  # not empty: both brackets close two codes later
                place = skip_key(data, place, end) if first == OPEN else place
                continue
        else:
            place = skip_single(data, place, end)
        if place >= 0:
            place, depth, objects = leave_brackets(data, place, end, depth, objects)
        if depth == 0:
            return place
    return ODD


@step
def plain_key(data: Bytes, place: int, end: int) -> tuple[int, np.uint64]:
    """Return the closing quote of a key without escapes, or -1, and the hash of the key."""
    state = U64(0)
    if byte_at(data, place, end) != QUOTE:
        return ODD, state
    place += 1
    while place < end and data[place] != QUOTE:
        if data[place] == BACKSLASH or data[place] < SPACE:
            return ODD, state
        state = (state ^ U64(data[place])) * _PRIME
        place += 1
    return (place if place < end else ODD), state


@step
def wanted_number(data: Bytes, start: int, stop: int, keys: Keys) -> int:
    """Return the number of a key among the wanted keys, or -1."""
    for number in range(len(keys.offsets) - 1):
        first = keys.offsets[number]
        if keys.offsets[number + 1] - first == stop - start:
            k = 0
            while k < stop - start and data[start + k] == keys.data[first + k]:
                k += 1
            if k == stop - start:
                return number
    return ODD


@step
def is_new(state: np.uint64, count: int, hashes: Uints64) -> bool:
    """Note the hash of a key; return whether no earlier key of the line has it."""
    if count >= len(hashes):
        return False
    for i in range(count):
        if hashes[i] == state:
            return False
    hashes[count] = state
    return True


@step
def find_line_values(
    data: Bytes, place: int, end: int, keys: Keys, hashes: Uints64, starts: Ints64, stops: Ints64
) -> Walked:
    """Note the values of the object at a place, or before the end if only blanks come first.

    It is on one line: nothing that is accepted contains a line feed. So nobody has to look for one before.
    """
    place = skip_blanks(data, place, end)
    if byte_at(data, place, end) != OPEN:
        return Walked(ODD, ODD)
    place, count = skip_blanks(data, place + 1, end), 0
    more = byte_at(data, place, end) != CLOSE
    while more:
        place = skip_blanks(data, place, end)
        stop, state = plain_key(data, place, end)
        if stop < 0 or not is_new(state, count, hashes):
            return Walked(ODD, ODD)
        count += 1
        number = wanted_number(data, place + 1, stop, keys)
        place = skip_blanks(data, stop + 1, end)
        if byte_at(data, place, end) != COLON:
            return Walked(ODD, ODD)
        place = skip_blanks(data, place + 1, end)
        after = skip_value(data, place, end)
        if after < 0:
            return Walked(ODD, ODD)
        if number >= 0:
            starts[number], stops[number] = place, after
        place = skip_blanks(data, after, end)
        more = byte_at(data, place, end) == COMMA
        if not more and byte_at(data, place, end) != CLOSE:
            return Walked(ODD, ODD)
        place += more
    return Walked(count, skip_blanks(data, place + 1, end))


@step
def measure_texts(data: Bytes, starts: Ints64, stops: Ints64, sizes: Ints64) -> bool:
    """Note the sizes of the texts of a line.

    Return whether all are there, and strings without half a surrogate pair, or null.
    """
    for text in range(len(sizes)):
        start = starts[text]
        if start < 0 or (data[start] != QUOTE and data[start] != SMALL_N):
            return False
        sizes[text] = ODD
        if data[start] == QUOTE:
            sizes[text] = decoded_size(data, start + 1, stops[text] - 1)
            if sizes[text] < 0:
                return False
    return True


@kernel
def find_values(data: Bytes, place: int, keys: Keys, hashes: Uints64, values: Values) -> tuple[int, int]:
    """Note the values of all lines until one is odd; return their number and where that one begins."""
    count = 0
    while place < len(data) and count < len(values.lines):
        end = skip_blanks(data, place, len(data))
        if end < len(data) and data[end] != LF:
            starts, stops = values.starts[count], values.stops[count]
            starts[:] = ODD
            stops[:] = ODD
            end = find_line_values(data, end, len(data), keys, hashes, starts, stops).end
            if end < 0 or (end < len(data) and data[end] != LF):
                break
            if not measure_texts(data, starts, stops, values.sizes[count]):
                break
            values.lines[count], values.ends[count] = place, end
            count += 1
        place = min(end + 1, len(data))
    return count, place


@kernel
def split_lines(
    data: Bytes, offsets: Ints64, row: int, keys: Keys, hashes: Uints64, starts: Ints64, stops: Ints64
) -> int:
    """Note all values of lines until one is odd or has another key; return the row of that one.

    `starts` and `stops` have one row per line and one column per key, and are -1 before.
    """
    while row < len(offsets) - 1:
        stop = offsets[row + 1]
        found, end = find_line_values(data, offsets[row], stop, keys, hashes, starts[row], stops[row])
        if end != stop:
            break
        for key in range(starts.shape[1]):
            found -= starts[row, key] >= 0
        if found:
            break
        row += 1
    return row


class Insertions(NamedTuple):
    """Columns of JSON to put into lines, what precedes each, and where; -1 is the end of the object."""

    data: Bytes
    offsets: Ints64
    prefixes: Bytes
    prefix_offsets: Ints64
    starts: Ints64
    stops: Ints64


@step
def last_brace(data: Bytes, start: int, stop: int) -> int:
    """Return where the object of a line ends."""
    place = stop - 1
    while place > start and data[place] != CLOSE:
        place -= 1
    return place


@step
def sort_places(row: int, starts: Ints64, order: Ints64) -> None:
    """Sort the columns of a row by where they go; those for the end of the object come last, as given."""
    for k in range(len(order)):
        place, i = starts[k, row], k
        while i > 0 and place >= 0 and (starts[order[i - 1], row] > place or starts[order[i - 1], row] < 0):
            order[i] = order[i - 1]
            i -= 1
        order[i] = k


@kernel
def splice_lines(lines: Bytes, line_offsets: Ints64, new: Insertions, order: Ints64, out: Bytes) -> None:
    """Write lines with columns of JSON put into them."""
    size = 0
    for row in range(len(line_offsets) - 1):
        line, end = line_offsets[row], line_offsets[row + 1]
        place = line
        sort_places(row, new.starts, order)
        for i in range(len(order)):
            k = order[i]
            at_end = new.starts[k, row] < 0
            start = last_brace(lines, line, end) if at_end else line + new.starts[k, row]
            size = copy_bytes(lines, place, start, size, out)
            size = copy_bytes(new.prefixes, new.prefix_offsets[k], new.prefix_offsets[k + 1], size, out)
            size = copy_bytes(new.data, new.offsets[k, row], new.offsets[k, row + 1], size, out)
            place = start if at_end else line + new.stops[k, row]
        size = copy_bytes(lines, place, end, size, out)
        out[size] = LF
        size += 1
