"""The plan of numbers in digits: each becomes another number of the same form.

As many digits, the same separators and as many zeros at the end; a year stays in its century. The first digit
that may change always does. Left alone: 0 and 1 by themselves, numbers that begin with 0, parts of longer
things (B2B, 10:30, 3-4), denominators, and what they are out of unless it is 10.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import bytes_in
from salva._kernels.choices import EditsOut, Tally, Tokens, add_edit
from salva._kernels.jit import kernel, step
from salva._kernels.pairs import CAPITAL
from salva._kernels.rng import bounded, draw
from salva._kernels.stages import DIGIT_CHOICE
from salva._types import Bytes, Ints8, Ints32, Ints64

DIGITS = bytes_in("0123456789")
JOINED_BEFORE = bytes_in("-/_&@#\\=+~^%*:.,'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
JOINED_AFTER = bytes_in("-/_&@#\\=+~^$*:'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
ZERO, POINT, COMMA, SLASH, PERCENT, DOLLAR = (ord(mark) for mark in "0.,/%$")
ASCII = 0x80
T, H, S = (ord(letter) for letter in "ths")
ENDS = bytes_in('.!?>":()')  # what a sentence begins after
LONGEST = 16  # bytes of a number
SHORT = 3  # digits; a shorter number may be a part of a title
FIXED, FIRST, INNER, FINAL, TWENTY, ORDINAL, UNIT = range(7)  # what may become of a digit
YEARS = (11, 20)  # the first two digits of years


class NumberWords(NamedTuple):
    """The numbers of words that show that a number is a rating; from `hour` on, words that follow a time."""

    of: int
    out: int
    slash: int
    ten: int  # 10
    a: int
    hour: int


class DigitScratch(NamedTuple):
    """For each type of token, the last row that has it and its first token there; and the roles of digits."""

    rows: Ints64
    firsts: Ints64
    roles: Ints8


@step
def word_at(words: Ints32, first: int, last: int, token: int) -> int:
    """Return the number of the word of a token, -1 outside the row."""
    return words[token] if first <= token < last else -1


@step
def find_end(data: Bytes, start: int, stop: int) -> int:
    """Return where the number at the beginning of a token ends; `start` if it is not written as usual."""
    at = start
    while at < stop and DIGITS[data[at]]:
        at += 1
    whole = at - start
    while at < stop and data[at] == COMMA:
        for k in range(1, 4):
            if at + k >= stop or not DIGITS[data[at + k]]:
                return start
        if whole > 3 or (at + 4 < stop and DIGITS[data[at + 4]]):
            return start
        at += 4
    if at + 1 < stop and data[at] == POINT and DIGITS[data[at + 1]]:
        at += 1
        while at < stop and DIGITS[data[at]]:
            at += 1
    return at if whole else start


@step
def is_year(data: Bytes, start: int, stop: int) -> bool:
    """Return whether four digits may be a year."""
    if stop - start != 4:
        return False
    century = 10 * (data[start] - ZERO) + data[start + 1] - ZERO
    digits = DIGITS[data[start + 1]] and DIGITS[data[start + 2]] and DIGITS[data[start + 3]]
    return digits and YEARS[0] <= century <= YEARS[1]


@step
def set_year_roles(data: Bytes, start: int, roles: Ints8) -> None:
    """Let the last two digits of a year change; years after 2000 stay before 2020."""
    roles[0] = roles[1] = FIXED
    roles[2] = TWENTY if data[start] == ZERO + 2 else INNER
    roles[3] = INNER


@step
def set_roles(data: Bytes, start: int, stop: int, roles: Ints8) -> None:
    """Fill what may become of every byte of a number; zeros at its end stay."""
    end = stop
    while end > start + 1 and (data[end - 1] == ZERO or not DIGITS[data[end - 1]]):
        end -= 1
    for at in range(start, stop):
        roles[at - start] = INNER if DIGITS[data[at]] and at < end else FIXED
    if DIGITS[data[end - 1]] and data[end - 1] != ZERO:
        roles[end - 1 - start] = FINAL
    if data[start] == ZERO:
        roles[0] = FIXED
    else:
        roles[0] = UNIT if stop - start == 1 else FIRST


@step
def set_ordinal_roles(data: Bytes, start: int, stop: int, roles: Ints8) -> bool:
    """Let the last digit of 4th to 9th, 14th to 19th … change; return whether there is one."""
    for at in range(start, stop):
        roles[at - start] = FIXED
    roles[stop - 1 - start] = ORDINAL
    return data[stop - 1] >= ZERO + 4


@step
def is_joined(data: Bytes, row_start: int, row_stop: int, start: int, stop: int) -> bool:
    """Return whether a number is a part of something longer."""
    before = start > row_start and (JOINED_BEFORE[data[start - 1]] or DIGITS[data[start - 1]])
    after = stop < row_stop and (JOINED_AFTER[data[stop]] or DIGITS[data[stop]])
    return before or after


@step
def is_fixed_rating(words: Ints32, special: NumberWords, first: int, last: int, token: int) -> bool:
    """Return whether a number is a time, what others are out of, or out of something other than 10."""
    before, after = word_at(words, first, last, token - 1), word_at(words, first, last, token + 1)
    if after >= special.hour or (before == special.a and words[token] == special.ten):
        return True
    if before == special.slash or (
        before == special.of and word_at(words, first, last, token - 2) == special.out
    ):
        return True
    if after == special.slash:
        return word_at(words, first, last, token + 2) != special.ten
    is_out_of = after == special.out and word_at(words, first, last, token + 2) == special.of
    return is_out_of and word_at(words, first, last, token + 3) != special.ten


@step
def is_in_title(tokens: Tokens, first: int, token: int) -> bool:
    """Return whether the word before a number is capitalised and does not begin a sentence: Rocky 2."""
    if token < first + 2 or not CAPITAL[tokens.data[tokens.starts[token - 1]]]:
        return False
    return not ENDS[tokens.data[tokens.stops[token - 2] - 1]]


@step
def may_be_rating(words: Ints32, special: NumberWords, first: int, last: int, token: int) -> bool:
    """Return whether a number is followed by a slash or by `out`, so that it must have one digit."""
    after = word_at(words, first, last, token + 1)
    return after in (special.slash, special.out)


@step
def read_number(data: Bytes, start: int, stop: int, money: bool, roles: Ints8) -> int:
    """Fill the roles of a number's bytes; return where it ends, or -1 if it stays as it is."""
    end = find_end(data, start, stop)
    size = end - start
    if size == 0 or size > LONGEST:
        return -1
    rest = stop - end
    if rest == 2 and data[end] == T and data[end + 1] == H:
        return end if set_ordinal_roles(data, start, end, roles) else -1
    decade = rest == 1 and data[end] == S and is_year(data, start, end) and data[end - 1] == ZERO
    rated = rest == 3 and data[end] == SLASH and data[end + 1] == ZERO + 1 and data[end + 2] == ZERO
    if rest > 0 and not decade and not (rated and size == 1):
        return -1
    if size == 1 and data[start] < ZERO + 2:
        return -1
    if data[start] == ZERO and (size < 3 or data[start + 1] != POINT):
        return -1
    if is_year(data, start, end) and not money:
        set_year_roles(data, start, roles)
        if decade:
            roles[3] = FIXED
    else:
        set_roles(data, start, end, roles)
    return end


