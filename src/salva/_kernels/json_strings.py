"""JSON strings as bytes: decoded and encoded."""

from __future__ import annotations

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.scanning import EIGHT, ONES, control_bytes, find_byte, first_byte, zero_bytes
from salva._kernels.strings import copy_bytes, eight_bytes
from salva._types import Bools, Bytes, Ints64

U64 = np.uint64
ODD = -1
SPACE, QUOTE, BACKSLASH, ZERO, NINE, SMALL_N, SMALL_U = 32, 34, 92, 48, 57, 110, 117
_CASE = 32
_NAMED = (98, 116, 110, 0, 102, 114)  # letters of the escapes of the characters 8 to 13; 11 has none
_NULL = (110, 117, 108, 108)
_QUOTES, _BACKSLASHES = U64(QUOTE) * ONES, U64(BACKSLASH) * ONES


@step
def byte_at(data: Bytes, place: int, end: int) -> int:
    """Return the byte at a place, 0 at the end of the line."""
    return data[place] if place < end else 0


@step
def hex_digit(byte: int) -> int:
    """Return the value of a hexadecimal digit, or -1."""
    number = np.int64(byte)
    if ZERO <= number <= NINE:
        return number - ZERO
    letter = number | _CASE
    return letter - 97 + 10 if 97 <= letter <= 102 else ODD


@step
def hex_number(data: Bytes, place: int, end: int) -> int:
    """Return the number that four hexadecimal digits stand for, or -1."""
    number = 0
    if place + 4 > end:
        return ODD
    for k in range(4):
        digit = hex_digit(data[place + k])
        if digit < 0:
            return ODD
        number = number * 16 + digit
    return number


@step
def code_point(data: Bytes, place: int, end: int) -> int:
    """Return the character of a numeric escape, or of two that are a surrogate pair, or -1."""
    high = hex_number(data, place + 2, end)
    if high < 0xD800 or high > 0xDFFF:
        return high
    if (
        high > 0xDBFF
        or byte_at(data, place + 6, end) != BACKSLASH
        or byte_at(data, place + 7, end) != SMALL_U
    ):
        return ODD
    low = hex_number(data, place + 8, end)
    if low < 0xDC00 or low > 0xDFFF:
        return ODD
    return 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00


@step
def plain_escape(letter: int) -> int:
    """Return the character that the letter of an escape stands for."""
    if letter == 98:
        return 8
    if letter == 116:
        return 9
    if letter == 110:
        return 10
    if letter == 102:
        return 12
    return 13 if letter == 114 else letter


@step
def read_escape(data: Bytes, place: int, end: int) -> tuple[int, int]:
    """Return the character of the escape at a place, -1 for half a surrogate pair, and where it ends."""
    if data[place + 1] != SMALL_U:
        return np.int64(plain_escape(data[place + 1])), place + 2
    code = np.int64(code_point(data, place, end))
    return code, place + (12 if code >= 0x10000 else 6)


@step
def utf8_size(code: int) -> int:
    """Return how many bytes a character takes."""
    return 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000)


@step
def decoded_size(data: Bytes, place: int, end: int) -> int:
    """Return the size of a string without its escapes; -1 if it has half a surrogate pair."""
    size = end - place
    place = find_byte(data, place, end, BACKSLASH)
    while place < end:
        code, after = read_escape(data, place, end)
        if code < 0:
            return ODD
        size += utf8_size(code) - (after - place)
        place = find_byte(data, after, end, BACKSLASH)
    return size


@step
def put_code(code: int, size: int, out: Bytes) -> int:
    """Write a character as UTF-8; return the end."""
    length = utf8_size(code)
    if length == 1:
        out[size] = code
        return size + 1
    for k in range(length - 1, 0, -1):
        out[size + k] = 0x80 | (code & 0x3F)
        code >>= 6
    out[size] = ((0xF00 >> length) & 0xFF) | code
    return size + length


@step
def decode_string(data: Bytes, place: int, end: int, size: int, out: Bytes) -> int:
    """Write a string without its escapes; return the end."""
    while True:
        escape = find_byte(data, place, end, BACKSLASH)
        size = copy_bytes(data, place, escape, size, out)
        if escape == end:
            return size
        code, place = read_escape(data, escape, end)
        size = put_code(code, size, out)


