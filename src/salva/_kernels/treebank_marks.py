"""Where NLTK's `NLTKWordTokenizer` inserts spaces, one rule after another, without writing them.

A chunk is the text between two blanks. Rules look at the characters next to a mark, including those outside
the chunk, and set bits on the chunk's bytes. `treebank` cuts the chunk at these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import (
    DECIMAL,
    NLTK_SPACE,
    NLTK_WORD,
    SPACE,
    WORD,
    Characters,
    bytes_in,
    decode,
    flags_at,
    flags_before,
    flags_of,
    folds_to,
    start_before,
    width,
)
from salva._kernels.jit import step
from salva._types import Bytes, Ints64

# Marks of a byte: a space goes before it; NLTK writes the token as `` or ''; it is white space; it follows a
# character inside a token that is not part of a word.
GAP, OPEN, CLOSE, BLANK, INNER = 1, 2, 4, 8, 16

BACKTICK, QUOTE, APOSTROPHE, DOT, SPACE_BAR = (ord(c) for c in "`\"'. ")

# What to do at a byte.
PLAIN, BLANKS, PAD, OTHER, LEAD, RUN = range(6)


def _list_actions() -> Bytes:
    actions = np.full(256, PLAIN, np.uint8)
    actions[[*range(0x20), 0x7F]] = OTHER
    actions[bytes_in("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f ")] = BLANKS
    actions[bytes_in(";@#$%&?!*[](){}<>")] = PAD
    actions[bytes_in("+/=\\^|~")] = OTHER
    actions[bytes_in("`\"'.-:,")] = RUN
    actions[0xC2:0xF5] = LEAD
    return actions


ACTIONS = _list_actions()
COMMAS, OPENERS, CLOSERS = bytes_in(",:"), bytes_in(" ([{<`"), bytes_in("])}>\"' ")
LATE = bytes_in('*[](){}<>-"')


class Chunk(NamedTuple):
    """Bytes `first` to `last` of the sentence from `start` to `stop`; `marks` begin at `first`."""

    characters: Characters
    data: Bytes
    start: int
    stop: int
    first: int
    last: int
    marks: Bytes


@step
def mark(chunk: Chunk, i: int, bits: int) -> None:
    """Set bits on byte `i`."""
    chunk.marks[i - chunk.first] |= bits


@step
def pad(chunk: Chunk, i: int, end: int) -> None:
    """Insert a space before byte `i` and one before byte `end`."""
    mark(chunk, i, GAP)
    mark(chunk, end, GAP)


@step
def pad_pairs(chunk: Chunk, i: int, end: int) -> None:
    """Insert spaces around every two bytes of a run; the last byte of an odd run is left as it is."""
    for pair in range(i, end - 1, 2):
        pad(chunk, pair, pair + 2)


@step
def is_opening_quote(point: int) -> bool:
    """Return whether a character is one of the opening quotes beyond ASCII."""
    return point in (0xAB, 0x201C, 0x2018, 0x201E)


@step
def is_closing_quote(point: int) -> bool:
    """Return whether a character is one of the closing quotes beyond ASCII."""
    return point in (0xBB, 0x201D, 0x2019)


@step
def opens(chunk: Chunk, i: int) -> bool:
    """Return whether a straight double quote or two apostrophes at byte `i` open a quotation."""
    if i == chunk.start:
        return chunk.data[i] == QUOTE
    before = chunk.data[i - 1]
    if before >= 0x80:
        return is_opening_quote(decode(chunk.data, start_before(chunk.data, i)))
    if before == QUOTE:
        return i - 1 == chunk.start
    return OPENERS[before]


@step
def run_end(chunk: Chunk, i: int) -> int:
    """Return where the run of equal bytes at `i` ends."""
    end = i + 1
    while end < chunk.stop and chunk.data[end] == chunk.data[i]:
        end += 1
    return end


@step
def closes_sentence(chunk: Chunk, i: int) -> bool:
    """Return whether only closing quotes and brackets, then white space, follow a final period."""
    data, stop = chunk.data, chunk.stop
    while i < stop:
        byte = data[i]
        if not (CLOSERS[byte] or (byte >= 0x80 and is_closing_quote(decode(data, i)))):
            break
        twice = byte == APOSTROPHE and i + 1 < stop and data[i + 1] == APOSTROPHE
        if (byte == QUOTE or twice) and opens(chunk, i):
            return False
        i += width(byte)
    while i < stop and flags_at(chunk.characters, data, i) & NLTK_SPACE:
        i += width(data[i])
    return i == stop


@step
def is_clitic(chunk: Chunk, i: int) -> bool:
    """Return whether re, ve, ll, m, t, s, d or n is at byte `i`, and the word ends after it."""
    data, stop = chunk.data, chunk.stop
    end = i
    for letter in (ord("m"), ord("t"), ord("s"), ord("d"), ord("n")):
        end = max(end, i + folds_to(data, i, stop, letter, False))
    for first, second in ((ord("r"), ord("e")), (ord("v"), ord("e")), (ord("l"), ord("l"))):
        if folds_to(data, i, stop, first, False) and folds_to(data, i + 1, stop, second, False):
            end = i + 2
    return end > i and (end >= stop or not flags_at(chunk.characters, data, end) & NLTK_WORD)


@step
def mark_apostrophes(chunk: Chunk, i: int) -> int:
    """Mark a run of apostrophes; return its end."""
    characters, data = chunk.characters, chunk.data
    end = run_end(chunk, i)
    pairs = i
    if end - i > 1 and opens(chunk, i):
        pad(chunk, i, i + 2)
        mark(chunk, i, OPEN)
        pairs += 2
    if pairs < end < chunk.stop and flags_at(characters, data, end) & NLTK_WORD:
        begins = end - i > 1 or i == chunk.start or not flags_before(characters, data, i) & NLTK_WORD
        if begins and not is_clitic(chunk, end):
            mark(chunk, end, GAP)
    pad_pairs(chunk, pairs, end)
    return end


@step
def mark_commas(chunk: Chunk, i: int) -> int:
    """Mark a run of commas and colons, every second of which NLTK's rule skips; return its end."""
    end = i
    while end < chunk.stop and COMMAS[chunk.data[end]]:
        end += 1
    while i < end and i + 1 < chunk.stop:
        if flags_at(chunk.characters, chunk.data, i + 1) & DECIMAL:
            i += 1
        else:
            pad(chunk, i, i + 1)
            i += 2
    if end == chunk.stop:
        pad(chunk, end - 1, end)
    return end


