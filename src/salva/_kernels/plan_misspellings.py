"""The plan of `misspellings`: one error in a share of the English words, as people make them.

The errors that a word may have depend on the contexts of its letters: see `salva.lexicon.slips`. Each has a
weight. The sum of all is how hard the word is; one error is drawn in proportion to its weight, and drawn
again until the result is not an English word, or too many attempts have failed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import bytes_in
from salva._kernels.choices import EditsOut, Tally, Tokens, add_edit
from salva._kernels.jit import kernel, step
from salva._kernels.joints import CAPITAL, CASE_BIT, is_joined, read_word
from salva._kernels.rng import below, bounded, draw
from salva._kernels.sentences import begins_sentence
from salva._kernels.stages import (
    MISSPELL,
    MISSPELL_CHANCE,
    MISSPELL_ERROR,
    MISSPELL_KEEP,
    MISSPELL_WORD,
)
from salva._kernels.strings import StringTable, copy_bytes, find
from salva._types import Bools, Bytes, Ints64

ATTEMPTS = 24
SHORT = 5  # letters of the longest short word
SIZE = 27  # letters, and the edge of a word, which is 0
BEFORE_A = ord("a") - 1
CELLS = 3 * SIZE**3  # contexts: three parts of words, and three letters
LEFT_OUT, SWAPPED, WRONG, ADDED = 0, 1, 2, 2 + SIZE  # errors; the last two have a letter added to them
SPOKEN = bytes_in("aeiouy")
NEVER = 1 << 62  # a weight that no word has
SPARE = 1  # letters that an error adds


class Vocabulary(NamedTuple):
    """Words in lower case; those that are `plain` may be misspelled, and no error makes a `forbidden` one."""

    table: StringTable
    plain: Bools
    forbidden: Bools


class Slips(NamedTuple):
    """Errors, where those of each context start, and the sums of the weights of all errors before one."""

    starts: Ints64
    errors: Bytes
    sums: Ints64


class MisspellingRates(NamedTuple):
    """The rule of the edits, thresholds, the shortest word, and the weight of words that are always hard."""

    rule: int
    prob: np.uint64
    keep: np.uint64
    min_word_length: int
    hardest: int


@step
def find_cell(word: Bytes, length: int, place: int, spoken: bool) -> int:
    """Return the number of the context of a letter; `spoken` is whether a vowel comes before it."""
    part = 0 if length <= SHORT else 2 if spoken else 1
    left = np.int64(word[place - 1]) - BEFORE_A if place > 0 else 0
    right = np.int64(word[place + 1]) - BEFORE_A if place + 1 < length else 0
    return ((part * SIZE + left) * SIZE + np.int64(word[place]) - BEFORE_A) * SIZE + right


@step
def find_error(slips: Slips, word: Bytes, length: int, wanted: int) -> tuple[int, int, int]:
    """Return the place and number of the error at which the weights exceed `wanted`, and the sum so far.

    If the sum of all weights does not exceed it, the number is -1.
    """
    total, spoken = 0, False
    for place in range(length):
        cell = find_cell(word, length, place, spoken)
        start, stop = slips.starts[cell], slips.starts[cell + 1]
        weight = slips.sums[stop] - slips.sums[start]
        if total + weight > wanted:
            while total + slips.sums[start + 1] - slips.sums[slips.starts[cell]] <= wanted:
                start += 1
            return place, start, total
        total += weight
        spoken |= SPOKEN[word[place]]
    return length, -1, total


@step
def write_error(error: int, place: int, word: Bytes, length: int, size: int, out: Bytes) -> int:
    """Write a word with an error at a place; return the end."""
    size = copy_bytes(word, 0, place + (error > ADDED), size, out)
    if error > WRONG:
        out[size] = BEFORE_A + (error - ADDED if error > ADDED else error - WRONG)
        size += 1
    elif error == SWAPPED:
        out[size], out[size + 1] = word[place + 1], word[place]
        size += 2
    return copy_bytes(word, place + (2 if error == SWAPPED else 1), length, size, out)


@step
def misspell(
    vocabulary: Vocabulary,
    slips: Slips,
    hardest: int,
    word: Bytes,
    length: int,
    own: np.uint64,
    size: int,
    out: Bytes,
) -> int:
    """Write a word with one error, which makes no forbidden word; return the end, or -1 if there is none."""
    _, _, total = find_error(slips, word, length, NEVER)
    if bounded(draw(own, 0, MISSPELL_CHANCE), hardest) >= total:
        return -1
    for attempt in range(ATTEMPTS):
        wanted = bounded(draw(own, attempt, MISSPELL_ERROR), total)
        place, number, _ = find_error(slips, word, length, wanted)
        end = write_error(np.int64(slips.errors[number]), place, word, length, size, out)
        known = find(vocabulary.table, out, size, end)
        if known < 0 or not vocabulary.forbidden[known]:
            return end
    return -1


@kernel
def plan_misspellings(
    vocabulary: Vocabulary,
    slips: Slips,
    tokens: Tokens,
    row_starts: Ints64,
    rates: MisspellingRates,
    word: Bytes,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room; `word` is room for one word."""
    edits = size = 0
    data = tokens.data
    for row in range(len(tokens.rows) - 1):
        eligible = 0
        first = tokens.rows[row]
        for token in range(first, tokens.rows[row + 1]):
            start, stop = tokens.starts[token], tokens.stops[token]
            length = stop - start
            if tokens.blocked[token] or length < rates.min_word_length:
                continue
            if not read_word(data, start, stop, word):
                continue
            number = find(vocabulary.table, word, 0, length)
            if number < 0 or not vocabulary.plain[number]:
                continue
            if CAPITAL[data[start]] and not begins_sentence(tokens, first, token):
                continue  # a name, or a word of a title
            if is_joined(data, row_starts[row], row_starts[row + 1], start, stop):
                continue
            eligible += 1
            key, place = tokens.keys[row], token - first
            if not below(draw(key, place, MISSPELL), rates.prob):
                continue
            if not below(draw(key, place, MISSPELL_KEEP), rates.keep):
                continue
            if size + length + SPARE > len(out.new):
                return -1
            own = draw(key, place, MISSPELL_WORD)
            end = misspell(vocabulary, slips, rates.hardest, word, length, own, size, out.new)
            if end < 0:
                continue
            if CAPITAL[data[start]]:
                out.new[size] -= CASE_BIT
            size = end
            edits = add_edit(out, edits, tokens, token, rates.rule, size)
        tally.eligible[row] = eligible
    return edits