@kernel
def measure_values(data: Bytes, starts: Ints64, stops: Ints64, offsets: Ints64, valid: Bools) -> int:
    """Fill the offsets of values as texts, and which are there and not null; a start of -1 is not there.

    Returns the first row with half a surrogate pair, or -1.
    """
    offsets[0] = 0
    for row in range(len(starts)):
        start, stop = starts[row], stops[row]
        valid[row] = start >= 0 and data[start] != SMALL_N
        size = stop - start if valid[row] else 0
        if valid[row] and data[start] == QUOTE:
            size = decoded_size(data, start + 1, stop - 1)
        if size < 0:
            return row
        offsets[row + 1] = offsets[row] + size
    return ODD


@kernel
def decode_values(
    data: Bytes, starts: Ints64, stops: Ints64, valid: Bools, offsets: Ints64, out: Bytes
) -> None:
    """Write strings without their quotes and escapes, other values as they are, and nothing for null."""
    for row in range(len(starts)):
        size, start, stop = offsets[row], starts[row], stops[row]
        if valid[row] and data[start] == QUOTE:
            # An escape is longer than what it stands for.
            if offsets[row + 1] - size == stop - start - 2:
                copy_bytes(data, start + 1, stop - 1, size, out)
            else:
                decode_string(data, start + 1, stop - 1, size, out)
        elif valid[row]:
            copy_bytes(data, start, stop, size, out)


@step
def skip_characters(data: Bytes, place: int, end: int) -> int:
    """Return the next quote, backslash or control character of a string, or the end."""
    while place + EIGHT <= len(data) and place < end:
        bits = eight_bytes(data, U64(place))
        found = zero_bytes(bits ^ _QUOTES) | zero_bytes(bits ^ _BACKSLASHES) | control_bytes(bits)
        if found != U64(0):
            return min(place + first_byte(found), end)
        place += EIGHT
    while place < end and data[place] != QUOTE and data[place] != BACKSLASH and data[place] >= SPACE:
        place += 1
    return min(place, end)


@step
def escape_size(byte: int) -> int:
    """Return how many bytes a character takes that must be escaped."""
    named = byte in (QUOTE, BACKSLASH) or (8 <= byte <= 13 and byte != 11)
    return 2 if named else 6


@kernel
def measure_strings(data: Bytes, offsets: Ints64, valid: Bools, ends: Ints64) -> None:
    """Fill the offsets of texts as JSON: strings in quotes, or null."""
    ends[0] = 0
    for row in range(len(valid)):
        place, stop = offsets[row], offsets[row + 1]
        size = stop - place + 2 if valid[row] else 4
        place = skip_characters(data, place, stop)
        while place < stop:
            size += escape_size(data[place]) - 1
            place = skip_characters(data, place + 1, stop)
        ends[row + 1] = ends[row] + size


@step
def put_escape(byte: int, size: int, out: Bytes) -> int:
    """Write a character that must be escaped; return the end."""
    out[size] = BACKSLASH
    if byte in (QUOTE, BACKSLASH):
        out[size + 1] = byte
        return size + 2
    if 8 <= byte <= 13 and byte != 11:
        out[size + 1] = _NAMED[byte - 8]
        return size + 2
    out[size + 1] = SMALL_U
    out[size + 2] = out[size + 3] = ZERO
    out[size + 4] = ZERO + (byte >> 4)
    low = byte & 15
    out[size + 5] = ZERO + low if low < 10 else 87 + low
    return size + 6


@step
def encode_string(data: Bytes, place: int, stop: int, size: int, out: Bytes) -> int:
    """Write a text as a JSON string; return the end."""
    out[size] = QUOTE
    size += 1
    while True:
        special = skip_characters(data, place, stop)
        size = copy_bytes(data, place, special, size, out)
        if special == stop:
            break
        size = put_escape(data[special], size, out)
        place = special + 1
    out[size] = QUOTE
    return size + 1


@kernel
def encode_strings(data: Bytes, offsets: Ints64, valid: Bools, out: Bytes) -> None:
    """Write texts as JSON: strings in quotes, or null."""
    size = 0
    for row in range(len(valid)):
        if valid[row]:
            size = encode_string(data, offsets[row], offsets[row + 1], size, out)
        else:
            for k in range(4):
                out[size + k] = _NULL[k]
            size += 4
