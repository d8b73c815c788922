"""Words and digits that change the answer: the plans of `numbers`, `names` and other contrasts.

Digits become another number of the same form: as many digits, the same separators and as many zeros at the
end; a year stays in its century. The first digit that may change always does. Left alone: 0 and 1 by
themselves, numbers that begin with 0, parts of longer things (B2B, 10:30, 3-4), denominators, and what they
are out of unless it is 10. A word becomes the same other word of its kind in the whole row, and never one
that the row already has.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import ASCII_DIGIT, CAPITAL, bytes_in
    from salva._kernels.constants import *
    from salva._kernels.natural import TOUCHING
    from salva._kernels.plans import EditsOut, Tokens, WordLists, add_edit, add_word, has_room
    from salva._kernels.rng import bounded, draw
    from salva._kernels.surface import begins_capital

JOINED_BEFORE = cython.declare(u8[256])
JOINED_BEFORE = bytes_in("-/_&@#\\=+~^%*:.,'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
JOINED_AFTER = cython.declare(u8[256])
JOINED_AFTER = bytes_in("-/_&@#\\=+~^$*:'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
BEFORE_SENTENCE = cython.declare(u8[256])
BEFORE_SENTENCE = bytes_in('.!?>":()')  # what a sentence begins after


@final
@dataclass(repr=False, eq=False)
@cclass
class FirstSeen:
    """For each word or type of token, the last row that has it, and its first token there."""

    rows: i64[::1]
    firsts: i64[::1]


@cfunc
@inline
@nogil
def see(seen: FirstSeen, number: i64, row: i64, token: i64) -> cython.void:
    """Note a token of a row, unless one of its kind came before it."""
    if seen.rows[number] != row:
        seen.rows[number] = row
        seen.firsts[number] = token


@final
@dataclass(repr=False, eq=False)
@cclass
class NumberWords:
    """The numbers of words that show that a number is a rating; from `hour` on, words that follow a time."""

    of: i64
    out: i64
    slash: i64
    ten: i64  # 10
    a: i64
    hour: i64


@cfunc
@inline
@nogil
def neighbour(words: const_i32[::1], first: i64, last: i64, token: i64) -> i64:
    """Return the number of the word of a token, -1 outside the row."""
    return words[token] if first <= token < last else -1


@cfunc
@inline
@nogil
def find_end(data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return where the number at the beginning of a token ends; `start` if it is not written as usual."""
    at = start
    while at < stop and ASCII_DIGIT[data[at]]:
        at += 1
    whole = at - start
    while at < stop and data[at] == COMMA:
        for k in range(1, 4):
            if at + k >= stop or not ASCII_DIGIT[data[at + k]]:
                return start
        if whole > 3 or (at + 4 < stop and ASCII_DIGIT[data[at + 4]]):
            return start
        at += 4
    if at + 1 < stop and data[at] == DOT and ASCII_DIGIT[data[at + 1]]:
        at += 1
        while at < stop and ASCII_DIGIT[data[at]]:
            at += 1
    return at if whole else start


