"""Stretches of text that must not change (tags, entities, addresses, names), and the tokens that they block.

Stretches are recognised by certain characters, so that a text is scanned only once. Addresses and tags are
ASCII; names may be in any script.

A text with markup is cut with blanks in place of the markup; here the markup is put back, one token per
stretch. `ties` say how each token is tied to the one before, and whether a render may look into it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import (
    JOINING,
    LEADING,
    SPACE,
    WORD,
    Characters,
    bytes_in,
    flags_at,
    flags_before,
    is_ascii,
    width,
)
from salva._kernels.jit import kernel, step
from salva._types import Bytes, Ints32, Ints64

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER, DIGIT, HEX = bytes_in(_LETTERS), bytes_in("0123456789"), bytes_in("0123456789abcdefABCDEF")
LOCAL, DOMAIN = bytes_in(_LETTERS + "0123456789._%+-"), bytes_in(_LETTERS + "0123456789-")
SCHEME = bytes_in(_LETTERS + "0123456789+.-")
ENDS_URL = bytes_in('<>"')
# Bytes by which a stretch is recognised: a piece of markup, or an address, an @name or a #tag.
BEGINS_MARKUP, BEGINS_NAME = b"<&", b"@#:wW"
LONGEST_TAG, LONGEST_ENTITY = 4096, 32
BLANK, QUOTE = ord(" "), ord('"')

MARKUP, NAME = 1, 2
# GLUED: this token or the one before is markup, and nothing is between them. CONTINUES: both are in one
# stretch, with all that is between them. OPAQUE: no byte of the token may change.
GLUED, CONTINUES, OPAQUE = 1, 2, 4
QUOTES = bytes_in("'\"`")


class Shields(NamedTuple):
    """What to shield: tags and entities; addresses and names."""

    markup: bool
    names: bool


class Stretches(NamedTuple):
    """Stretches in order: the bytes from `starts` to `stops`, each MARKUP or NAME."""

    starts: Ints32
    stops: Ints32
    categories: Bytes


@step
def tag_end(data: Bytes, i: int, stop: int) -> int:
    """Return where the tag that begins at byte `i` ends, or -1: <, perhaps / ! ?, a letter or <!--, and >."""
    k = i + 1
    if k < stop and data[k] in (ord("/"), ord("!"), ord("?")):
        k += 1
    comment = k + 1 < stop and data[k - 1] == ord("!") and data[k] == data[k + 1] == ord("-")
    if k >= stop or not (LETTER[data[k]] or comment):
        return -1
    for end in range(k, min(stop, i + LONGEST_TAG)):
        if data[end] == ord(">"):
            return end + 1
        if data[end] == ord("<"):
            return -1
    return -1


@step
def entity_end(data: Bytes, i: int, stop: int) -> int:
    """Return where the entity that begins at byte `i` ends, or -1: &name; or &#1; or &#xA;."""
    k = i + 1
    numeric = k < stop and data[k] == ord("#")
    k += numeric
    hexadecimal = numeric and k < stop and data[k] in (ord("x"), ord("X"))
    k += hexadecimal
    first = k
    for end in range(k, min(stop, i + LONGEST_ENTITY)):
        byte = data[end]
        if byte == ord(";"):
            return end + 1 if end > first else -1
        fits = (HEX[byte] if hexadecimal else DIGIT[byte]) if numeric else LETTER[byte] or DIGIT[byte]
        if not fits:
            return -1
    return -1


@step
def word_end(characters: Characters, data: Bytes, i: int, stop: int) -> int:
    """Return where the letters, digits and _ that begin at byte `i` end."""
    while i < stop and flags_at(characters, data, i) & WORD:
        i += width(data[i])
    return i


@step
def url_end(characters: Characters, data: Bytes, i: int, stop: int) -> int:
    """Return where an address ends: at white space, a quote or an angle bracket."""
    while i < stop and not ENDS_URL[data[i]] and not flags_at(characters, data, i) & SPACE:
        i += width(data[i])
    return i


@step
def domain_end(data: Bytes, i: int, stop: int) -> int:
    """Return where the domain of a mail address ends, or -1 if it has no dot inside."""
    dots = 0
    while i < stop and DOMAIN[data[i]]:
        while i < stop and DOMAIN[data[i]]:
            i += 1
        if i + 1 < stop and data[i] == ord(".") and DOMAIN[data[i + 1]]:
            dots += 1
            i += 1
    return i if dots else -1


@step
def after_word(characters: Characters, data: Bytes, i: int, first: int) -> bool:
    """Return whether a word ends at byte `i`."""
    return i > first and flags_before(characters, data, i) & WORD != 0


@step
def is_www(data: Bytes, i: int, stop: int) -> bool:
    """Return whether `www.` and at least one more character are at byte `i`."""
    if i + 4 >= stop or data[i + 3] != ord("."):
        return False
    return data[i] | 32 == data[i + 1] | 32 == data[i + 2] | 32 == ord("w")


@step
def find_name(characters: Characters, data: Bytes, i: int, first: int, stop: int) -> tuple[int, int]:
    """Return the address or name that contains the character at byte `i`; an empty range if there is none."""
    byte, start, end = data[i], i, -1
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


@step
def is_torn(characters: Characters, data: Bytes, start: int, stop: int, first: int, last: int) -> bool:
    """Return whether a token begins or ends inside what readers see as one character."""
    before = data[start - 1] if start > first else np.uint8(0)
    after = data[stop] if stop < last else np.uint8(0)
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


