"""Stretches of text that must not change (tags, entities, addresses, names), and the tokens that they block.

Stretches are recognised by certain characters, so that a text is scanned only once. Addresses and tags are
ASCII; names may be in any script.

A text with markup is cut with blanks in place of the markup; here the markup is put back, one token per
stretch. `ties` say how each token is tied to the one before, and whether a render may look into it.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        ASCII_DIGIT,
        ASCII_LETTER,
        Characters,
        bytes_in,
        flags_at,
        flags_before,
        is_ascii,
        width,
    )
    from salva._kernels.constants import *

ADDRESS_BYTES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX_DIGIT = cython.declare(u8[256])
HEX_DIGIT = bytes_in("0123456789abcdefABCDEF")
LOCAL = cython.declare(u8[256])
LOCAL = bytes_in(ADDRESS_BYTES + "._%+-")
DOMAIN = cython.declare(u8[256])
DOMAIN = bytes_in(ADDRESS_BYTES + "-")
SCHEME = cython.declare(u8[256])
SCHEME = bytes_in(ADDRESS_BYTES + "+.-")
ENDS_URL = cython.declare(u8[256])
ENDS_URL = bytes_in('<>"')
QUOTE_BYTE = cython.declare(u8[256])
QUOTE_BYTE = bytes_in("'\"`")
# Bytes by which a stretch is recognised: a piece of markup, or an address, an @name or a #tag.
BEGINS_MARKUP, BEGINS_NAME = b"<&", b"@#:wW"


@final
@dataclass(repr=False, eq=False)
@cclass
class Stretches:
    """Stretches in order: the bytes from `starts` to `stops`, each MARKUP or NAMED."""

    starts: i32[::1]
    stops: i32[::1]
    categories: u8[::1]


@cfunc
@inline
@nogil
def tag_end(data: const_u8[::1], i: i64, stop: i64) -> i64:
    """Return where the tag that begins at byte `i` ends, or -1: <, perhaps / ! ?, a letter or <!--, and >."""
    k = i + 1
    if k < stop and data[k] in (ord("/"), ord("!"), ord("?")):
        k += 1
    comment: bint = k + 1 < stop and data[k - 1] == ord("!") and data[k] == data[k + 1] == ord("-")
    if k >= stop or not (ASCII_LETTER[data[k]] or comment):
        return -1
    for end in range(k, min(stop, i + LONGEST_TAG)):
        if data[end] == ord(">"):
            return end + 1
        if data[end] == ord("<"):
            return -1
    return -1


@cfunc
@inline
@nogil
def entity_end(data: const_u8[::1], i: i64, stop: i64) -> i64:
    """Return where the entity that begins at byte `i` ends, or -1: &name; or &#1; or &#xA;."""
    k = i + 1
    numeric: bint = k < stop and data[k] == ord("#")
    k += numeric
    hexadecimal: bint = numeric and k < stop and data[k] in (ord("x"), ord("X"))
    k += hexadecimal
    first = k
    for end in range(k, min(stop, i + LONGEST_ENTITY)):
        byte = data[end]
        if byte == ord(";"):
            return end + 1 if end > first else -1
        fits = (
            (HEX_DIGIT[byte] if hexadecimal else ASCII_DIGIT[byte])
            if numeric
            else ASCII_LETTER[byte] or ASCII_DIGIT[byte]
        )
        if not fits:
            return -1
    return -1


@cfunc
@inline
@nogil
def word_end(characters: Characters, data: const_u8[::1], i: i64, stop: i64) -> i64:
    """Return where the letters, digits and _ that begin at byte `i` end."""
    while i < stop and flags_at(characters, data, i) & WORD:
        i += width(data[i])
    return i


@cfunc
@inline
@nogil
def url_end(characters: Characters, data: const_u8[::1], i: i64, stop: i64) -> i64:
    """Return where an address ends: at white space, a quote or an angle bracket."""
    while i < stop and not ENDS_URL[data[i]] and not flags_at(characters, data, i) & SPACE:
        i += width(data[i])
    return i


@cfunc
@inline
@nogil
def domain_end(data: const_u8[::1], i: i64, stop: i64) -> i64:
    """Return where the domain of a mail address ends, or -1 if it has no dot inside."""
    dots: i64 = 0
    while i < stop and DOMAIN[data[i]]:
        while i < stop and DOMAIN[data[i]]:
            i += 1
        if i + 1 < stop and data[i] == ord(".") and DOMAIN[data[i + 1]]:
            dots += 1
            i += 1
    return i if dots else -1


@cfunc
@inline
@nogil
def after_word(characters: Characters, data: const_u8[::1], i: i64, first: i64) -> bint:
    """Return whether a word ends at byte `i`."""
    return i > first and flags_before(characters, data, i) & WORD != 0


