"""The plan of `punctuation`: marks that people leave out, double or type differently, and nobody misses.

A token is one of four things, or none: the last full stop of a text, a comma before a conjunction, a mark
that can be doubled, or a word with an apostrophe inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.choices import EditsOut, Tally, Tokens
from salva._kernels.jit import kernel, step
from salva._kernels.joints import (
    APOSTROPHE,
    CURLY_APOSTROPHE,
    has_blank_after,
    is_curly,
    is_joined,
    is_small,
    read_word,
    touches_next,
)
from salva._kernels.rng import below, draw
from salva._kernels.stages import PUNCTUATE, PUNCTUATE_KEEP, PUNCTUATE_WAY
from salva._kernels.strings import StringTable, copy_bytes, find
from salva._types import Bytes, Ints64

NOTHING, LAST_STOP, COMMA, DOUBLE, LEFT_OUT, OTHER_STYLE = range(6)
FULL_STOP, COMMA_MARK = ord("."), ord(",")
EXCLAMATION = ord("!")
SHORTEST = 3  # letters of a word before a full stop that is not an abbreviation
SPARE = 8  # bytes for a curly apostrophe


class PunctuationWords(NamedTuple):
    """Conjunctions, and contractions written without their apostrophe."""

    conjunctions: StringTable
    contractions: StringTable


class PunctuationRates(NamedTuple):
    """The rule of the edits, and thresholds; `style` is that of another apostrophe instead of none."""

    rule: int
    prob: np.uint64
    keep: np.uint64
    style: np.uint64


@step
def follows_small_word(tokens: Tokens, first: int, token: int, least: int) -> bool:
    """Return whether a token touches a word of small letters before it, with at least so many of them."""
    if token == first or tokens.blocked[token - 1] or tokens.stops[token - 1] != tokens.starts[token]:
        return False
    start, stop = tokens.starts[token - 1], tokens.stops[token - 1]
    return stop - start >= least and is_small(tokens.data, start, stop)


@step
def what_mark_may_become(words: PunctuationWords, tokens: Tokens, first: int, last: int, token: int) -> int:
    """Return what may be done to a mark of one byte."""
    mark = tokens.data[tokens.starts[token]]
    if mark == FULL_STOP:
        ends = token + 1 == last and follows_small_word(tokens, first, token, SHORTEST)
        return LAST_STOP if ends else NOTHING
    if mark == EXCLAMATION:
        return DOUBLE if follows_small_word(tokens, first, token, 1) else NOTHING
    if mark != COMMA_MARK or not follows_small_word(tokens, first, token, 1):
        return NOTHING
    if not has_blank_after(tokens, last, token) or tokens.blocked[token + 1]:
        return NOTHING
    start, stop = np.int64(tokens.starts[token + 1]), np.int64(tokens.stops[token + 1])
    return COMMA if find(words.conjunctions, tokens.data, start, stop) >= 0 else NOTHING


@step
def has_apostrophe_inside(tokens: Tokens, last: int, token: int) -> bool:
    """Return whether a token is the beginning of a word with one apostrophe inside."""
    if not touches_next(tokens, last, token) or not touches_next(tokens, last, token + 1):
        return False
    if tokens.blocked[token + 1] or tokens.blocked[token + 2]:
        return False
    start, stop = tokens.starts[token + 1], tokens.stops[token + 1]
    straight = stop - start == 1 and tokens.data[start] == APOSTROPHE
    return straight or is_curly(tokens.data, start, stop)


@step
def read_contraction(tokens: Tokens, row_start: int, row_stop: int, token: int, word: Bytes) -> int:
    """Write a word without its apostrophe, in lower case; return its length, or 0 if it is not plain."""
    data = tokens.data
    start, end = tokens.starts[token], tokens.stops[token + 2]
    head = tokens.stops[token] - start
    tail = end - tokens.starts[token + 2]
    if head + tail > len(word) or not read_word(data, start, tokens.stops[token], word):
        return 0
    if not is_small(data, tokens.starts[token + 2], end):
        return 0
    # Both ends are free: neither rock'n'roll nor an address.
    before = start > row_start and is_joined(data, row_start, start, start, start)
    after = end < row_stop and is_joined(data, end, row_stop, end, end)
    if before or after:
        return 0
    for i in range(tail):
        word[head + i] = data[tokens.starts[token + 2] + i]
    return head + tail


@step
def what_word_may_become(
    words: PunctuationWords,
    rates: PunctuationRates,
    tokens: Tokens,
    row_start: int,
    row_stop: int,
    token: int,
    word: Bytes,
    bits: np.uint64,
) -> int:
    """Return what may be done to a word with an apostrophe inside."""
    length = read_contraction(tokens, row_start, row_stop, token, word)
    if length == 0:
        return NOTHING
    if find(words.contractions, word, 0, length) < 0 or below(bits, rates.style):
        return OTHER_STYLE
    return LEFT_OUT


@step
def write_other_apostrophe(straight: bool, size: int, out: Bytes) -> int:
    """Write a curly apostrophe instead of a straight one, or the other way round; return the end."""
    if not straight:
        out[size] = APOSTROPHE
        return size + 1
    for byte in CURLY_APOSTROPHE:
        out[size] = byte
        size += 1
    return size


@step
def write_edit(what: int, tokens: Tokens, token: int, edit: int, size: int, out: EditsOut) -> int:
    """Write where an edit is, and what is there after it; return the end."""
    data, new = tokens.data, out.new
    start, stop = np.int64(tokens.starts[token]), np.int64(tokens.stops[token])
    if what == DOUBLE:
        new[size] = new[size + 1] = data[start]
        size += 2
    elif what == COMMA:  # with the blank after it
        stop += 1
        new[size] = data[stop - 1]
        size += 1
    elif what == LEFT_OUT:
        stop = np.int64(tokens.stops[token + 2])
        size = copy_bytes(data, start, tokens.stops[token], size, new)
        size = copy_bytes(data, tokens.starts[token + 2], stop, size, new)
    elif what == OTHER_STYLE:
        start, stop = np.int64(tokens.starts[token + 1]), np.int64(tokens.stops[token + 1])
        size = write_other_apostrophe(stop - start == 1, size, new)
    out.starts[edit], out.stops[edit] = start, stop
    return size


@kernel
def plan_punctuation(
    words: PunctuationWords,
    tokens: Tokens,
    row_starts: Ints64,
    rates: PunctuationRates,
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
            place, what = token - first, NOTHING
            if has_apostrophe_inside(tokens, last, token):
                bits = draw(key, place, PUNCTUATE_WAY)
                what = what_word_may_become(words, rates, tokens, start, stop, token, word, bits)
            elif tokens.stops[token] - tokens.starts[token] == 1:
                what = what_mark_may_become(words, tokens, first, last, token)
            if what == NOTHING:
                continue
            tally.eligible[row] += 1
            if not below(draw(key, place, PUNCTUATE), rates.prob):
                continue
            if not below(draw(key, place, PUNCTUATE_KEEP), rates.keep):
                continue
            if size + len(word) + SPARE > len(out.new):
                return -1
            size = write_edit(what, tokens, token, edits, size, out)
            out.tokens[edits], out.rules[edits] = token, rates.rule
            edits += 1
            out.offsets[edits] = size
    return edits
