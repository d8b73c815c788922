"""The plan of `case`: capitals that people leave out, where the word stays the same word without them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.choices import EditsOut, Tally, Tokens, add_edit
from salva._kernels.jit import kernel, step
from salva._kernels.joints import BLANK, CAPITAL, CASE_BIT, is_curly, is_joined, read_word
from salva._kernels.rng import below, draw
from salva._kernels.sentences import ABBREVIATION, begins_sentence
from salva._kernels.stages import CASE, CASE_KEEP
from salva._kernels.strings import StringTable, copy_bytes, find
from salva._types import Bytes, Ints64

# What is known of words: written in small letters; without a meaning of its own; may stand before a numeral.
PLAIN, FUNCTION, NUMBERED = 1, 2, 4
SHORTEST_NAME = 3
PRONOUN, FULL_STOP, APOSTROPHE, QUOTE = ord("I"), ord("."), ord("'"), ord('"')
CURLY_QUOTES = (0xE2, 0x80, 0x9C, 0x9D)  # bytes of both, then the last ones of the opening and the closing


class CaseWords(NamedTuple):
    """Words in lower case, and the flags of each."""

    table: StringTable
    flags: Bytes


class CaseRates(NamedTuple):
    """The rule of the edits, and thresholds."""

    rule: int
    prob: np.uint64
    keep: np.uint64


@step
def flags_of_token(words: CaseWords, tokens: Tokens, token: int, word: Bytes) -> int:
    """Return the flags of a token, 0 if it is unknown or not a word."""
    if not read_word(tokens.data, tokens.starts[token], tokens.stops[token], word):
        return 0
    number = find(words.table, word, 0, np.int64(tokens.stops[token] - tokens.starts[token]))
    return 0 if number < 0 else np.int64(words.flags[number])


@step
def ends_quoted(data: Bytes, start: int, stop: int, quoted: bool) -> bool:
    """Return whether a quotation is open after a token; `quoted` is whether one was open before it."""
    first, second, opening, closing = CURLY_QUOTES
    for i in range(start, stop):
        if data[i] == QUOTE:
            quoted = not quoted
        elif data[i] == first and i + 2 < stop and data[i + 1] == second:
            quoted = data[i + 2] == opening or (quoted and data[i + 2] != closing)
    return quoted


@step
def has_capital_beside(tokens: Tokens, first: int, last: int, token: int) -> bool:
    """Return whether a token of the row from `first` to `last` is next to a capital or an abbreviation."""
    data, starts, stops = tokens.data, tokens.starts, tokens.stops
    if token + 1 < last and CAPITAL[data[starts[token + 1]]]:
        return True
    if token > first and CAPITAL[data[starts[token - 1]]]:
        return True
    if token < first + 2 or data[starts[token - 1]] != FULL_STOP:
        return False
    short = stops[token - 2] == starts[token - 1] and stops[token - 2] - starts[token - 2] <= ABBREVIATION
    return short and CAPITAL[data[starts[token - 2]]]


@step
def is_pronoun(words: CaseWords, tokens: Tokens, first: int, row_stop: int, token: int, word: Bytes) -> bool:
    """Return whether a token is I, before a blank or an apostrophe, and not a numeral."""
    data, start, stop = tokens.data, tokens.starts[token], tokens.stops[token]
    if stop - start != 1 or data[start] != PRONOUN or stop >= row_stop:
        return False
    curly = stop + 3 <= row_stop and is_curly(data, np.int64(stop), np.int64(stop + 3))
    if not curly and data[stop] not in (BLANK, APOSTROPHE):
        return False
    return token == first or flags_of_token(words, tokens, token - 1, word) & NUMBERED == 0


@step
def may_lose_capital(
    words: CaseWords, tokens: Tokens, first: int, token: int, row_stop: int, word: Bytes
) -> bool:
    """Return whether a capitalised word is a function word at the start of a sentence, or only a name."""
    data, start, stop = tokens.data, tokens.starts[token], tokens.stops[token]
    if (token > first and data[start - 1] == FULL_STOP) or not read_word(data, start, stop, word):
        return False
    number = find(words.table, word, 0, np.int64(stop - start))
    flags = 0 if number < 0 else np.int64(words.flags[number])
    if flags & PLAIN:
        return flags & FUNCTION != 0 and begins_sentence(tokens, first, token)
    shortened = stop < row_stop and data[stop] == FULL_STOP and stop - start <= ABBREVIATION
    return stop - start >= SHORTEST_NAME and not shortened


@kernel
def plan_case(
    words: CaseWords,
    tokens: Tokens,
    row_starts: Ints64,
    rates: CaseRates,
    word: Bytes,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room; `word` is room for one word."""
    edits = size = 0
    data = tokens.data
    for row in range(len(tokens.rows) - 1):
        first, last = tokens.rows[row], tokens.rows[row + 1]
        row_start, row_stop = row_starts[row], row_starts[row + 1]
        quoted = False
        for token in range(first, last):
            start, stop = tokens.starts[token], tokens.stops[token]
            if tokens.blocked[token]:
                continue
            quoted = ends_quoted(data, start, stop, quoted)
            if quoted or not CAPITAL[data[start]] or has_capital_beside(tokens, first, last, token):
                continue
            if stop - start == 1:
                if not is_pronoun(words, tokens, first, row_stop, token, word):
                    continue
            elif is_joined(data, row_start, row_stop, start, stop) or not may_lose_capital(
                words, tokens, first, token, row_stop, word
            ):
                continue
            tally.eligible[row] += 1
            key, place = tokens.keys[row], token - first
            if not below(draw(key, place, CASE), rates.prob):
                continue
            if not below(draw(key, place, CASE_KEEP), rates.keep):
                continue
            if size + stop - start > len(out.new):
                return -1
            end = copy_bytes(data, start, stop, size, out.new)
            out.new[size] |= CASE_BIT
            size = end
            edits = add_edit(out, edits, tokens, token, rates.rule, size)
    return edits