@cfunc
@inline
@nogil
def is_www(data: const_u8[::1], i: i64, stop: i64) -> bint:
    """Return whether `www.` and at least one more character are at byte `i`."""
    if i + 4 >= stop or data[i + 3] != ord("."):
        return False
    return (
        data[i] | CASE_BIT == ord("w")
        and data[i + 1] | CASE_BIT == ord("w")
        and data[i + 2] | CASE_BIT == ord("w")
    )


@cfunc
@inline
@nogil
def find_name(characters: Characters, data: const_u8[::1], i: i64, first: i64, stop: i64) -> tuple[i64, i64]:
    """Return the address or name that contains the character at byte `i`; an empty range if there is none."""
    byte = data[i]
    start = i
    end: i64 = -1
    if byte == ord("@"):
        while start > first and LOCAL[data[start - 1]]:
            start -= 1
        end = domain_end(data, i + 1, stop) if start < i else -1
    if end < 0 and byte in (ord("@"), ord("#")):
        start = i
        if not after_word(characters, data, i, first):
            end = word_end(characters, data, i + 1, stop)
            end = end if end > i + 1 else -1
    if byte == ord(":") and i + 2 < stop and data[i + 1] == ord("/") and data[i + 2] == ord("/"):
        while start > first and SCHEME[data[start - 1]]:
            start -= 1
        end = url_end(characters, data, i + 3, stop) if start < i else -1
    if is_www(data, i, stop) and not after_word(characters, data, i, first):
        end = url_end(characters, data, i + 4, stop)
    return (start, end) if end > start else (i, i)


@cfunc
@inline
@nogil
def is_torn(
    characters: Characters, data: const_u8[::1], start: i64, stop: i64, first: i64, last: i64
) -> bint:
    """Return whether a token begins or ends inside what readers see as one character."""
    before: i64 = data[start - 1] if start > first else 0
    after: i64 = data[stop] if stop < last else 0
    if (before | data[start] | data[stop - 1] | after) < 0x80:  # nothing in ASCII joins
        return False
    if flags_at(characters, data, start) & JOINING:
        return True
    if start > first and flags_before(characters, data, start) & (JOINING | LEADING):
        return True
    if stop == last:
        return False
    joined = flags_at(characters, data, stop) & JOINING
    return joined != 0 or flags_before(characters, data, stop) & LEADING != 0


def find_stretches(
    characters: Characters,
    markup: bint,
    names: bint,
    data: const_u8[::1],
    row_starts: const_i64[::1],
    candidates: const_i64[::1],
    out: Stretches,
) -> i64:
    """Fill the stretches of markup, and of addresses and names; return how many there are.

    `candidates` are the bytes by which a stretch may be recognised, ascending.
    """
    count: i64 = 0
    row: i64 = 0
    free: i64 = 0
    with nogil:
        for k in range(len(candidates)):
            i = candidates[k]
            while row_starts[row + 1] <= i:
                row += 1
            stop = row_starts[row + 1]
            free = max(free, row_starts[row])
            if i < free:
                continue
            start = i
            end: i64 = -1
            category: i64 = MARKUP
            if markup and data[i] == ord("<"):
                end = tag_end(data, i, stop)
            elif markup and data[i] == ord("&"):
                end = entity_end(data, i, stop)
            if end < 0 and names:
                category = NAMED
                start, end = find_name(characters, data, i, free, stop)
            if end > start:
                out.starts[count] = start
                out.stops[count] = end
                out.categories[count] = category
                count += 1
                free = end
    return count


@cfunc
@inline
@nogil
def closes(characters: Characters, data: const_u8[::1], i: i64, stop: i64) -> bint:
    """Return whether a double quote is at byte `i` and no word begins after it."""
    if i >= stop or data[i] != QUOTE:
        return False
    return i + 1 == stop or flags_at(characters, data, i + 1) & WORD == 0


def hide_markup(
    characters: Characters, stretches: Stretches, row_starts: const_i64[::1], out: u8[::1]
) -> None:
    """Write blanks over markup, so that texts are cut as if it were white space.

    To NLTK, a quote after a blank opens a quotation. So before a closing quote, the last byte of markup
    stays.
    """
    with nogil:
        row: i64 = 0
        for k in range(len(stretches.starts)):
            start, stop = stretches.starts[k], stretches.stops[k]
            while row_starts[row + 1] <= start:
                row += 1
            if stretches.categories[k] == MARKUP:
                stop -= closes(characters, out, stop, row_starts[row + 1])
                for i in range(start, stop):
                    out[i] = BLANK


