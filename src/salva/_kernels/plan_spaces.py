"""The plan of `spaces`: blanks that people leave out, double or put before a mark.

Only single blanks next to single marks are touched, and blanks inside a few phrases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import bytes_in
from salva._kernels.choices import EditsOut, Tally, Tokens
from salva._kernels.jit import kernel, step
from salva._kernels.joints import (
    BLANK,
    CAPITAL,
    CASE_BIT,
    SMALL,
    has_blank_after,
    is_joined,
    is_small,
    read_word,
)
from salva._kernels.rng import below, bounded, draw
from salva._kernels.stages import SPACE, SPACE_KEEP, SPACE_WAY
from salva._kernels.strings import StringTable, copy_bytes, find
from salva._types import Bytes, Ints64

BEFORE, NONE_AFTER, TWO_AFTER, JOINED = 1, 2, 4, 8  # what may be done, one bit each
# How often each of the first three happens after , and . and after ! and ?: IMDB's reviewers forget the blank
# after a comma four times as often as they put one before it, and with ! and ? it is the other way round.
WEIGHTS = np.array([[1, 3, 2], [3, 1, 2]], np.int64)
ENDING = bytes_in("!?")
MARKS = bytes_in(",.!?")
FULL_STOP = ord(".")
SHORTEST = 3  # letters of a word before a full stop that is not an abbreviation, and of one after it
SPARE = 4


class SpaceWords(NamedTuple):
    """Phrases of two words without the blank, and words that look like the end of an address."""

    phrases: StringTable
    domains: StringTable


class SpaceRates(NamedTuple):
    """The rule of the edits, and thresholds."""

    rule: int
    prob: np.uint64
    keep: np.uint64


@step
def is_letter(byte: int) -> bool:
    """Return whether a byte is a letter from a to z, small or not."""
    return SMALL[byte | CASE_BIT] and byte < 0x80


@step
def may_follow_stop(words: SpaceWords, tokens: Tokens, token: int, word: Bytes) -> bool:
    """Return whether a word after a full stop cannot be read as the end of an address."""
    data, start, stop = tokens.data, tokens.starts[token], tokens.stops[token]
    if not CAPITAL[data[start]] or stop - start < SHORTEST or not read_word(data, start, stop, word):
        return False
    return find(words.domains, word, 0, np.int64(stop - start)) < 0


@step
def ways_of_mark(
    words: SpaceWords, tokens: Tokens, first: int, last: int, row_stop: int, token: int, word: Bytes
) -> int:
    """Return what may be done to the blanks around a mark after a word."""
    data, start, stop = tokens.data, tokens.starts[token], tokens.stops[token]
    if stop - start != 1 or not MARKS[data[start]] or token == first:
        return 0
    before, end = tokens.starts[token - 1], tokens.stops[token - 1]
    if tokens.blocked[token - 1] or end != start or not is_letter(data[end - 1]):
        return 0
    ends = data[start] == FULL_STOP
    if ends and (end - before < SHORTEST or not is_small(data, before, end)):
        return 0
    if stop == row_stop:
        return BEFORE
    if not has_blank_after(tokens, last, token) or tokens.blocked[token + 1]:
        return 0
    after = tokens.starts[token + 1]
    joins = is_letter(data[after]) and (not ends or may_follow_stop(words, tokens, token + 1, word))
    return BEFORE | TWO_AFTER | (NONE_AFTER if joins else 0)


@step
def is_phrase(
    words: SpaceWords, tokens: Tokens, last: int, row_start: int, row_stop: int, token: int, word: Bytes
) -> bool:
    """Return whether a token and the next are a phrase that people write as one word."""
    if not has_blank_after(tokens, last, token) or tokens.blocked[token + 1]:
        return False
    data, start, stop = tokens.data, tokens.starts[token], tokens.stops[token]
    after, end = tokens.starts[token + 1], tokens.stops[token + 1]
    length = stop - start + end - after
    if length > len(word) or not is_small(data, after, end) or not read_word(data, start, stop, word):
        return False
    if is_joined(data, row_start, row_stop, start, end):
        return False
    copy_bytes(data, after, end, np.int64(stop - start), word)
    return find(words.phrases, word, 0, np.int64(length)) >= 0


@step
def choose_way(ways: int, mark: int, bits: np.uint64) -> int:
    """Return one of the ways that are possible, by the weights of a mark."""
    weights = WEIGHTS[1 if ENDING[mark] else 0]
    total = 0
    for way in range(len(weights)):
        total += weights[way] * (ways >> way & 1)
    left = bounded(bits, total)
    way = 0
    while left >= weights[way] * (ways >> way & 1):
        left -= weights[way] * (ways >> way & 1)
        way += 1
    return 1 << way


@step
def write_edit(way: int, tokens: Tokens, token: int, edit: int, size: int, out: EditsOut) -> int:
    """Write where an edit is, and what is there after it; return the end."""
    data, new = tokens.data, out.new
    start, stop = np.int64(tokens.starts[token]), np.int64(tokens.stops[token])
    if way == BEFORE:
        new[size] = BLANK
        size += 1
    size = copy_bytes(data, start, stop, size, new)
    if way == JOINED:
        stop = np.int64(tokens.stops[token + 1])
        size = copy_bytes(data, tokens.starts[token + 1], stop, size, new)
    elif way != BEFORE:
        stop += 1
        if way == TWO_AFTER:
            new[size] = new[size + 1] = BLANK
            size += 2
    out.starts[edit], out.stops[edit] = start, stop
    return size


@kernel
def plan_spaces(
    words: SpaceWords,
    tokens: Tokens,
    row_starts: Ints64,
    rates: SpaceRates,
    word: Bytes,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room; `word` is room for one word."""
    edits = size = 0
    for row in range(len(tokens.rows) - 1):
        first, last, key = tokens.rows[row], tokens.rows[row + 1], tokens.keys[row]
        start, stop = row_starts[row], row_starts[row + 1]
        for token in range(first, last):
            if tokens.blocked[token]:
                continue
            way, place = JOINED, token - first
            if not is_phrase(words, tokens, last, start, stop, token, word):
                ways = ways_of_mark(words, tokens, first, last, stop, token, word)
                if ways == 0:
                    continue
                mark = tokens.data[tokens.starts[token]]
                way = choose_way(ways, mark, draw(key, place, SPACE_WAY))
            tally.eligible[row] += 1
            if not below(draw(key, place, SPACE), rates.prob):
                continue
            if not below(draw(key, place, SPACE_KEEP), rates.keep):
                continue
            if size + len(word) + SPARE > len(out.new):
                return -1
            size = write_edit(way, tokens, token, edits, size, out)
            out.tokens[edits], out.rules[edits] = token, rates.rule
            edits += 1
            out.offsets[edits] = size
    return edits
