"""Lines of JSON objects copied with their texts as `encode_strings` writes them, and the rest as it is."""

from __future__ import annotations

from salva._kernels.jit import kernel, step
from salva._kernels.json_lines import LF, Keys, find_line_values, skip_blanks
from salva._kernels.json_strings import (
    BACKSLASH,
    ODD,
    QUOTE,
    SMALL_N,
    SPACE,
    put_code,
    put_escape,
    read_escape,
)
from salva._kernels.scanning import find_byte
from salva._kernels.strings import copy_bytes
from salva._types import Bytes, Ints64, Uints64


@step
def put_character(code: int, size: int, out: Bytes) -> int:
    """Write a character of a JSON string, escaped only if it must be; return the end."""
    if code < SPACE or code in (QUOTE, BACKSLASH):
        return put_escape(code, size, out)
    return put_code(code, size, out)


@step
def copy_string(data: Bytes, place: int, end: int, size: int, out: Bytes) -> int:
    """Write a JSON string, without its quotes; return the end, or -1 if it has half a surrogate pair.

    It never becomes longer.
    """
    while True:
        escape = find_byte(data, place, end, BACKSLASH)
        size = copy_bytes(data, place, escape, size, out)
        if escape == end:
            return size
        code, place = read_escape(data, escape, end)
        if code < 0:
            return ODD
        size = put_character(code, size, out)


@step
def next_text(place: int, texts: int, starts: Ints64) -> int:
    """Return which text of a line comes next after a place."""
    found = 0
    for text in range(1, texts):
        if starts[text] >= place and (starts[found] < place or starts[text] < starts[found]):
            found = text
    return found


@step
def copy_line(
    data: Bytes, place: int, end: int, texts: int, starts: Ints64, stops: Ints64, size: int, out: Bytes
) -> int:
    """Write a line; return the end, or -1 if a text is missing, or is neither null nor a whole string."""
    for text in range(texts):
        if starts[text] < 0:
            return ODD
    for _ in range(texts):
        text = next_text(place, texts, starts)
        first = starts[text]
        size = copy_bytes(data, place, first + 1, size, out)
        place = first + 1
        if data[first] == QUOTE:
            size = copy_string(data, place, stops[text] - 1, size, out)
            place = stops[text] - 1
            if size < 0:
                return ODD
        elif data[first] != SMALL_N:
            return ODD
    size = copy_bytes(data, place, end, size, out)
    out[size] = LF
    return size + 1


@kernel
def copy_lines(
    data: Bytes,
    place: int,
    keys: Keys,
    hashes: Uints64,
    starts: Ints64,
    stops: Ints64,
    offsets: Ints64,
    out: Bytes,
) -> tuple[int, int]:
    """Write lines until one is odd; return their number and where that one begins.

    `starts` and `stops` have room for the values of one line. All lines together become at most one byte
    longer: the end of the last line.
    """
    count, size = 0, 0
    offsets[0] = 0
    while place < len(data) and count < len(offsets) - 1:
        first = skip_blanks(data, place, len(data))
        if first == len(data) or data[first] == LF:
            place = min(first + 1, len(data))
            continue
        starts[:] = ODD
        end = find_line_values(data, first, len(data), keys, hashes, starts, stops).end
        if end < 0 or (end < len(data) and data[end] != LF):
            break
        after = copy_line(data, place, end, keys.texts, starts, stops, size, out)
        if after < 0:
            break
        size = after
        count += 1
        offsets[count] = size
        place = min(end + 1, len(data))
    return count, place