@step
def mark_run(chunk: Chunk, i: int) -> int:
    """Mark quotes, periods, dashes, commas or colons, whose rules check their context; return their end."""
    byte = chunk.data[i]
    if byte == APOSTROPHE:
        return mark_apostrophes(chunk, i)
    if COMMAS[byte]:
        return mark_commas(chunk, i)
    if byte == QUOTE:
        pad(chunk, i, i + 1)
        mark(chunk, i, OPEN if opens(chunk, i) else CLOSE)
        return i + 1
    end = run_end(chunk, i)
    if byte == DOT:
        if end - i > 1 or (i > chunk.start and closes_sentence(chunk, end)):
            pad(chunk, i, end)
        return end
    pad_pairs(chunk, i, end)
    if byte == BACKTICK:
        pad(chunk, i, end)
    return end


@step
def mark_wide(chunk: Chunk, i: int) -> int:
    """Mark a character beyond ASCII; return its end."""
    point = decode(chunk.data, i)
    end = i + width(chunk.data[i])
    flags = flags_of(chunk.characters, point)
    if flags & SPACE:
        for k in range(i, end):
            mark(chunk, k, BLANK)
    elif is_opening_quote(point) or is_closing_quote(point) or 0x2012 <= point <= 0x2015:
        pad(chunk, i, end)
    elif not flags & WORD:
        mark(chunk, end, INNER)
    return end