@cfunc
@inline
@nogil
def is_year(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether four digits may be a year."""
    if stop - start != 4:
        return False
    century = 10 * (data[start] - ZERO) + data[start + 1] - ZERO
    digits: i64 = (
        ASCII_DIGIT[data[start + 1]] and ASCII_DIGIT[data[start + 2]] and ASCII_DIGIT[data[start + 3]]
    )
    return digits and FIRST_CENTURY <= century <= LAST_CENTURY


@cfunc
@inline
@nogil
def set_year_roles(data: const_u8[::1], start: i64, roles: i8[::1]) -> cython.void:
    """Let the last two digits of a year change; years after 2000 stay before 2020."""
    roles[0] = roles[1] = FIXED_DIGIT
    roles[2] = TWENTY_DIGIT if data[start] == ZERO + 2 else INNER_DIGIT
    roles[3] = INNER_DIGIT


@cfunc
@inline
@nogil
def set_roles(data: const_u8[::1], start: i64, stop: i64, roles: i8[::1]) -> cython.void:
    """Fill what may become of every byte of a number; zeros at its end stay."""
    end = stop
    while end > start + 1 and (data[end - 1] == ZERO or not ASCII_DIGIT[data[end - 1]]):
        end -= 1
    for at in range(start, stop):
        roles[at - start] = INNER_DIGIT if ASCII_DIGIT[data[at]] and at < end else FIXED_DIGIT
    if ASCII_DIGIT[data[end - 1]] and data[end - 1] != ZERO:
        roles[end - 1 - start] = FINAL_DIGIT
    if data[start] == ZERO:
        roles[0] = FIXED_DIGIT
    else:
        roles[0] = UNIT_DIGIT if stop - start == 1 else FIRST_DIGIT


@cfunc
@inline
@nogil
def set_ordinal_roles(data: const_u8[::1], start: i64, stop: i64, roles: i8[::1]) -> bint:
    """Let the last digit of 4th to 9th, 14th to 19th … change; return whether there is one."""
    for at in range(start, stop):
        roles[at - start] = FIXED_DIGIT
    roles[stop - 1 - start] = ORDINAL_DIGIT
    return data[stop - 1] >= ZERO + 4


@cfunc
@inline
@nogil
def is_joined_number(data: const_u8[::1], row_start: i64, row_stop: i64, start: i64, stop: i64) -> bint:
    """Return whether a number is a part of something longer."""
    before: i64 = start > row_start and (JOINED_BEFORE[data[start - 1]] or ASCII_DIGIT[data[start - 1]])
    after: i64 = stop < row_stop and (JOINED_AFTER[data[stop]] or ASCII_DIGIT[data[stop]])
    return before or after


@cfunc
@inline
@nogil
def is_fixed_rating(words: const_i32[::1], special: NumberWords, first: i64, last: i64, token: i64) -> bint:
    """Return whether a number is a time, what others are out of, or out of something other than 10."""
    before, after = neighbour(words, first, last, token - 1), neighbour(words, first, last, token + 1)
    if after >= special.hour or (before == special.a and words[token] == special.ten):
        return True
    if before == special.slash or (
        before == special.of and neighbour(words, first, last, token - 2) == special.out
    ):
        return True
    if after == special.slash:
        return neighbour(words, first, last, token + 2) != special.ten
    is_out_of: bint = after == special.out and neighbour(words, first, last, token + 2) == special.of
    return is_out_of and neighbour(words, first, last, token + 3) != special.ten


@cfunc
@inline
@nogil
def is_in_title(tokens: Tokens, first: i64, token: i64) -> bint:
    """Return whether the word before a number is capitalised and does not begin a sentence: Rocky 2."""
    if token < first + 2 or not CAPITAL[tokens.data[tokens.starts[token - 1]]]:
        return False
    return not BEFORE_SENTENCE[tokens.data[tokens.stops[token - 2] - 1]]


@cfunc
@inline
@nogil
def may_be_rating(words: const_i32[::1], special: NumberWords, first: i64, last: i64, token: i64) -> bint:
    """Return whether a number is followed by a slash or by `out`, so that it must have one digit."""
    after = neighbour(words, first, last, token + 1)
    return after in (special.slash, special.out)


@cfunc
@inline
@nogil
def read_number(data: const_u8[::1], start: i64, stop: i64, money: bint, roles: i8[::1]) -> i64:
    """Fill the roles of a number's bytes; return where it ends, or -1 if it stays as it is."""
    end = find_end(data, start, stop)
    size = end - start
    if size == 0 or size > LONGEST_NUMBER:
        return -1
    rest = stop - end
    if rest == 2 and data[end] == ord("t") and data[end + 1] == ord("h"):
        return end if set_ordinal_roles(data, start, end, roles) else -1
    decade: bint = rest == 1 and data[end] == ord("s") and is_year(data, start, end) and data[end - 1] == ZERO
    rated: bint = rest == 3 and data[end] == SLASH and data[end + 1] == ZERO + 1 and data[end + 2] == ZERO
    if rest > 0 and not decade and not (rated and size == 1):
        return -1
    if size == 1 and data[start] < ZERO + 2:
        return -1
    if data[start] == ZERO and (size < 3 or data[start + 1] != DOT):
        return -1
    if is_year(data, start, end) and not money:
        set_year_roles(data, start, roles)
        if decade:
            roles[3] = FIXED_DIGIT
    else:
        set_roles(data, start, end, roles)
    return end


@cfunc
@inline
@nogil
def new_digit(role: i64, old: i64, must_change: bint, bits: u64) -> i64:
    """Return a digit for a role; another one if it must change."""
    low: i64 = 0
    high: i64 = 9
    if role in (FIRST_DIGIT, FINAL_DIGIT):
        low = 1
    elif role == UNIT_DIGIT:
        low = 2
    elif role == ORDINAL_DIGIT:
        low = 4
    elif role == TWENTY_DIGIT:
        high = 1
    inside: bint = must_change and low <= old <= high
    digit = low + bounded(bits, high - low + 1 - inside)
    return digit + (inside and digit >= old)


@cfunc
@inline
@nogil
def write_number(
    data: const_u8[::1],
    start: i64,
    end: i64,
    stop: i64,
    key: u64,
    place: i64,
    size: i64,
    roles: const_i8[::1],
    out: u8[::1],
) -> i64:
    """Write another number of the same roles, and the rest of its token; return the end."""
    changed: bint = False
    for k in range(end - start):
        byte = data[start + k]
        if roles[k] != FIXED_DIGIT:
            bits: u64 = draw(key, place * LONGEST_NUMBER + k, DIGIT_CHOICE)
            byte = ZERO + new_digit(roles[k], byte - ZERO, not changed, bits)
            changed = True
        out[size + k] = byte
    for k in range(end - start, stop - start):
        out[size + k] = data[start + k]
    return size + stop - start


@cfunc
@inline
@nogil
def has_free_digit(roles: const_i8[::1], size: i64) -> bint:
    """Return whether any digit may change."""
    found: bint = False
    for k in range(size):
        found |= roles[k] != FIXED_DIGIT
    return found


@cfunc
@nogil
def digits_end(
    special: NumberWords,
    tokens: Tokens,
    row: i64,
    token: i64,
    words: const_i32[::1],
    roles: i8[::1],
) -> i64:
    """Fill the roles of a token's digits; return where its number ends, or -1 if it stays as it is."""
    start, stop = tokens.starts[token], tokens.stops[token]
    first, last = tokens.rows[row], tokens.rows[row + 1]
    row_start, row_stop = tokens.row_starts[row], tokens.row_starts[row + 1]
    if tokens.blocked[token] or not ASCII_DIGIT[tokens.data[start]]:
        return -1
    if is_joined_number(tokens.data, row_start, row_stop, start, stop):
        return -1
    before: i64 = tokens.data[start - 1] if start > row_start else 0
    money: bint = before == DOLLAR or before >= NOT_ASCII  # the sign of a currency, so this is not a year
    end = read_number(tokens.data, start, stop, money, roles)
    if end < 0 or is_fixed_rating(words, special, first, last, token):
        return -1
    if end - start > 1 and may_be_rating(words, special, first, last, token):
        return -1
    if end - start < SHORT_NUMBER and is_in_title(tokens, first, token):
        return -1
    if end - start > 2 and stop < row_stop and tokens.data[stop] == PERCENT:
        return -1
    return end if has_free_digit(roles, end - start) else -1


def plan_digits(
    special: NumberWords,
    tokens: Tokens,
    words: const_i32[::1],
    types: const_i32[::1],
    rule: i64,
    seen: FirstSeen,
    roles: i8[::1],
    out: EditsOut,
) -> None:
    """Fill all possible edits; `roles` is room for one number, and no row of `seen` may be one of these.

    `words` has the numbers of `special` words; equal tokens have equal `types`, and become equal numbers.
    """
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, key = tokens.rows[row], tokens.keys[row]
            for token in range(first, tokens.rows[row + 1]):
                end = digits_end(special, tokens, row, token, words, roles)
                if end < 0:
                    continue
                see(seen, types[token], row, token)
                out.eligible[row] += 1
                start, stop = tokens.starts[token], tokens.stops[token]
                if not has_room(out, stop - start):
                    break
                place = seen.firsts[types[token]] - first
                end = write_number(tokens.data, start, end, stop, key, place, out.size, roles, out.new)
                add_edit(out, tokens, token, rule, end)
            if out.full:
                break


@final
@dataclass(repr=False, eq=False)
@cclass
class SwapWords:
    """Words as written: the kind of each (-1 for none), its neighbours' rule, and flags of other words.

    The members of kind `k` are the words `members[starts[k]:starts[k + 1]]`; `lists` spells all words.
    """

    kinds: const_i32[::1]
    rules: const_u8[::1]
    flags: const_u8[::1]
    starts: const_i64[::1]
    members: const_i32[::1]
    lists: WordLists


@cfunc
@inline
@nogil
def is_comma(tokens: Tokens, token: i64) -> bint:
    """Return whether a token is a comma."""
    return tokens.data[tokens.starts[token]] == COMMA


@cfunc
@inline
@nogil
def has_place_beside(tokens: Tokens, first: i64, last: i64, token: i64) -> bint:
    """Return whether a capitalised word is next to a token, or beyond a comma: Paris, Texas."""
    found: bint = False
    if token > first:
        found |= begins_capital(tokens, token - 1)
    if token + 1 < last:
        found |= begins_capital(tokens, token + 1)
    if token - 1 > first and is_comma(tokens, token - 1):
        found |= begins_capital(tokens, token - 2)
    if token + 2 < last and is_comma(tokens, token + 1):
        found |= begins_capital(tokens, token + 2)
    return found


@cfunc
@inline
@nogil
def fits(swaps: SwapWords, words: const_i32[::1], tokens: Tokens, first: i64, last: i64, token: i64) -> bint:
    """Return whether a word of a kind is used as such, as far as its neighbours show."""
    rule = swaps.rules[words[token]]
    if rule == PLACE:
        return not has_place_beside(tokens, first, last, token)
    if rule == PERSON:
        return token == first or not begins_capital(tokens, token - 1)
    before: i64 = words[token - 1] if token > first else -1
    after: i64 = words[token + 1] if token + 1 < last else -1
    if before >= 0 and (swaps.kinds[before] >= 0 or swaps.flags[before] & NO_NUMBER_AFTER != 0):
        return False
    return after < 0 or (swaps.kinds[after] < 0 and swaps.flags[after] & NO_NUMBER_BEFORE == 0)


@cfunc
@inline
@nogil
def is_whole_word(tokens: Tokens, row: i64, token: i64) -> bint:
    """Return whether a token touches nothing that it could be part of."""
    start, stop = tokens.starts[token], tokens.stops[token]
    if start > tokens.row_starts[row] and TOUCHING[tokens.data[start - 1]]:
        return False
    return stop == tokens.row_starts[row + 1] or not TOUCHING[tokens.data[stop]]


@cfunc
@inline
@nogil
def choose_member(swaps: SwapWords, seen: FirstSeen, row: i64, word: i64, bits: u64) -> i64:
    """Return the member of a word's kind that a draw picks, or the next one that the row lacks; or -1."""
    kind = swaps.kinds[word]
    start = swaps.starts[kind]
    count = swaps.starts[kind + 1] - start
    picked = bounded(bits, count)
    for k in range(count):
        member = swaps.members[start + (picked + k) % count]
        if seen.rows[member] != row:
            return member
    return -1


def plan_swaps(
    swaps: SwapWords,
    tokens: Tokens,
    words: const_i32[::1],
    rule: i64,
    seen: FirstSeen,
    out: EditsOut,
) -> None:
    """Fill all possible edits; no row of `seen` may be one of these.

    `words` has the number of every token's word, -1 for those that `swaps` lacks.
    """
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, last = tokens.rows[row], tokens.rows[row + 1]
            for token in range(first, last):
                if words[token] >= 0:
                    see(seen, words[token], row, token)
            for token in range(first, last):
                word = words[token]
                if word < 0 or swaps.kinds[word] < 0 or tokens.blocked[token]:
                    continue
                if not is_whole_word(tokens, row, token):
                    continue
                if not fits(swaps, words, tokens, first, last, token):
                    continue
                bits = draw(tokens.keys[row], seen.firsts[word] - first, SWAP_CHOICE)
                member = choose_member(swaps, seen, row, word, bits)
                if member < 0:
                    continue
                out.eligible[row] += 1
                if not add_word(out, tokens, token, rule, swaps.lists, member):
                    break
            if out.full:
                break


@final
@dataclass(repr=False, eq=False)
@cclass
class ContrastCandidates:
    """Possible edits: their first tokens, places in bytes, and which flags their sentences must not have."""

    tokens: const_i64[::1]
    starts: const_i32[::1]
    stops: const_i32[::1]
    barred: const_u8[::1]


def fill_draws(keys: const_u64[::1], places: const_i64[::1], stage: i64, out: u64[::1]) -> None:
    """Fill a draw for every place, each with a key of its own."""
    with nogil:
        for k in range(len(places)):
            out[k] = draw(keys[k], places[k], stage)


@cfunc
@inline
@nogil
def number_sentences(flags: const_u8[::1], first: i64, last: i64, out: i32[::1]) -> i64:
    """Fill the number of the sentence of every token of a row, from 0; return how many there are."""
    sentence: i64 = 0
    for token in range(first, last):
        out[token - first] = sentence
        sentence += (flags[token] & SENTENCE_END) != 0
    return sentence + 1


def find_clear(
    rows: const_i64[::1],
    starts: const_i32[::1],
    flags: const_u8[::1],
    candidates: ContrastCandidates,
    sentences: i32[::1],
    counts: i32[::1],
    out: u8[::1],
) -> None:
    """Fill whether the sentence of a candidate has none of its barred flags outside the candidate itself.

    `sentences` and `counts` (eight per sentence, one per flag) are room for the longest row.
    """
    with nogil:
        edit: i64 = 0
        for row in range(len(rows) - 1):
            first, last = rows[row], rows[row + 1]
            most = number_sentences(flags, first, last, sentences)
            for bit in range(8 * most):
                counts[bit] = 0
            for token in range(first, last):
                for bit in range(8):
                    counts[8 * sentences[token - first] + bit] += (flags[token] >> bit) & 1
            while edit < len(candidates.tokens) and candidates.tokens[edit] < last:
                token = candidates.tokens[edit]
                sentence = sentences[token - first]
                clear: bint = True
                for bit in range(8):
                    if (candidates.barred[edit] >> bit) & 1:
                        own: i64 = 0
                        at = token
                        while at < last and starts[at] < candidates.stops[edit]:
                            own += (flags[at] >> bit) & 1
                            at += 1
                        clear &= counts[8 * sentence + bit] == own
                out[edit] = clear
                edit += 1