@step
def new_digit(role: int, old: int, must_change: bool, bits: np.uint64) -> int:
    """Return a digit for a role; another one if it must change."""
    low, high = 0, 9
    if role in (FIRST, FINAL):
        low = 1
    elif role == UNIT:
        low = 2
    elif role == ORDINAL:
        low = 4
    elif role == TWENTY:
        high = 1
    inside = must_change and low <= old <= high
    digit = low + bounded(bits, high - low + 1 - inside)
    return digit + (inside and digit >= old)


@step
def write_number(data: Bytes, start: int, end: int, stop: int, key: np.uint64, place: int, size: int,
                 roles: Ints8, out: Bytes) -> int:  # fmt: skip
    """Write another number of the same roles, and the rest of its token; return the end."""
    changed = False
    for k in range(end - start):
        byte = data[start + k]
        if roles[k] != FIXED:
            bits = draw(key, place * LONGEST + k, DIGIT_CHOICE)
            byte = ZERO + new_digit(roles[k], byte - ZERO, not changed, bits)
            changed = True
        out[size + k] = byte
    for k in range(end - start, stop - start):
        out[size + k] = data[start + k]
    return size + stop - start


@step
def has_free_digit(roles: Ints8, size: int) -> bool:
    """Return whether any digit may change."""
    found = False
    for k in range(size):
        found |= roles[k] != FIXED
    return found


@kernel
def plan_digits(
    special: NumberWords,
    tokens: Tokens,
    row_starts: Ints64,
    words: Ints32,
    types: Ints32,
    rule: int,
    scratch: DigitScratch,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill all possible edits; return how many there are, or -1 if there was no room.

    `words` has the numbers of `special` words; equal tokens have equal `types`, and become equal numbers.
    """
    edits = size = 0
    data = tokens.data
    scratch.rows[:] = -1
    for row in range(len(tokens.rows) - 1):
        first, last = tokens.rows[row], tokens.rows[row + 1]
        for token in range(first, last):
            start, stop = tokens.starts[token], tokens.stops[token]
            if tokens.blocked[token] or not DIGITS[data[start]]:
                continue
            if is_joined(data, row_starts[row], row_starts[row + 1], start, stop):
                continue
            before = data[start - 1] if start > row_starts[row] else 0
            money = before == DOLLAR or before >= ASCII  # the sign of a currency, not a year
            end = read_number(data, start, stop, money, scratch.roles)
            if end < 0 or is_fixed_rating(words, special, first, last, token):
                continue
            if end - start > 1 and may_be_rating(words, special, first, last, token):
                continue
            if end - start < SHORT and is_in_title(tokens, first, token):
                continue
            percent = stop < row_starts[row + 1] and data[stop] == PERCENT
            if (percent and end - start > 2) or not has_free_digit(scratch.roles, end - start):
                continue
            if scratch.rows[types[token]] != row:
                scratch.rows[types[token]], scratch.firsts[types[token]] = row, token
            place = scratch.firsts[types[token]] - first
            tally.eligible[row] += 1
            if size + stop - start > len(out.new):
                return -1
            key = tokens.keys[row]
            size = write_number(data, start, end, stop, key, place, size, scratch.roles, out.new)
            edits = add_edit(out, edits, tokens, token, rule, size)
    return edits
