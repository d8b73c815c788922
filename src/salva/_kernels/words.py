"""What depends on a word alone: its case pattern, length, composition, and its form in another case.

A change of case may change the number of bytes and of characters, to at most three times as many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import (
    ALPHA,
    CASE_IGNORABLE,
    CASED,
    LOWER,
    TITLE,
    UNSPACED,
    UPPER,
    Characters,
    decode,
    flags_at,
    start_before,
    width,
    write_point,
)
from salva._kernels.jit import kernel, step
from salva._types import Bytes, Ints8, Ints32, Ints64

AS_LOWER, AS_TITLE, AS_UPPER, AS_MIXED = range(4)
AS_CAPITAL = 4  # not a pattern of words: capitalise the first letter, leave the rest as it is

ALL_LETTERS = 1  # as in `str.isalpha`
HAS_LETTER = 2  # of a script with spaces between words

GROWTH = 3
SIGMA, FINAL_SIGMA, SMALL_SIGMA = 0x3A3, 0x3C2, 0x3C3


class CaseMap(NamedTuple):
    """The results of a change of case: ascending code points, and where the new bytes of each begin."""

    points: Ints32
    data: Bytes
    offsets: Ints64


class Casing(NamedTuple):
    """The three changes of case."""

    lower: CaseMap
    upper: CaseMap
    title: CaseMap


@step
def find_pattern(characters: Characters, data: Bytes, start: int, stop: int) -> int:
    """Return the case pattern of a word; a single capital counts as title, a word without case as mixed."""
    first = 0
    uppers = titles = lowers = 0
    i = start
    while i < stop:
        flags = flags_at(characters, data, i)
        uppers += flags & UPPER != 0
        titles += flags & TITLE != 0
        lowers += flags & LOWER != 0
        if first == 0 and flags & CASED:
            first = flags
        i += width(data[i])
    if uppers + titles == 0:
        return AS_LOWER if lowers else AS_MIXED
    if uppers + titles == 1 and first & (UPPER | TITLE):
        return AS_TITLE
    return AS_MIXED if lowers + titles else AS_UPPER


@step
def ends_in_sigma(characters: Characters, data: Bytes, start: int, i: int, stop: int) -> bool:
    """Return whether the capital sigma at byte `i` ends a word, by Unicode's Final_Sigma rule."""
    flags = 0
    before = i
    while before > start:
        before = start_before(data, before)
        flags = flags_at(characters, data, before)
        if not flags & CASE_IGNORABLE:
            break
    if flags & CASE_IGNORABLE or not flags & CASED:
        return False
    after = i + 2
    while after < stop:
        flags = flags_at(characters, data, after)
        if not flags & CASE_IGNORABLE:
            return not flags & CASED
        after += width(data[after])
    return True


@step
def write_changed(case: CaseMap, data: Bytes, i: int, out: Bytes, size: int) -> int:
    """Write the character at byte `i` after a change of case; return the new size."""
    point = decode(data, i)
    place = np.searchsorted(case.points, point)
    if place < len(case.points) and case.points[place] == point:
        for k in range(case.offsets[place], case.offsets[place + 1]):
            out[size] = case.data[k]
            size += 1
        return size
    for k in range(i, i + width(data[i])):
        out[size] = data[k]
        size += 1
    return size


@step
def change_case(
    characters: Characters,
    casing: Casing,
    pattern: int,
    data: Bytes,
    start: int,
    stop: int,
    size: int,
    out: Bytes,
) -> int:
    """Write a word in a case pattern to `out`, starting at `size`; return the end.

    This takes at most GROWTH times the word's bytes. In title case, the first cased character is upper case
    and the rest lower case.
    """
    titled = False
    i = start
    while i < stop:
        byte = data[i]
        if pattern == AS_MIXED or (pattern == AS_CAPITAL and titled):
            out[size] = byte
            size += 1
            i += 1
            continue
        capital = pattern == AS_UPPER
        if pattern in (AS_TITLE, AS_CAPITAL) and not titled:
            titled = capital = flags_at(characters, data, i) & CASED != 0
        if byte < 0x80:
            letter = ord("a") <= byte | 32 <= ord("z")
            out[size] = (byte & 0xDF if capital else byte | 32) if letter else byte
            size += 1
        elif not capital and decode(data, i) == SIGMA:
            final = ends_in_sigma(characters, data, start, i, stop)
            size = write_point(FINAL_SIGMA if final else SMALL_SIGMA, size, out)
        elif capital and pattern != AS_UPPER:
            size = write_changed(casing.title, data, i, out, size)
        else:
            size = write_changed(casing.upper if capital else casing.lower, data, i, out, size)
        i += width(byte)
    return size


@kernel
def find_patterns(characters: Characters, data: Bytes, offsets: Ints64, out: Ints8) -> None:
    """Fill the case pattern of every word."""
    for word in range(len(out)):
        out[word] = find_pattern(characters, data, offsets[word], offsets[word + 1])


@kernel
def change_cases(
    characters: Characters,
    casing: Casing,
    patterns: Ints8,
    data: Bytes,
    offsets: Ints64,
    numbers: Ints32,
    out_offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the words with the given numbers, each in its case pattern, one after another."""
    size = 0
    for k in range(len(numbers)):
        out_offsets[k] = size
        start, stop = offsets[numbers[k]], offsets[numbers[k] + 1]
        size = change_case(characters, casing, patterns[k], data, start, stop, size, out)
    out_offsets[len(numbers)] = size


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