@kernel
def find_stretches(
    characters: Characters,
    shields: Shields,
    data: Bytes,
    row_starts: Ints64,
    candidates: Ints64,
    out: Stretches,
) -> int:
    """Fill the shielded stretches; return how many there are.

    `candidates` are the bytes by which a stretch may be recognised, ascending.
    """
    count = row = free = 0
    for i in candidates:
        while row_starts[row + 1] <= i:
            row += 1
        free = max(free, row_starts[row])
        stop = row_starts[row + 1]
        if i < free:
            continue
        start, end = i, -1
        category = MARKUP
        if shields.markup and data[i] == ord("<"):
            end = tag_end(data, i, stop)
        elif shields.markup and data[i] == ord("&"):
            end = entity_end(data, i, stop)
        if end < 0 and shields.names:
            category = NAME
            start, end = find_name(characters, data, i, free, stop)
        if end > start:
            out.starts[count], out.stops[count], out.categories[count] = start, end, category
            count += 1
            free = end
    return count


@step
def closes(characters: Characters, data: Bytes, i: int, stop: int) -> bool:
    """Return whether a double quote is at byte `i` and no word begins after it."""
    if i >= stop or data[i] != QUOTE:
        return False
    return i + 1 == stop or flags_at(characters, data, i + 1) & WORD == 0


@kernel
def hide_markup(characters: Characters, stretches: Stretches, row_starts: Ints64, out: Bytes) -> None:
    """Write blanks over markup, so that texts are cut as if it were white space.

    To NLTK, a quote after a blank opens a quotation. So before a closing quote, the last byte of markup
    stays.
    """
    row = 0
    for k in range(len(stretches.starts)):
        start, stop = stretches.starts[k], stretches.stops[k]
        while row_starts[row + 1] <= start:
            row += 1
        if stretches.categories[k] == MARKUP:
            out[start : stop - closes(characters, out, stop, row_starts[row + 1])] = BLANK


@kernel
def block_torn(
    characters: Characters,
    data: Bytes,
    row_starts: Ints64,
    rows: Ints64,
    starts: Ints32,
    stops: Ints32,
    out: Bytes,
) -> None:
    """Mark the tokens that begin or end inside what readers see as one character."""
    for row in range(len(rows) - 1):
        first, last = row_starts[row], row_starts[row + 1]
        if is_ascii(data, first, last):
            continue
        for k in range(rows[row], rows[row + 1]):
            if is_torn(characters, data, starts[k], stops[k], first, last):
                out[k] = 1


class TokensOut(NamedTuple):
    """Tokens and their properties: `written`, how NLTK writes quotes, `blocked` and `ties`."""

    starts: Ints32
    stops: Ints32
    written: Bytes
    blocked: Bytes
    ties: Bytes


@step
def copy_tokens(
    starts: Ints32, stops: Ints32, written: Bytes, first: int, last: int, out: TokensOut, count: int
) -> int:
    """Append copies of tokens to others; return how many there are."""
    for token in range(np.uint64(first), np.uint64(last)):
        place = np.uint64(count) + token - np.uint64(first)
        out.starts[place], out.stops[place] = starts[token], stops[token]
        out.written[place] = written[token]
    return count + last - first


@step
def add_markup(out: TokensOut, count: int, first: int, start: int, stop: int) -> int:
    """Add markup as a token; return how many tokens there are. `first` is the first token of the row."""
    out.starts[count], out.stops[count], out.written[count], out.blocked[count] = start, stop, 0, 1
    touches = count > first and out.stops[count - 1] == start
    out.ties[count] = OPAQUE | GLUED if touches else OPAQUE
    return count + 1


@kernel
def insert_markup(
    stretches: Stretches,
    row_starts: Ints64,
    rows: Ints64,
    starts: Ints32,
    stops: Ints32,
    written: Bytes,
    new_rows: Ints64,
    out: TokensOut,
) -> int:
    """Fill the tokens with the markup among them; return how many there are.

    Any markup in a token is cut off. `blocked` and `ties` must be all 0 before the call.
    """
    count = k = 0
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
                out.starts[count], out.stops[count], out.written[count] = stop, stops[token], written[token]
                out.ties[count] = GLUED
                token += 1
                count += 1
        count = copy_tokens(starts, stops, written, token, last, out, count)
    new_rows[len(rows) - 1] = count
    return count


@step
def has_quotes(data: Bytes, start: int, stop: int) -> bool:
    """Return whether there are two or more quotes, some pairs of which NLTK writes differently."""
    quotes = 0
    for i in range(start, stop):
        quotes += QUOTES[data[i]]
    return quotes > 1


@step
def block_between(data: Bytes, token: int, last: int, start: int, stop: int, out: TokensOut) -> int:
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


@kernel
def block_stretches(
    data: Bytes, stretches: Stretches, row_starts: Ints64, rows: Ints64, out: TokensOut
) -> None:
    """Block the tokens that touch a stretch other than markup, and tie the tokens of each stretch."""
    k = 0
    for row in range(len(rows) - 1):
        token = rows[row]
        while k < len(stretches.starts) and stretches.starts[k] < row_starts[row + 1]:
            if stretches.categories[k] != MARKUP:
                token = block_between(
                    data, token, rows[row + 1], stretches.starts[k], stretches.stops[k], out
                )
            k += 1
