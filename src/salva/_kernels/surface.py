"""Capitals, marks and blanks as people leave them out: the plans of `case`, `punctuation` and `spaces`.

They look at what touches a word, at what is between two tokens, and at where sentences begin, as far as the
two tokens before a word show; tokens are runs of word characters.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import ASCII_LETTER, ASK_MARK, CAPITAL, SENTENCE_MARK, SMALL, bytes_in
    from salva._kernels.constants import *
    from salva._kernels.plans import (
        EditsOut,
        Rates,
        Tokens,
        add_edit,
        add_edit_at,
        has_room,
        is_kept,
    )
    from salva._kernels.rng import below, bounded, draw
    from salva._kernels.strings import StringTable, copy_bytes, find

# A word that touches one of these is part of something longer, and so is one before a full stop and a letter.
JOINING_BYTE = cython.declare(u8[256])
JOINING_BYTE = bytes_in("'-/_&@#\\=+~^%$*0123456789")
SPACED_MARK = cython.declare(u8[256])
SPACED_MARK = bytes_in(",.!?")
# How often a blank is put before a mark, is left out after it and is doubled: after , and . and after ! and
# ?. IMDB's reviewers forget the blank after a comma four times as often as they put one before it, and with
# ! and ? it is the other way round.
WEIGHTS = cython.declare(u8[6])
WEIGHTS = [1, 3, 2, 3, 1, 2]


@cfunc
@inline
@nogil
def is_curly(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether there is exactly a curly apostrophe."""
    if stop - start != CURLY_SIZE or data[start] != CURLY_1:
        return False
    return data[start + 1] == CURLY_2 and data[start + 2] == CURLY_3


@cfunc
@inline
@nogil
def is_joined(data: const_u8[::1], row_start: i64, row_stop: i64, start: i64, stop: i64) -> bint:
    """Return whether a word touches something that it is part of."""
    if start > row_start and JOINING_BYTE[data[start - 1]]:
        return True
    if stop < row_stop and JOINING_BYTE[data[stop]]:
        return True
    if stop + 1 < row_stop and data[stop] == DOT and SMALL[data[stop + 1] | CASE_BIT]:
        return True
    if start - CURLY_SIZE >= row_start and is_curly(data, start - CURLY_SIZE, start):
        return True
    return stop + CURLY_SIZE <= row_stop and is_curly(data, stop, stop + CURLY_SIZE)


@cfunc
@inline
@nogil
def read_word(data: const_u8[::1], start: i64, stop: i64, out: u8[::1]) -> bint:
    """Write a word in lower case; return whether it has only letters from a to z, and no capital inside."""
    if stop - start > len(out):
        return False
    plain: u8 = SMALL[data[start]] | CAPITAL[data[start]]
    out[0] = data[start] | CASE_BIT
    for i in range(1, stop - start):
        out[i] = data[start + i]
        plain &= SMALL[out[i]]
    return plain