@step
def mark_chunk(chunk: Chunk, apostrophes: Ints64) -> int:
    """Mark a chunk except for its endings; list single apostrophes and return how many there are."""
    count = 0
    i = chunk.first
    while i < chunk.last:
        action = ACTIONS[chunk.data[i]]
        if action == PLAIN:
            i += 1
        elif action == PAD:
            pad(chunk, i, i + 1)
            i += 1
        elif action == OTHER:
            i += 1
            mark(chunk, i, INNER)
        elif action == LEAD:
            i = mark_wide(chunk, i)
        else:
            begin = i
            i = mark_run(chunk, i)
            mark(chunk, i, INNER)
            if chunk.data[begin] == APOSTROPHE and i == begin + 1:
                apostrophes[count] = begin
                count += 1
    return count


@step
def has_gap(chunk: Chunk, i: int) -> bool:
    """Return whether a space was inserted before byte `i`."""
    return chunk.marks[i - chunk.first] & GAP != 0


@step
def ends_at(chunk: Chunk, i: int) -> bool:
    """Return whether there is a space at byte `i`: a gap, white space, or the end."""
    if i >= chunk.stop or has_gap(chunk, i):
        return True
    return flags_at(chunk.characters, chunk.data, i) & NLTK_SPACE != 0


@step
def has_early_space(chunk: Chunk, i: int) -> bool:
    """Return whether the rules before those for stars, brackets, `--` and `''` leave a space at byte `i`."""
    byte = chunk.data[i]
    if byte == SPACE_BAR:
        return True
    return has_gap(chunk, i) and not (
        LATE[byte] or (byte >= 0x80 and is_closing_quote(decode(chunk.data, i)))
    )


@step
def follows_word(chunk: Chunk, i: int) -> bool:
    """Return whether the character before byte `i` is neither a space nor an apostrophe."""
    if i <= chunk.first or has_gap(chunk, i) or chunk.data[i - 1] == APOSTROPHE:
        return False
    return not flags_before(chunk.characters, chunk.data, i) & NLTK_SPACE


@step
def is_long_ending(data: Bytes, i: int, stop: int) -> bool:
    """Return whether ll, re or ve, in one case, is at byte `i`."""
    if i + 1 >= stop:
        return False
    first, second = data[i], data[i + 1]
    if first in (ord("l"), ord("L")):
        return second == first
    if first in (ord("r"), ord("v")):
        return second == ord("e")
    return first in (ord("R"), ord("V")) and second == ord("E")


@step
def is_not_ending(data: Bytes, i: int) -> bool:
    """Return whether the apostrophe at byte `i` is that of n't or N'T."""
    before, after = data[i - 1], data[i + 1]
    return (before == ord("n") and after == ord("t")) or (before == ord("N") and after == ord("T"))


@step
def mark_endings(chunk: Chunk, apostrophes: Ints64, count: int) -> None:
    """Mark apostrophes before spaces, then 's, 'm, 'd and final apostrophes, then 'll, 're, 've and n't."""
    data, stop = chunk.data, chunk.stop
    for k in range(count):
        i = apostrophes[k]
        if i + 1 < stop and has_early_space(chunk, i + 1):
            mark(chunk, i, GAP)
    for k in range(count):
        i = apostrophes[k]
        if not follows_word(chunk, i):
            continue
        letter = data[i + 1] | 32 if i + 1 < stop else 0
        short = letter in (ord("s"), ord("m"), ord("d")) and not has_gap(chunk, i + 1)
        if ends_at(chunk, i + 1) or (short and ends_at(chunk, i + 2)):
            mark(chunk, i, GAP)
    for k in range(count):
        i = apostrophes[k]
        if i + 1 >= stop or i == chunk.first or has_gap(chunk, i + 1):
            continue
        if is_not_ending(data, i):
            if ends_at(chunk, i + 2) and follows_word(chunk, i - 1):
                mark(chunk, i - 1, GAP)
        elif is_long_ending(data, i + 1, stop) and ends_at(chunk, i + 3) and follows_word(chunk, i):
            mark(chunk, i, GAP)
