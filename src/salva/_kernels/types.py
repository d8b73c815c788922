"""Properties that depend only on the word: its lower case, case pattern, length and composition."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.casing import AS_LOWER, Casing, change_case, find_pattern
from salva._kernels.characters import ALPHA, UNSPACED, Characters, flags_at, width
from salva._kernels.jit import kernel, step
from salva._types import Bytes, Ints8, Ints32, Ints64

ALL_LETTERS = 1  # as in `str.isalpha`
HAS_LETTER = 2  # of a script with spaces between words


class TypeTable(NamedTuple):
    """The type of every token, and the number of code points and composition of every type."""

    numbers: Ints32
    lengths: Ints32
    made_of: Bytes


@step
def describe_word(characters: Characters, data: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Return the number of code points of a word, and its composition."""
    length = 0
    made_of = ALL_LETTERS
    i = start
    while i < stop:
        flags = flags_at(characters, data, i)
        if not flags & ALPHA:
            made_of &= ~ALL_LETTERS
        elif not flags & UNSPACED:
            made_of |= HAS_LETTER
        length += 1
        i += width(data[i])
    return length, made_of


@kernel
def describe_words(
    characters: Characters,
    casing: Casing,
    data: Bytes,
    starts: Ints32,
    stops: Ints32,
    patterns: Ints8,
    lengths: Ints32,
    made_of: Bytes,
    out_offsets: Ints64,
    out: Bytes,
) -> None:
    """Describe every word, and write its lower case, one word after another."""
    size = 0
    for word in range(len(starts)):
        start, stop = starts[word], stops[word]
        patterns[word] = find_pattern(characters, data, start, stop)
        lengths[word], made_of[word] = describe_word(characters, data, start, stop)
        out_offsets[word] = size
        size = change_case(characters, casing, AS_LOWER, data, start, stop, size, out)
    out_offsets[len(starts)] = size
