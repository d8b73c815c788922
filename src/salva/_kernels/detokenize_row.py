"""A row of words joined by blanks, in which bytes can be dead: deleted, but still there and skipped."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.characters import NLTK_SPACE, NLTK_WORD, SPACE, Characters, flags_at, start_before, width
from salva._kernels.jit import step
from salva._types import Bytes, Ints64


class Row(NamedTuple):
    """The first `stop` bytes of `data`, which of them are dead, and the positions that rules look at.

    `marks` are punctuation marks; `joints` is white space that may be inside a contraction.
    """

    characters: Characters
    data: Bytes
    dead: Bytes
    marks: Ints64
    joints: Ints64
    stop: int


@step
def forward(row: Row, i: int) -> int:
    """Return the next living byte after `i`, or the end."""
    i += 1
    while i < row.stop and row.dead[i]:
        i += 1
    return i


@step
def back(row: Row, i: int) -> int:
    """Return the living byte before `i`, or -1."""
    i -= 1
    while i >= 0 and row.dead[i]:
        i -= 1
    return i


@step
def space_before(row: Row, i: int) -> int:
    """Return where the white space character before byte `i` begins; -1 if there is another character."""
    i = back(row, i)
    if i < 0:
        return -1
    start = i if row.data[i] < 0x80 else start_before(row.data, i + 1)
    return start if flags_at(row.characters, row.data, start) & NLTK_SPACE else -1


@step
def is_space(row: Row, i: int) -> bool:
    """Return whether white space begins at byte `i`."""
    return i < row.stop and flags_at(row.characters, row.data, i) & NLTK_SPACE != 0


@step
def kill(row: Row, i: int) -> None:
    """Delete the character at byte `i`."""
    for k in range(i, i + width(row.data[i])):
        row.dead[k] = 1


@step
def is_twice(row: Row, i: int) -> bool:
    """Return whether the byte at `i` occurs twice in a row."""
    after = forward(row, i)
    return after < row.stop and row.data[after] == row.data[i]


@step
def word_ends(row: Row, i: int) -> bool:
    """Return whether no word continues at byte `i`."""
    i = forward(row, i - 1)
    return i >= row.stop or not flags_at(row.characters, row.data, i) & NLTK_WORD


@step
def strip(row: Row) -> None:
    """Delete white space at both ends."""
    i = forward(row, -1)
    while i < row.stop and flags_at(row.characters, row.data, i) & SPACE:
        kill(row, i)
        i = forward(row, i)
    i = back(row, row.stop)
    while i >= 0:
        start = start_before(row.data, i + 1)
        if not flags_at(row.characters, row.data, start) & SPACE:
            break
        kill(row, start)
        i = back(row, start)
