"""The plan of `typos`: words are chosen at one rate; a share of their letters become neighbouring keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import Characters, width
from salva._kernels.choices import EditsOut, Tally, Tokens, add_edit
from salva._kernels.jit import kernel, step
from salva._kernels.letters import NO_KEY, Keyboard, key_at, write_neighbour
from salva._kernels.rng import below, bounded, draw
from salva._kernels.stages import TYPOS, TYPOS_KEEP, TYPOS_KEY, TYPOS_PLACE, TYPOS_WORD
from salva._kernels.strings import copy_bytes
from salva._types import Bytes


class TypoRates(NamedTuple):
    """The rule of the edits, thresholds, the share of letters, the shortest word, and whether marks count."""

    rule: int
    prob: np.uint64
    keep: np.uint64
    typo_per_word: float
    min_word_length: int
    whole: bool


@step
def measure(
    characters: Characters, keyboard: Keyboard, data: Bytes, start: int, stop: int, whole: bool
) -> tuple[int, bool]:
    """Return how many characters a word has, and whether one of them can be mistyped."""
    length = 0
    for k in range(start, stop):
        length += data[k] & 0xC0 != 0x80
    i = start
    while i < stop:
        if key_at(characters, keyboard, data, i, stop, whole) != NO_KEY:
            return length, True
        i += width(data[i])
    return length, False


@step
def mistype(
    characters: Characters,
    keyboard: Keyboard,
    rates: TypoRates,
    data: Bytes,
    start: int,
    stop: int,
    length: int,
    key: np.uint64,
    size: int,
    out: Bytes,
) -> int:
    """Write a word with some of its letters mistyped; return the end, or -1 if nothing changed.

    The positions are a uniform sample without replacement, taken with the probabilities that remain.
    """
    left = max(1, int(length * rates.typo_per_word))
    changed = False
    i = start
    for place in range(length):
        after = i + width(data[i])
        letter = NO_KEY
        if left and bounded(draw(key, place, TYPOS_PLACE), length - place) < left:
            left -= 1
            letter = key_at(characters, keyboard, data, i, stop, rates.whole)
        if letter == NO_KEY:
            size = copy_bytes(data, i, after, size, out)
        else:
            bits = draw(key, place, TYPOS_KEY)
            size = write_neighbour(characters, keyboard, letter, bits, data, i, size, out)
            changed = True
        i = after
    return size if changed else -1


@kernel
def plan_typos(
    characters: Characters,
    keyboard: Keyboard,
    tokens: Tokens,
    rates: TypoRates,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room."""
    edits = size = 0
    data = tokens.data
    for row in range(len(tokens.rows) - 1):
        eligible = 0
        first = tokens.rows[row]
        for token in range(first, tokens.rows[row + 1]):
            start, stop = tokens.starts[token], tokens.stops[token]
            if tokens.blocked[token] or stop - start < rates.min_word_length:
                continue
            length, typable = measure(characters, keyboard, data, start, stop, rates.whole)
            if length < rates.min_word_length or not typable:
                continue
            eligible += 1
            key, place = tokens.keys[row], token - first
            if not below(draw(key, place, TYPOS), rates.prob):
                continue
            if not below(draw(key, place, TYPOS_KEEP), rates.keep):
                continue
            if size + keyboard.widest * (stop - start) > len(out.new):
                return -1
            own = draw(key, place, TYPOS_WORD)
            end = mistype(characters, keyboard, rates, data, start, stop, length, own, size, out.new)
            if end < 0:
                continue
            size = end
            edits = add_edit(out, edits, tokens, token, rates.rule, size)
        tally.eligible[row] = eligible
    return edits
