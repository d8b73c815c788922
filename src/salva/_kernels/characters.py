"""Properties of characters: UTF-8 decoded in place, and one set of flags per code point.

The tables come from `lexicon` and are frozen at one Unicode version, so that no result depends on the
installed Python or on other libraries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._kernels.jit import kernel, step
from salva._types import Bools, Bytes, Ints64

# `re` and `str` agree on which characters are spaces or parts of words; `regex`, which NLTK 3.10 uses,
# differs a little: it does not count U+001C to U+001F as spaces, and counts combining marks, joiners and
# connectors as parts of words.
SPACE = 1
NLTK_SPACE = 2
WORD = 4
NLTK_WORD = 8
DECIMAL = 16
DIGIT = 32
UPPER = 64
LOWER = 128
TITLE = 256
CASED = 512
CASE_IGNORABLE = 1024
ALPHA = 2048
ASSIGNED = 4096  # in the frozen Unicode version
JOINING = 8192  # readers see it as part of the preceding character
UNSPACED = 16384  # belongs to a script written without spaces between words
LEADING = 32768  # readers see it as part of the following character


APOSTROPHE = ord("'")
LONG_S, DOTTED_I, DOTLESS_I = 0x17F, 0x130, 0x131


class Characters(NamedTuple):
    """Flags of every code point: `flags[pages[point >> 8] << 8 | point & 255]`."""

    pages: Bytes
    flags: NDArray[np.uint16]


def bytes_in(characters: str) -> Bools:
    """Return which of the 256 bytes are among the given ASCII characters."""
    return np.isin(np.arange(256), np.frombuffer(characters.encode("ascii"), np.uint8))


@step
def width(lead: int) -> int:
    """Return how many bytes a character has, given its first byte."""
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@step
def decode(data: Bytes, i: int) -> int:
    """Return the code point that begins at byte `i`."""
    lead = np.int64(data[np.uint64(i)])  # unsigned: numba checks whether a signed index counts from the end
    if lead < 0x80:
        return lead
    point = lead & 0x1F if lead < 0xE0 else lead & 0x0F if lead < 0xF0 else lead & 0x07
    for k in range(i + 1, i + width(lead)):
        point = point << 6 | np.int64(data[np.uint64(k)] & 0x3F)
    return point


@step
def write_point(point: int, size: int, out: Bytes) -> int:
    """Write a code point at `size`; return the end."""
    if point < 0x80:
        out[size] = point
        return size + 1
    count = 2 if point < 0x800 else 3 if point < 0x10000 else 4
    for k in range(count - 1, 0, -1):
        out[size + k] = 0x80 | (point & 0x3F)
        point >>= 6
    out[size] = (0xF00 >> count & 0xFF) | point
    return size + count


@step
def flags_of(characters: Characters, point: int) -> int:
    """Return the flags of a code point."""
    page = np.int64(characters.pages[np.uint64(point >> 8)])
    return np.int64(characters.flags[np.uint64(page << 8 | (point & 255))])


@step
def flags_at(characters: Characters, data: Bytes, i: int) -> int:
    """Return the flags of the character that begins at byte `i`."""
    return flags_of(characters, decode(data, i))


@step
def start_before(data: Bytes, i: int) -> int:
    """Return where the character that ends before byte `i` begins."""
    i -= 1
    while data[i] & 0xC0 == 0x80:
        i -= 1
    return i


@step
def flags_before(characters: Characters, data: Bytes, i: int) -> int:
    """Return the flags of the character that ends before byte `i`."""
    return flags_of(characters, decode(data, start_before(data, i)))


@step
def is_ascii(data: Bytes, start: int, stop: int) -> bool:
    """Return whether every character of a byte range is one byte long."""
    seen = np.uint8(0)
    for i in range(np.uint64(start), np.uint64(stop)):  # unsigned, so that the compiler vectorises the loop
        seen |= data[i]
    return seen < 0x80


@step
def folds_to(data: Bytes, i: int, stop: int, letter: int, dotless: bool) -> int:
    """Return how many bytes at `i` equal a lower-case letter, ignoring case; 0 if they differ.

    Python's `re` matches a dotless i as an i, `regex` does not.
    """
    if i >= stop:
        return 0
    if data[i] == letter or (data[i] == letter ^ 32 and letter != APOSTROPHE):
        return 1
    if data[i] < 0x80:
        return 0
    point = decode(data, i)
    if letter == ord("i"):
        return 2 if point == DOTTED_I or (dotless and point == DOTLESS_I) else 0
    return 2 if letter == ord("s") and point == LONG_S else 0


@kernel
def code_points(
    data: Bytes,
    row_starts: Ints64,
    rows: Ints64,
    places: Ints64,
    out: Ints64,
) -> None:
    """Convert ascending byte positions in each row to code points from the start of the row."""
    for row in range(len(rows) - 1):
        i = row_starts[row]
        if is_ascii(data, i, row_starts[row + 1]):
            for k in range(rows[row], rows[row + 1]):
                out[k] = places[k] - i
            continue
        point = 0
        for k in range(rows[row], rows[row + 1]):
            while i < places[k]:
                point += data[i] & 0xC0 != 0x80
                i += 1
            out[k] = point
