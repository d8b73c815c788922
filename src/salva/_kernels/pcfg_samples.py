"""Lines of PCFG SET drawn from its grammar: numbered samples, which of them fill quotas, and their bytes.

The number of a sample determines its tree. So trees are not kept; those that are chosen are drawn again when
they are written. Each sample has its own probabilities of a call and of a function of one argument, like the
samples of the published generator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.rng import below, bounded, draw, mix
from salva._kernels.stages import (
    PCFG_ARITY,
    PCFG_ATTEMPT,
    PCFG_CALL,
    PCFG_FUNCTION,
    PCFG_LETTER,
    PCFG_ORDER,
    PCFG_P_CALL,
    PCFG_P_UNARY,
    PCFG_SAMPLE,
    PCFG_SIZE,
    PCFG_STRING,
)
from salva._types import Bytes, Ints32, Ints64, Uints64

U64 = np.uint64

UNARY, FUNCTIONS = 6, 10

_ELEVEN, _ONE, _GOLDEN = U64(11), U64(1), U64(0x9E3779B97F4A7C15)
_SPACE, _NEWLINE, _COMMA = np.uint8(32), np.uint8(10), np.uint8(44)


class Recipe(NamedTuple):
    """How samples are drawn: a key, and the sizes of strings with their cumulative thresholds."""

    key: np.uint64
    sizes: Ints64
    thresholds: Uints64
    most_depth: int
    most_length: int


class Room(NamedTuple):
    """Space for one sample: pending arguments, counts of strings by size, the letters of one string."""

    pending: Ints64
    counts: Ints64
    letters: Ints64


class Quotas(NamedTuple):
    """The group of every depth and length (-1: none), lines wanted per group, strings left per size."""

    groups: Ints32
    wanted: Ints64
    strings: Ints64


class Words(NamedTuple):
    """The functions, then the symbols: word `i` is `data[offsets[i]:offsets[i + 1]]`."""

    data: Bytes
    offsets: Ints64


@kernel
def fill_draws(key: np.uint64, out: Uints64) -> None:
    """Fill the draws for the numbers from 0."""
    for number in range(len(out)):
        out[number] = draw(key, number, PCFG_SAMPLE)


@kernel
def sample_draws(key: np.uint64, samples: Ints64, out: Uints64) -> None:
    """Fill the draws that order the samples."""
    for k in range(len(samples)):
        out[k] = draw(draw(key, samples[k], PCFG_SAMPLE), 0, PCFG_ORDER)


@step
def node(key: np.uint64, number: int, p_unary: np.uint64, p_call: np.uint64, recipe: Recipe) -> int:
    """Return what a node is: a function, or (from 10 on) a string of some size; the first is a function."""
    if number == 0 or below(draw(key, number, PCFG_CALL), p_call):
        bits = draw(key, number, PCFG_FUNCTION)
        if below(draw(key, number, PCFG_ARITY), p_unary):
            return bounded(bits, UNARY)
        return UNARY + bounded(bits, FUNCTIONS - UNARY)
    bits, size = draw(key, number, PCFG_SIZE) >> _ELEVEN, 0
    while bits >= recipe.thresholds[size]:
        size += 1
    return FUNCTIONS + size


@step
def walk(key: np.uint64, recipe: Recipe, room: Room) -> tuple[int, int]:
    """Return the depth and length of a sample, (0, 0) if it is too large; `room.counts` gets its strings."""
    p_unary, p_call = draw(key, 0, PCFG_P_UNARY) >> _ELEVEN, draw(key, 0, PCFG_P_CALL) >> _ELEVEN
    room.counts[:] = 0
    room.pending[0] = 1
    top, number, depth, length = 1, 0, 0, 0
    while top > 0:
        top -= 1
        at = room.pending[top]
        kind = node(key, number, p_unary, p_call, recipe)
        number += 1
        if kind >= FUNCTIONS:
            room.counts[kind - FUNCTIONS] += 1
            length += recipe.sizes[kind - FUNCTIONS]
        else:
            depth = max(depth, at)
            length += 1 if kind < UNARY else 2
            for _ in range(1 if kind < UNARY else 2):
                room.pending[top] = at + 1
                top += 1
        if depth > recipe.most_depth or length + top > recipe.most_length:
            return 0, 0
    return depth, length


@step
def takes(quotas: Quotas, group: int, counts: Ints64) -> bool:
    """Return whether a sample is wanted; if so, count it."""
    if group < 0 or quotas.wanted[group] == 0:
        return False
    for size in range(len(counts)):
        if counts[size] > quotas.strings[size]:
            return False
    quotas.wanted[group] -= 1
    for size in range(len(counts)):
        quotas.strings[size] -= counts[size]
    return True


@kernel
def fill_quotas(
    recipe: Recipe, first: int, last: int, quotas: Quotas, room: Room, groups: Ints64, out: Ints64
) -> int:
    """Draw samples `first` to `last` and keep those that are wanted, with their groups; return how many."""
    size = 0
    for sample in range(first, last):
        depth, length = walk(draw(recipe.key, sample, PCFG_SAMPLE), recipe, room)
        group = np.int64(quotas.groups[depth, length])
        if takes(quotas, group, room.counts):
            groups[size] = group
            out[size] = sample
            size += 1
    return size


@step
def is_new(letters: Ints64, size: int, seen: Uints64) -> bool:
    """Return whether a string is new, and remember it; half of `seen` stays empty."""
    bits = U64(size)
    for i in range(size):
        bits = mix((bits ^ U64(letters[i])) + _GOLDEN)
    bits |= _ONE  # 0 marks an empty slot
    place = np.int64(bits >> _ELEVEN) & (len(seen) - 1)
    while seen[place]:
        if seen[place] == bits:
            return False
        place = (place + 1) & (len(seen) - 1)
    seen[place] = bits
    return True


@step
def draw_string(key: np.uint64, size: int, symbols: int, letters: Ints64, seen: Uints64) -> None:
    """Draw the letters of a string until it is new."""
    attempt = 0
    while True:
        bits = draw(key, attempt, PCFG_ATTEMPT)
        for i in range(size):
            letters[i] = bounded(draw(bits, i, PCFG_LETTER), symbols)
        if is_new(letters, size, seen):
            return
        attempt += 1


@step
def write_word(words: Words, word: int, place: int, out: Bytes) -> int:
    """Write a word and a space; return the position after them."""
    for i in range(U64(words.offsets[word]), U64(words.offsets[word + 1])):
        out[place] = words.data[i]
        place += 1
    out[place] = _SPACE
    return place + 1


@kernel
def write_samples(
    recipe: Recipe, samples: Ints64, words: Words, seen: Uints64, room: Room, out: Bytes
) -> int:
    """Write samples as lines, without strings that are in `seen` or repeated; return how many bytes."""
    place, symbols = 0, len(words.offsets) - 1 - FUNCTIONS
    for k in range(len(samples)):
        key = draw(recipe.key, samples[k], PCFG_SAMPLE)
        p_unary, p_call = draw(key, 0, PCFG_P_UNARY) >> _ELEVEN, draw(key, 0, PCFG_P_CALL) >> _ELEVEN
        room.pending[0] = 0  # here: whether a comma comes first
        top, number = 1, 0
        while top > 0:
            top -= 1
            if room.pending[top]:
                out[place], out[place + 1] = _COMMA, _SPACE
                place += 2
            kind = node(key, number, p_unary, p_call, recipe)
            if kind >= FUNCTIONS:
                size = recipe.sizes[kind - FUNCTIONS]
                draw_string(draw(key, number, PCFG_STRING), size, symbols, room.letters, seen)
                for i in range(size):
                    place = write_word(words, FUNCTIONS + room.letters[i], place, out)
            else:
                place = write_word(words, kind, place, out)
                if kind >= UNARY:
                    room.pending[top] = 1
                    top += 1
                room.pending[top] = 0
                top += 1
            number += 1
        out[place - 1] = _NEWLINE
    return place
