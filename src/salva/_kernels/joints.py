"""What touches a word, what is between two tokens, and which tokens are made of small letters from a to z."""

from __future__ import annotations

from salva._kernels.characters import bytes_in
from salva._kernels.choices import Tokens
from salva._kernels.jit import step
from salva._types import Bytes

SMALL = bytes_in("abcdefghijklmnopqrstuvwxyz")
CAPITAL = bytes_in("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
# A word that touches one of these is part of something longer, and so is one before a full stop and a letter.
TOUCHING = bytes_in("'-/_&@#\\=+~^%$*0123456789")
LONGEST = 64  # bytes of a word
BLANK, STOP, APOSTROPHE, CASE_BIT = ord(" "), ord("."), ord("'"), 0x20
CURLY_APOSTROPHE = (0xE2, 0x80, 0x99)


@step
def is_curly(data: Bytes, start: int, stop: int) -> bool:
    """Return whether there is exactly a curly apostrophe."""
    first, second, third = CURLY_APOSTROPHE
    same = stop - start == len(CURLY_APOSTROPHE) and data[start] == first
    return same and data[start + 1] == second and data[start + 2] == third


@step
def is_joined(data: Bytes, row_start: int, row_stop: int, start: int, stop: int) -> bool:
    """Return whether a word touches something that it is part of."""
    size = len(CURLY_APOSTROPHE)
    if start > row_start and TOUCHING[data[start - 1]]:
        return True
    if stop < row_stop and TOUCHING[data[stop]]:
        return True
    if stop + 1 < row_stop and data[stop] == STOP and SMALL[data[stop + 1] | CASE_BIT]:
        return True
    if start - size >= row_start and is_curly(data, start - size, start):
        return True
    return stop + size <= row_stop and is_curly(data, stop, stop + size)


@step
def read_word(data: Bytes, start: int, stop: int, out: Bytes) -> bool:
    """Write a word in lower case; return whether it has only letters from a to z, and no capital inside."""
    if stop - start > len(out):
        return False
    plain = SMALL[data[start]] or CAPITAL[data[start]]
    out[0] = data[start] | CASE_BIT
    for i in range(1, stop - start):
        out[i] = data[start + i]
        plain &= SMALL[out[i]]
    return plain


@step
def is_small(data: Bytes, start: int, stop: int) -> bool:
    """Return whether there are only small letters."""
    small = True
    for i in range(start, stop):
        small &= SMALL[data[i]]
    return small


@step
def touches_next(tokens: Tokens, last: int, token: int) -> bool:
    """Return whether nothing is between a token and the next one of its row, which ends at token `last`."""
    return token + 1 < last and tokens.stops[token] == tokens.starts[token + 1]


@step
def has_blank_after(tokens: Tokens, last: int, token: int) -> bool:
    """Return whether exactly one blank is between a token and the next one of its row."""
    if token + 1 >= last or tokens.starts[token + 1] - tokens.stops[token] != 1:
        return False
    return tokens.data[tokens.stops[token]] == BLANK