@cfunc
@inline
@nogil
def is_small(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether there are only small letters."""
    small: u8 = 1
    for i in range(start, stop):
        small &= SMALL[data[i]]
    return small


@cfunc
@inline
@nogil
def touches_next(tokens: Tokens, last: i64, token: i64) -> bint:
    """Return whether nothing is between a token and the next one of its row, which ends at token `last`."""
    return token + 1 < last and tokens.stops[token] == tokens.starts[token + 1]


@cfunc
@inline
@nogil
def has_blank_after(tokens: Tokens, last: i64, token: i64) -> bint:
    """Return whether exactly one blank is between a token and the next one of its row."""
    if token + 1 >= last or tokens.starts[token + 1] - tokens.stops[token] != 1:
        return False
    return tokens.data[tokens.stops[token]] == BLANK


@cfunc
@inline
@nogil
def has_sentence_mark(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether a token has a mark that ends sentences, or is markup."""
    found: u8 = data[stop - 1] == TAG_END
    for i in range(start, stop):
        found |= SENTENCE_MARK[data[i]]
    return found


@cfunc
@inline
@nogil
def begins_sentence(tokens: Tokens, first: i64, token: i64) -> bint:
    """Return whether a token of the row that begins at `first` is the first of a sentence."""
    if token == first:
        return True
    before = token - 1
    if not has_sentence_mark(tokens.data, tokens.starts[before], tokens.stops[before]):
        return False
    if before == first or tokens.stops[before] - tokens.starts[before] > 1:
        return True
    return not is_abbreviation(tokens, before - 1)


@final
@dataclass(repr=False, eq=False)
@cclass
class CaseWords:
    """Words in lower case, and the flags of each."""

    table: StringTable
    flags: const_u8[::1]


@cfunc
@inline
@nogil
def flags_of_token(words: CaseWords, tokens: Tokens, token: i64, word: u8[::1]) -> i64:
    """Return the flags of a token, 0 if it is unknown or not a word."""
    if not read_word(tokens.data, tokens.starts[token], tokens.stops[token], word):
        return 0
    number = find(words.table, word, 0, tokens.stops[token] - tokens.starts[token])
    return 0 if number < 0 else words.flags[number]


@cfunc
@inline
@nogil
def ends_quoted(data: const_u8[::1], start: i64, stop: i64, quoted: bint) -> bint:
    """Return whether a quotation is open after a token; `quoted` is whether one was open before it."""
    for i in range(start, stop):
        if data[i] == QUOTE:
            quoted = not quoted
        elif data[i] == CURLY_1 and i + 2 < stop and data[i + 1] == CURLY_2:
            quoted = data[i + 2] == CURLY_OPEN or (quoted and data[i + 2] != CURLY_CLOSE)
    return quoted


@cfunc
@inline
@nogil
def begins_capital(tokens: Tokens, token: i64) -> bint:
    """Return whether a token begins with a capital letter of ASCII."""
    return CAPITAL[tokens.data[tokens.starts[token]]]


@cfunc
@inline
@nogil
def is_abbreviation(tokens: Tokens, token: i64) -> bint:
    """Return whether a token is a short capitalised word that touches the next token, a full stop."""
    start, stop = tokens.starts[token], tokens.stops[token]
    return (
        stop == tokens.starts[token + 1]
        and stop - start <= SHORT_ABBREVIATION
        and begins_capital(tokens, token)
    )


@cfunc
@inline
@nogil
def has_capital_beside(tokens: Tokens, first: i64, last: i64, token: i64) -> bint:
    """Return whether a token of the row from `first` to `last` is next to a capital or an abbreviation."""
    if token + 1 < last and begins_capital(tokens, token + 1):
        return True
    if token > first and begins_capital(tokens, token - 1):
        return True
    if token < first + 2 or tokens.data[tokens.starts[token - 1]] != DOT:
        return False
    return is_abbreviation(tokens, token - 2)


@cfunc
@nogil
def is_pronoun(words: CaseWords, tokens: Tokens, row: i64, token: i64, word: u8[::1]) -> bint:
    """Return whether a token is I, before a blank or an apostrophe, and not a numeral."""
    start, stop, row_stop = tokens.starts[token], tokens.stops[token], tokens.row_starts[row + 1]
    if stop - start != 1 or tokens.data[start] != PRONOUN or stop >= row_stop:
        return False
    curly: bint = stop + CURLY_SIZE <= row_stop and is_curly(tokens.data, stop, stop + CURLY_SIZE)
    if not curly and tokens.data[stop] not in (BLANK, APOSTROPHE):
        return False
    return token == tokens.rows[row] or not flags_of_token(words, tokens, token - 1, word) & IS_NUMBERED


@cfunc
@nogil
def may_lose_capital(words: CaseWords, tokens: Tokens, row: i64, token: i64, word: u8[::1]) -> bint:
    """Return whether a capitalised word is a function word at the start of a sentence, or only a name."""
    first, start, stop = tokens.rows[row], tokens.starts[token], tokens.stops[token]
    row_start, row_stop = tokens.row_starts[row], tokens.row_starts[row + 1]
    if is_joined(tokens.data, row_start, row_stop, start, stop):
        return False
    if (token > first and tokens.data[start - 1] == DOT) or not read_word(tokens.data, start, stop, word):
        return False
    number = find(words.table, word, 0, stop - start)
    flags: i64 = 0 if number < 0 else words.flags[number]
    if flags & IS_PLAIN:
        return flags & IS_FUNCTION != 0 and begins_sentence(tokens, first, token)
    if stop < row_stop and tokens.data[stop] == DOT and stop - start <= SHORT_ABBREVIATION:
        return False
    return stop - start >= SHORTEST_NAME


def plan_case(words: CaseWords, tokens: Tokens, rates: Rates, word: u8[::1], out: EditsOut) -> None:
    """Fill the edits; `word` is room for one word."""
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, last, key = tokens.rows[row], tokens.rows[row + 1], tokens.keys[row]
            quoted: bint = False
            for token in range(first, last):
                start, stop = tokens.starts[token], tokens.stops[token]
                if tokens.blocked[token]:
                    continue
                quoted = ends_quoted(tokens.data, start, stop, quoted)
                if quoted or not begins_capital(tokens, token):
                    continue
                if has_capital_beside(tokens, first, last, token):
                    continue
                if stop - start == 1:
                    if not is_pronoun(words, tokens, row, token, word):
                        continue
                elif not may_lose_capital(words, tokens, row, token, word):
                    continue
                out.eligible[row] += 1
                if not is_kept(rates, key, token - first, CASE, CASE_KEEP):
                    continue
                if not has_room(out, stop - start):
                    break
                size = out.size
                end = copy_bytes(tokens.data, start, stop, size, out.new)
                out.new[size] |= CASE_BIT
                add_edit(out, tokens, token, rates.rule, end)
            if out.full:
                break


@final
@dataclass(repr=False, eq=False)
@cclass
class PunctuationWords:
    """Conjunctions, and contractions written without their apostrophe."""

    conjunctions: StringTable
    contractions: StringTable


@cfunc
@inline
@nogil
def follows_small_word(tokens: Tokens, first: i64, token: i64, least: i64) -> bint:
    """Return whether a token touches a word of small letters before it, with at least so many of them."""
    if token == first or tokens.blocked[token - 1] or tokens.stops[token - 1] != tokens.starts[token]:
        return False
    start, stop = tokens.starts[token - 1], tokens.stops[token - 1]
    return stop - start >= least and is_small(tokens.data, start, stop)


@cfunc
@inline
@nogil
def what_mark_may_become(words: PunctuationWords, tokens: Tokens, first: i64, last: i64, token: i64) -> i64:
    """Return what may be done to a mark of one byte."""
    mark = tokens.data[tokens.starts[token]]
    if mark == DOT:
        ends: bint = token + 1 == last and follows_small_word(tokens, first, token, SHORTEST_LAST_WORD)
        return DROP_STOP if ends else NO_CHANGE
    if mark == EXCLAMATION:
        return DOUBLE_MARK if follows_small_word(tokens, first, token, 1) else NO_CHANGE
    if mark != COMMA or not follows_small_word(tokens, first, token, 1):
        return NO_CHANGE
    if not has_blank_after(tokens, last, token) or tokens.blocked[token + 1]:
        return NO_CHANGE
    start, stop = tokens.starts[token + 1], tokens.stops[token + 1]
    return DROP_COMMA if find(words.conjunctions, tokens.data, start, stop) >= 0 else NO_CHANGE


@cfunc
@inline
@nogil
def has_apostrophe_inside(tokens: Tokens, last: i64, token: i64) -> bint:
    """Return whether a token is the beginning of a word with one apostrophe inside."""
    if not touches_next(tokens, last, token) or not touches_next(tokens, last, token + 1):
        return False
    if tokens.blocked[token + 1] or tokens.blocked[token + 2]:
        return False
    start, stop = tokens.starts[token + 1], tokens.stops[token + 1]
    if stop - start == 1:
        return tokens.data[start] == APOSTROPHE
    return is_curly(tokens.data, start, stop)


@cfunc
@nogil
def read_contraction(tokens: Tokens, row: i64, token: i64, word: u8[::1]) -> i64:
    """Write a word without its apostrophe, in lower case; return its length, or 0 if it is not plain."""
    start, middle = tokens.starts[token], tokens.stops[token]
    after, end = tokens.starts[token + 2], tokens.stops[token + 2]
    row_start, row_stop = tokens.row_starts[row], tokens.row_starts[row + 1]
    head, tail = middle - start, end - after
    if head + tail > len(word) or not read_word(tokens.data, start, middle, word):
        return 0
    if not is_small(tokens.data, after, end):
        return 0
    # Both ends are free: neither rock'n'roll nor an address.
    if start > row_start and is_joined(tokens.data, row_start, start, start, start):
        return 0
    if end < row_stop and is_joined(tokens.data, end, row_stop, end, end):
        return 0
    for i in range(tail):
        word[head + i] = tokens.data[after + i]
    return head + tail


@cfunc
@nogil
def what_word_may_become(
    words: PunctuationWords, style: u64, tokens: Tokens, row: i64, token: i64, word: u8[::1]
) -> i64:
    """Return what may be done to a word with an apostrophe inside."""
    length = read_contraction(tokens, row, token, word)
    if length == 0:
        return NO_CHANGE
    bits = draw(tokens.keys[row], token - tokens.rows[row], PUNCTUATE_WAY)
    if find(words.contractions, word, 0, length) < 0 or below(bits, style):
        return OTHER_APOSTROPHE
    return DROP_APOSTROPHE


@cfunc
@inline
@nogil
def write_curly(size: i64, out: u8[::1]) -> i64:
    """Write a curly apostrophe; return the end."""
    out[size] = CURLY_1
    out[size + 1] = CURLY_2
    out[size + 2] = CURLY_3
    return size + CURLY_SIZE


@cfunc
@nogil
def add_mark_edit(what: i64, tokens: Tokens, token: i64, rule: i64, out: EditsOut) -> cython.void:
    """Do to a token what may be done to it."""
    size, start, stop = out.size, tokens.starts[token], tokens.stops[token]
    if what == DOUBLE_MARK:
        out.new[size] = out.new[size + 1] = tokens.data[start]
        size += 2
    elif what == DROP_COMMA:  # with the blank after it
        out.new[size] = tokens.data[stop]
        stop += 1
        size += 1
    elif what == DROP_APOSTROPHE:
        size = copy_bytes(tokens.data, start, stop, size, out.new)
        stop = tokens.stops[token + 2]
        size = copy_bytes(tokens.data, tokens.starts[token + 2], stop, size, out.new)
    elif what == OTHER_APOSTROPHE:
        start, stop = tokens.starts[token + 1], tokens.stops[token + 1]
        if stop - start == 1:
            size = write_curly(size, out.new)
        else:
            out.new[size] = APOSTROPHE
            size += 1
    add_edit_at(out, token, start, stop, rule, size)


def plan_punctuation(
    words: PunctuationWords, tokens: Tokens, rates: Rates, style: u64, word: u8[::1], out: EditsOut
) -> None:
    """Fill the edits; `word` is room for one word, `style` a threshold.

    Below it, an apostrophe becomes another one instead of none.

    A token is one of four things, or none: the last full stop of a text, a comma before a conjunction, a mark
    that can be doubled, or a word with an apostrophe inside.
    """
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, last, key = tokens.rows[row], tokens.rows[row + 1], tokens.keys[row]
            for token in range(first, last):
                if tokens.blocked[token]:
                    continue
                what: i64 = NO_CHANGE
                if has_apostrophe_inside(tokens, last, token):
                    what = what_word_may_become(words, style, tokens, row, token, word)
                elif tokens.stops[token] - tokens.starts[token] == 1:
                    what = what_mark_may_become(words, tokens, first, last, token)
                if what == NO_CHANGE:
                    continue
                out.eligible[row] += 1
                if not is_kept(rates, key, token - first, PUNCTUATE, PUNCTUATE_KEEP):
                    continue
                if not has_room(out, len(word) + SPARE):
                    break
                add_mark_edit(what, tokens, token, rates.rule, out)
            if out.full:
                break


@final
@dataclass(repr=False, eq=False)
@cclass
class SpaceWords:
    """Phrases of two words without the blank, and words that look like the end of an address."""

    phrases: StringTable
    domains: StringTable


@cfunc
@nogil
def may_follow_stop(words: SpaceWords, tokens: Tokens, token: i64, word: u8[::1]) -> bint:
    """Return whether a word after a full stop cannot be read as the end of an address."""
    start, stop = tokens.starts[token], tokens.stops[token]
    if not begins_capital(tokens, token) or stop - start < SHORTEST_LAST_WORD:
        return False
    return read_word(tokens.data, start, stop, word) and find(words.domains, word, 0, stop - start) < 0


@cfunc
@nogil
def ways_of_mark(words: SpaceWords, tokens: Tokens, row: i64, token: i64, word: u8[::1]) -> i64:
    """Return what may be done to the blanks around a mark after a word."""
    start, stop, last = tokens.starts[token], tokens.stops[token], tokens.rows[row + 1]
    if stop - start != 1 or not SPACED_MARK[tokens.data[start]] or token == tokens.rows[row]:
        return 0
    before, end = tokens.starts[token - 1], tokens.stops[token - 1]
    if tokens.blocked[token - 1] or end != start or not ASCII_LETTER[tokens.data[end - 1]]:
        return 0
    ends: bint = tokens.data[start] == DOT
    if ends and (end - before < SHORTEST_LAST_WORD or not is_small(tokens.data, before, end)):
        return 0
    if stop == tokens.row_starts[row + 1]:
        return BLANK_BEFORE
    if not has_blank_after(tokens, last, token) or tokens.blocked[token + 1]:
        return 0
    if not ASCII_LETTER[tokens.data[tokens.starts[token + 1]]]:
        return BLANK_BEFORE | TWO_BLANKS_AFTER
    if ends and not may_follow_stop(words, tokens, token + 1, word):
        return BLANK_BEFORE | TWO_BLANKS_AFTER
    return BLANK_BEFORE | TWO_BLANKS_AFTER | NO_BLANK_AFTER


@cfunc
@nogil
def is_phrase(words: SpaceWords, tokens: Tokens, row: i64, token: i64, word: u8[::1]) -> bint:
    """Return whether a token and the next are a phrase that people write as one word."""
    if not has_blank_after(tokens, tokens.rows[row + 1], token) or tokens.blocked[token + 1]:
        return False
    start, stop = tokens.starts[token], tokens.stops[token]
    after, end = tokens.starts[token + 1], tokens.stops[token + 1]
    length = stop - start + end - after
    if length > len(word) or not is_small(tokens.data, after, end):
        return False
    if not read_word(tokens.data, start, stop, word):
        return False
    if is_joined(tokens.data, tokens.row_starts[row], tokens.row_starts[row + 1], start, end):
        return False
    copy_bytes(tokens.data, after, end, stop - start, word)
    return find(words.phrases, word, 0, length) >= 0


@cfunc
@inline
@nogil
def weight_of(ways: i64, way: i64, mark: i64) -> i64:
    """Return the weight of a way at a mark, 0 if it is not possible."""
    return WEIGHTS[3 * ASK_MARK[mark] + way] if ways >> way & 1 else 0


@cfunc
@inline
@nogil
def choose_way(ways: i64, mark: i64, bits: u64) -> i64:
    """Return one of the ways that are possible, by the weights of a mark."""
    total: i64 = weight_of(ways, 0, mark) + weight_of(ways, 1, mark) + weight_of(ways, 2, mark)
    left = bounded(bits, total)
    way: i64 = 0
    while left >= weight_of(ways, way, mark):
        left -= weight_of(ways, way, mark)
        way += 1
    return cython.cast(i64, 1) << way


@cfunc
@nogil
def add_space_edit(way: i64, tokens: Tokens, token: i64, rule: i64, out: EditsOut) -> cython.void:
    """Write a token with the blanks around it changed."""
    size, start, stop = out.size, tokens.starts[token], tokens.stops[token]
    if way == BLANK_BEFORE:
        out.new[size] = BLANK
        size += 1
    size = copy_bytes(tokens.data, start, stop, size, out.new)
    if way == NO_BLANK:
        stop = tokens.stops[token + 1]
        size = copy_bytes(tokens.data, tokens.starts[token + 1], stop, size, out.new)
    elif way != BLANK_BEFORE:
        stop += 1
        if way == TWO_BLANKS_AFTER:
            out.new[size] = out.new[size + 1] = BLANK
            size += 2
    add_edit_at(out, token, start, stop, rule, size)


def plan_spaces(words: SpaceWords, tokens: Tokens, rates: Rates, word: u8[::1], out: EditsOut) -> None:
    """Fill the edits; `word` is room for one word.

    Only single blanks next to single marks are touched, and blanks inside a few phrases.
    """
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, key = tokens.rows[row], tokens.keys[row]
            for token in range(first, tokens.rows[row + 1]):
                if tokens.blocked[token]:
                    continue
                way: i64 = NO_BLANK
                if not is_phrase(words, tokens, row, token, word):
                    ways = ways_of_mark(words, tokens, row, token, word)
                    if ways == 0:
                        continue
                    mark = tokens.data[tokens.starts[token]]
                    way = choose_way(ways, mark, draw(key, token - first, SPACING_WAY))
                out.eligible[row] += 1
                if not is_kept(rates, key, token - first, SPACING, SPACING_KEEP):
                    continue
                if not has_room(out, len(word) + SPARE):
                    break
                add_space_edit(way, tokens, token, rates.rule, out)
            if out.full:
                break
