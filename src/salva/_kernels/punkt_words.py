"""Punkt's own tokens and types, which decide whether a sentence ends. Offsets are bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._kernels.characters import DECIMAL, NLTK_SPACE, Characters, bytes_in, decode, flags_at, width
from salva._kernels.jit import step
from salva._kernels.strings import StringTable, find
from salva._types import Bytes, Ints64, Uints32

DASH, DOT, COMMA = (ord(c) for c in "-.,")
KELVIN = 0x212A  # the only character beyond ASCII whose lower case is ASCII
ABBREVIATION = 1

ENDS = bytes_in(".?!")
ASCII_SPACE = bytes_in(" \t\n\r\x0b\x0c")
NO_WORD = bytes_in(")\";}]*:@'({[!?")  # ends a word
NO_START = bytes_in('("`{[:;&#*@)}]-,')  # cannot begin a word
MAY_END = NO_WORD | ASCII_SPACE | bytes_in("-.,") | (np.arange(256) >= 0xC2)


class Punkt(NamedTuple):
    """Punkt's parameters: flags of word types, and collocations (`left * types + right`).

    `listed` has the sizes, as bits, of abbreviations and first words of collocations, by first and last
    letter.
    """

    types: StringTable
    flags: NDArray[np.uint16]
    collocations: Ints64
    listed: Uints32
    number: int  # the type of numbers
    longest: int  # bytes of the longest type


class Text(NamedTuple):
    """Bytes and the tables to interpret them; `letters` has room for the longest type."""

    characters: Characters
    punkt: Punkt
    data: Bytes
    letters: Bytes


class Word(NamedTuple):
    """One token and what Punkt's first pass says about it; `bare` is its type without a final period."""

    start: int
    stop: int
    bare: int
    period: bool
    breaks: bool
    abbreviated: bool
    ellipsis: bool


@step
def is_quote(data: Bytes, i: int) -> bool:
    """Return whether a curly quote or a guillemet begins at byte `i`."""
    if data[i] not in (0xC2, 0xE2):
        return False
    return decode(data, i) in (0x2018, 0x2019, 0x201C, 0x201D, 0xAB, 0xBB)


@step
def ends_word(data: Bytes, i: int) -> bool:
    """Return whether the character at byte `i` cannot be part of a word."""
    return NO_WORD[data[i]] or is_quote(data, i)


@step
def is_space(text: Text, i: int) -> bool:
    """Return whether NLTK counts the character at byte `i` as white space."""
    if text.data[i] < 0x80:
        return ASCII_SPACE[text.data[i]]
    return flags_at(text.characters, text.data, i) & NLTK_SPACE != 0


@step
def multiple_end(text: Text, i: int, stop: int) -> int:
    """Return where a run of dashes or dots, or `. . .`, at byte `i` ends; `i` if there is none."""
    mark = text.data[i]
    if mark not in (DASH, DOT):
        return i
    j = i
    while j < stop and text.data[j] == mark:
        j += 1
    if j - i > 1:
        return j
    if mark == DASH:
        return i
    pairs = 0
    while j < stop and is_space(text, j):
        after = j + width(text.data[j])
        if after >= stop or text.data[after] != DOT:
            break
        pairs += 1
        j = after + 1
    return j if pairs > 1 else i


@step
def punctuation_at(text: Text, i: int, stop: int) -> bool:
    """Return whether the end, white space, or punctuation other than a comma is at byte `i`."""
    if i >= stop or is_space(text, i) or ends_word(text.data, i):
        return True
    return multiple_end(text, i, stop) > i


@step
def token_end(text: Text, i: int, stop: int) -> int:
    """Return where the token that begins at byte `i` ends; the byte is not white space."""
    end = multiple_end(text, i, stop)
    if end > i:
        return end
    end = i + width(text.data[i])
    if NO_START[text.data[i]]:
        return end
    while end < stop:
        if MAY_END[text.data[end]]:
            after = end + (text.data[end] == COMMA)
            if punctuation_at(text, after, stop):
                break
        end += 1
    return end


@step
def is_number(text: Text, i: int, stop: int) -> bool:
    """Return whether Punkt counts a token as a number: digits with commas, periods and dashes."""
    if i < stop and text.data[i] == DASH:
        i += 1
    if i < stop and text.data[i] in (DOT, COMMA):
        i += 1
    digits = False
    while i < stop:
        if flags_at(text.characters, text.data, i) & DECIMAL:
            digits = True
        elif not digits or text.data[i] not in (DOT, COMMA, DASH):
            return False
        i += width(text.data[i])
    return digits


@step
def lowered(data: Bytes, start: int, stop: int, out: Bytes) -> int:
    """Write the lower case of a token to `out` and return its size; 0 if no known type can equal it."""
    size = 0
    i = start
    while i < stop:
        byte = data[i]
        if byte >= 0x80:
            if decode(data, i) != KELVIN:
                return 0
            byte = np.uint8(ord("k"))
            i += 2
        elif ord("A") <= byte <= ord("Z"):
            byte |= 32
        if size == len(out):
            return 0
        out[size] = byte
        size += 1
        i += 1
    return size


@step
def type_of(text: Text, start: int, stop: int) -> int:
    """Return the number of a type, or -1 if Punkt does not know it."""
    if is_number(text, start, stop):
        return text.punkt.number
    size = lowered(text.data, start, stop, text.letters)
    return find(text.punkt.types, text.letters, 0, size) if size else -1


@step
def has_flag(text: Text, number: int, flag: int) -> bool:
    """Return whether Punkt knows a type and it has this flag."""
    return number >= 0 and text.punkt.flags[number] & flag != 0


@step
def word_at(text: Text, i: int, stop: int) -> Word:
    """Return the token that begins at byte `i`, with what Punkt's first pass says about it."""
    end = token_end(text, i, stop)
    mark = end - i == 1 and ENDS[text.data[i]]
    if text.data[end - 1] != DOT:
        return Word(i, end, -1, False, mark, False, False)
    bare = type_of(text, i, end - (end - i > 1))
    if mark:
        return Word(i, end, bare, True, True, False, False)
    if text.data[end - 2] == DOT:
        return Word(i, end, bare, True, False, False, text.data[i] == DOT)
    abbreviated = has_flag(text, bare, ABBREVIATION)
    if not abbreviated:
        dash = end - 1
        while dash > i and text.data[dash - 1] != DASH:
            dash -= 1
        if dash > i:
            part = type_of(text, dash, end - 1)
            abbreviated = has_flag(text, part, ABBREVIATION)
    return Word(i, end, bare, True, not abbreviated, abbreviated, False)
