"""Wrong keys: letters of a word that have neighbours on a keyboard, and the word with some of them typed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._kernels.characters import JOINING, UPPER, Bytes, Characters, decode, flags_at, width
from salva._kernels.jit import step
from salva._kernels.rng import bounded

__all__ = ["NO_KEY", "Keyboard", "key_at", "write_letter", "write_neighbour"]

NO_KEY = -1
_KELVIN = 0x212A  # the one character beside A to Z whose small letter is one of a to z


class Keyboard(NamedTuple):
    """The key of every ASCII character, NO_KEY if it has no neighbours; the neighbours of the keys a to z."""

    keys: NDArray[np.int8]
    neighbours: Bytes
    counts: NDArray[np.int64]


@step
def key_at(characters: Characters, keyboard: Keyboard, data: Bytes, i: int, stop: int, whole: bool) -> int:
    """Return the key of the letter at byte `i` if it has neighbours.

    With `whole` a letter that carries a mark has none, so that no mark gets another letter.
    """
    if data[i] < 0x80:
        key = np.int64(keyboard.keys[data[i]])
    else:
        key = np.int64(keyboard.keys[ord("k")]) if decode(data, i) == _KELVIN else NO_KEY
    if key == NO_KEY or not whole:
        return key
    after = i + width(data[i])
    if after < stop and data[after] >= 0x80 and flags_at(characters, data, after) & JOINING:
        return NO_KEY
    return key


@step
def write_letter(characters: Characters, data: Bytes, i: int, letter: int, size: int, out: Bytes) -> int:
    """Write one of a to z in the case of the character at byte `i`; return the end."""
    capital = data[i] & 32 == 0 if data[i] < 0x80 else flags_at(characters, data, i) & UPPER != 0
    out[size] = letter - 32 if capital else letter
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
    letter = np.int64(keyboard.neighbours[key, bounded(bits, keyboard.counts[key])])
    return write_letter(characters, data, i, letter, size, out)