def block_torn(
    characters: Characters,
    data: const_u8[::1],
    row_starts: const_i64[::1],
    rows: const_i64[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    out: u8[::1],
) -> None:
    """Mark the tokens that begin or end inside what readers see as one character."""
    with nogil:
        for row in range(len(rows) - 1):
            first, last = row_starts[row], row_starts[row + 1]
            if is_ascii(data, first, last):
                continue
            for k in range(rows[row], rows[row + 1]):
                if is_torn(characters, data, starts[k], stops[k], first, last):
                    out[k] = 1


@final
@dataclass(repr=False, eq=False)
@cclass
class TokensOut:
    """Tokens and their properties: `written`, how NLTK writes quotes, `blocked` and `ties`."""

    starts: i32[::1]
    stops: i32[::1]
    written: u8[::1]
    blocked: u8[::1]
    ties: u8[::1]


@cfunc
@inline
@nogil
def copy_tokens(
    starts: const_i32[::1],
    stops: const_i32[::1],
    written: const_u8[::1],
    first: i64,
    last: i64,
    out: TokensOut,
    count: i64,
) -> i64:
    """Append copies of tokens to others; return how many there are."""
    for token in range(first, last):
        place: u64 = count + token - first
        out.starts[place], out.stops[place] = starts[token], stops[token]
        out.written[place] = written[token]
    return count + last - first


@cfunc
@inline
@nogil
def add_markup(out: TokensOut, count: i64, first: i64, start: i64, stop: i64) -> i64:
    """Add markup as a token; return how many tokens there are. `first` is the first token of the row."""
    out.starts[count], out.stops[count], out.written[count], out.blocked[count] = start, stop, 0, 1
    touches: bint = count > first and out.stops[count - 1] == start
    out.ties[count] = OPAQUE | GLUED if touches else OPAQUE
    return count + 1


def insert_markup(
    stretches: Stretches,
    row_starts: const_i64[::1],
    rows: const_i64[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    written: const_u8[::1],
    new_rows: i64[::1],
    out: TokensOut,
) -> i64:
    """Fill the tokens with the markup among them; return how many there are.

    Any markup in a token is cut off. `blocked` and `ties` must be all 0 before the call.
    """
    with nogil:
        count: i64 = 0
        k: i64 = 0
        for row in range(len(rows) - 1):
            new_rows[row] = first = count
            token, last = rows[row], rows[row + 1]
            while k < len(stretches.starts) and stretches.starts[k] < row_starts[row + 1]:
                start, stop = stretches.starts[k], stretches.stops[k]
                k += 1
                if stretches.categories[k - 1] != MARKUP:
                    continue
                before = token
                while token < last and stops[token] <= start:
                    token += 1
                count = copy_tokens(starts, stops, written, before, token, out, count)
                count = add_markup(out, count, first, start, stop)
                while token < last and stops[token] <= stop:
                    token += 1
                if token < last and starts[token] <= stop:
                    out.starts[count], out.stops[count], out.written[count] = (
                        stop,
                        stops[token],
                        written[token],
                    )
                    out.ties[count] = GLUED
                    token += 1
                    count += 1
            count = copy_tokens(starts, stops, written, token, last, out, count)
        new_rows[len(rows) - 1] = count
    return count


@cfunc
@inline
@nogil
def has_quotes(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether there are two or more quotes, some pairs of which NLTK writes differently."""
    quotes: i64 = 0
    for i in range(start, stop):
        quotes += QUOTE_BYTE[data[i]]
    return quotes > 1


@cfunc
@inline
@nogil
def block_between(data: const_u8[::1], token: i64, last: i64, start: i64, stop: i64, out: TokensOut) -> i64:
    """Block the tokens that touch a stretch, from `token` on; return the first that ends after it."""
    while token < last and out.stops[token] <= start:
        token += 1
    k = token
    while k < last and out.starts[k] < stop:
        if k > token:
            out.ties[k - 1] |= OPAQUE
            out.ties[k] = OPAQUE | CONTINUES
        elif not out.blocked[k] and has_quotes(data, out.starts[k], out.stops[k]):
            out.ties[k] |= OPAQUE
        out.blocked[k], out.written[k] = 1, 0
        k += 1
    while token < last and out.stops[token] <= stop:
        token += 1
    return token


def block_stretches(
    data: const_u8[::1],
    stretches: Stretches,
    row_starts: const_i64[::1],
    rows: const_i64[::1],
    out: TokensOut,
) -> None:
    """Block the tokens that touch a stretch other than markup, and tie the tokens of each stretch."""
    with nogil:
        k: i64 = 0
        for row in range(len(rows) - 1):
            token = rows[row]
            while k < len(stretches.starts) and stretches.starts[k] < row_starts[row + 1]:
                if stretches.categories[k] != MARKUP:
                    token = block_between(
                        data, token, rows[row + 1], stretches.starts[k], stretches.stops[k], out
                    )
                k += 1
