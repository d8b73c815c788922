"""Wrong letters: neighbours of a letter on a keyboard, and other letters of the same script."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import JOINING, UPPER, Characters, decode, flags_at, width, write_point
from salva._kernels.jit import step
from salva._kernels.rng import bounded
from salva._types import Bytes, Ints16, Ints32, Ints64

NO_KEY = -1


class Keyboard(NamedTuple):
    """The key of every ASCII character and of some `points` in ascending order; NO_KEY has no neighbours.

    Neighbours are code points, in lower and in upper case; `widest` is the most bytes that any of them has.
    """

    keys: Ints16
    points: Ints32
    others: Ints16
    small: Ints32
    capital: Ints32
    counts: Ints64
    widest: int


class Alphabets(NamedTuple):
    """The letters of script `n` are `starts[n]` to `starts[n + 1]`; the first script is a to z.

    A script consists of blocks of code points, from `firsts` to `lasts`, in ascending order.
    """

    firsts: Ints32
    lasts: Ints32
    scripts: Ints64
    starts: Ints64
    small: Ints32
    capital: Ints32


@step
def key_at(characters: Characters, keyboard: Keyboard, data: Bytes, i: int, stop: int, whole: bool) -> int:
    """Return the key of the letter at byte `i` if it has neighbours.

    With `whole`, a letter that carries a mark has none, so that no mark ends up on another letter.
    """
    if data[i] < 0x80:
        key = np.int64(keyboard.keys[data[i]])
    else:
        point = decode(data, i)
        place = np.searchsorted(keyboard.points, point)
        known = place < len(keyboard.points) and keyboard.points[place] == point
        key = np.int64(keyboard.others[place]) if known else NO_KEY
    if key == NO_KEY or not whole:
        return key
    after = i + width(data[i])
    if after < stop and data[after] >= 0x80 and flags_at(characters, data, after) & JOINING:
        return NO_KEY
    return key


@step
def is_capital(characters: Characters, data: Bytes, i: int) -> bool:
    """Return whether the letter at byte `i` is a capital."""
    return data[i] & 32 == 0 if data[i] < 0x80 else flags_at(characters, data, i) & UPPER != 0


@step
def write_letter(characters: Characters, data: Bytes, i: int, letter: int, size: int, out: Bytes) -> int:
    """Write a letter from a to z in the case of the character at byte `i`; return the end."""
    out[size] = letter - 32 if is_capital(characters, data, i) else letter
    return size + 1


@step
def write_neighbour(
    characters: Characters,
    keyboard: Keyboard,
    key: int,
    bits: np.uint64,
    data: Bytes,
    i: int,
    size: int,
    out: Bytes,
) -> int:
    """Write a neighbour of a key in the case of the character at byte `i`; return the end."""
    which = bounded(bits, keyboard.counts[key])
    capital = is_capital(characters, data, i)
    point = keyboard.capital[key, which] if capital else keyboard.small[key, which]
    return write_point(np.int64(point), size, out)


@step
def script_of(alphabets: Alphabets, point: int) -> int:
    """Return the script of a letter; 0 is the script of a to z."""
    block = np.searchsorted(alphabets.lasts, point)
    if block < len(alphabets.lasts) and alphabets.firsts[block] <= point:
        return alphabets.scripts[block]
    return 0


@step
def write_other(
    characters: Characters, alphabets: Alphabets, bits: np.uint64, data: Bytes, i: int, size: int, out: Bytes
) -> int:
    """Write another letter of the script of the letter at byte `i`, in its case; return the end."""
    point = decode(data, i)
    script = script_of(alphabets, point)
    start, stop = alphabets.starts[script], alphabets.starts[script + 1]
    own = stop
    for k in range(start, stop):
        if alphabets.small[k] == point or alphabets.capital[k] == point:
            own = k
    new = start + bounded(bits, stop - start - (own < stop))
    new += new >= own
    capital = is_capital(characters, data, i)
    return write_point(np.int64(alphabets.capital[new] if capital else alphabets.small[new]), size, out)
