"""Tokens that must stay as they are in the text: markup, and protected stretches of several tokens.

A text with markup is cut with blanks in place of the markup; here the markup is put back, one token per
stretch. `ties` say how each token is tied to the one before, and whether a render may look into it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.letters import bytes_in
from salva._kernels.shields import MARKUP, Stretches
from salva._types import Bytes, Ints32, Ints64

# GLUED: this token or the one before is markup, and nothing is between them. CONTINUES: both are in one
# stretch, with all that is between them. OPAQUE: no byte of the token may change.
GLUED, CONTINUES, OPAQUE = 1, 2, 4
QUOTES = bytes_in("'\"`")


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
            if stretches.kinds[k - 1] != MARKUP:
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
            if stretches.kinds[k] != MARKUP:
                token = block_between(
                    data, token, rows[row + 1], stretches.starts[k], stretches.stops[k], out
                )
            k += 1
