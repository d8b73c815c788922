"""Words that may stand for a word, and edits: the arrays that all plans fill."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._kernels.characters import Bytes
from salva._kernels.jit import step
from salva._kernels.rng import bounded
from salva._kernels.spans import copy_bytes

__all__ = [
    "PATTERNS",
    "Choices",
    "EditsOut",
    "Pool",
    "Tally",
    "Tokens",
    "add_word",
    "how_many",
    "pick",
]

Ints64 = NDArray[np.int64]
Ints32 = NDArray[np.int32]

PATTERNS = 4


class Tokens(NamedTuple):
    """The tokens of some rows: those of row `i` are `rows[i]` to `rows[i + 1]`; places are bytes of `data`.

    What is `blocked` is not touched.
    """

    data: Bytes
    rows: Ints64
    starts: Ints32
    stops: Ints32
    blocked: Bytes
    keys: NDArray[np.uint64]


class Choices(NamedTuple):
    """Lists of words a type: list `k` of type `t` is `values[starts[n]:starts[n + 1]]`, `n = entries[t] + k`.

    A value is the number of a word; one that stands twice is chosen twice as often. In a `Pool` the `count`
    words begin at `first`, in small letters, then as titles, in capitals, and as they are.
    """

    entries: Ints32
    starts: Ints64
    values: Ints32
    first: int
    count: int


class Pool(NamedTuple):
    """Words to put into texts, in all case patterns: to write one is to copy it."""

    data: Bytes
    offsets: Ints64


class EditsOut(NamedTuple):
    """Room for edits: the token, the rule, and the new word, `new[offsets[i]:offsets[i + 1]]`."""

    tokens: Ints64
    rules: Bytes
    offsets: Ints64
    new: Bytes


class Tally(NamedTuple):
    """Counts: eligible words a row; and words, eligible words and edits a part of speech."""

    eligible: Ints32
    classes: NDArray[np.int64]


@step
def how_many(choices: Choices, kind: int, which: int) -> int:
    """Return how many words a list of a type has."""
    entry = choices.entries[kind] + which
    return choices.starts[entry + 1] - choices.starts[entry]


@step
def pick(choices: Choices, kind: int, which: int, pattern: int, bits: np.uint64) -> int:
    """Return where in the pool a word of a list stands in a case pattern, by a draw."""
    entry = choices.entries[kind] + which
    first = choices.starts[entry]
    word = choices.values[first + bounded(bits, choices.starts[entry + 1] - first)]
    return choices.first + np.int64(pattern) * choices.count + word


@step
def add_word(pool: Pool, word: int, size: int, out: Bytes) -> int:
    """Write a word from `size` on; return the end, or -1 if there is no room."""
    start, stop = pool.offsets[word], pool.offsets[word + 1]
    if size + stop - start > len(out):
        return -1
    return copy_bytes(pool.data, start, stop, size, out)
