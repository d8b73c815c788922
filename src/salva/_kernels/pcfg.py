"""Lines of PCFG SET, read from the right: classify tokens, measure and check lines, compute values.

Prefix notation needs no look-ahead if it is read backwards: a run of symbols is a value, and a function takes
the values already computed after it. Values are stored one after another in an array that is filled from its
end, so `append` has nothing to do. An argument that `remove_first` or `remove_second` drops is skipped; every
other value only grows, so none is ever longer than the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.strings import StringTable, find, same
from salva._types import Bytes, Ints8, Ints64, Uints32, Uints64

U64 = np.uint64

# The functions of one argument, then those of two, in the order of `salva.twins.FUNCTIONS`.
COPY, REVERSE, SHIFT, SWAP, REPEAT, ECHO, APPEND, PREPEND, REMOVE_FIRST, REMOVE_SECOND = range(10)
SYMBOL, COMMA, UNKNOWN = 10, 11, -1

# All indices are unsigned, so that none can count from the end: copying takes a third of the time.
_NONE, _ONE, _TWO, _THREE, _TEN = U64(0), U64(1), U64(2), U64(3), U64(10)
SLOTS = 128
_LAST_SLOT = U64(SLOTS - 1)
_HUGE = U64(1 << 60)  # sizes stop growing here
_GO_ON = np.uint32(0xFFFFFFFF)
_SPACE, _NEWLINE, _COMMA = np.uint8(32), np.uint8(10), np.uint8(44)


class Tokens(NamedTuple):
    """Where the tokens of all rows are, what they are, and where to continue when an argument is dropped.

    Token `i` is between the bytes `edges[i]` and `edges[i + 1]`.
    """

    edges: Uints64
    kinds: Ints8
    jumps: Uints32


class Stack(NamedTuple):
    """Space for the pending values: their first and last token, size and depth."""

    first: Uints64
    last: Uints64
    size: Uints64
    depth: Uints64


class Rows(NamedTuple):
    """The first token of every row; once measured, also size (-1: not a valid line), depth and functions."""

    tokens: Uints64
    sizes: Ints64
    depths: Ints64
    functions: Ints64


class Names(NamedTuple):
    """The functions in slots chosen by `quick` (number plus one), their kinds, and the given symbols."""

    data: Bytes
    offsets: Ints64
    slots: Uints32
    kinds: Ints8
    symbols: StringTable


@step
def is_short_symbol(data: Bytes, start: np.uint64, size: np.uint64) -> bool:
    """Return whether a token is a letter with one or two digits; without branches, in half the time."""
    letter = (data[start] | np.uint8(32)) - np.uint8(97)
    one = data[start + min(size, _ONE)] - np.uint8(48)
    two = data[start + min(size, _TWO)] - np.uint8(48)
    short = (size == _TWO) | ((size == _THREE) & (two < np.uint8(10)))
    return bool(short & (letter < np.uint8(26)) & (one < np.uint8(10)))


@step
def is_long_symbol(data: Bytes, start: np.uint64, stop: np.uint64) -> bool:
    """Return whether a token is a letter with one to nine digits."""
    letter = (data[start] | np.uint8(32)) - np.uint8(97)
    if stop < start + _TWO or stop > start + _TEN or letter > np.uint8(25):
        return False
    for i in range(start + _ONE, stop):  # noqa: SIM110  (compiled: `all` over a generator is not)
        if data[i] - np.uint8(48) > np.uint8(9):
            return False
    return True


@step
def quick(data: Bytes, start: np.uint64, size: np.uint64) -> np.uint64:
    """Return a slot for a name, from three letters and its size; hashing all letters took a third longer."""
    first, middle = U64(data[start]), U64(data[start + (size >> _ONE)])
    return (first * U64(7) + middle * U64(3) + U64(data[start + size - _ONE]) * U64(5) + size) & _LAST_SLOT


@kernel
def fill_names(names: Names) -> None:
    """Enter the names into the empty slots."""
    for number in range(U64(len(names.kinds))):
        start = U64(names.offsets[number])
        slot = quick(names.data, start, U64(names.offsets[number + _ONE]) - start)
        while names.slots[slot]:
            slot = (slot + _ONE) & _LAST_SLOT
        names.slots[slot] = number + _ONE


@step
def function_of(names: Names, data: Bytes, start: np.uint64, size: np.uint64) -> int:
    """Return which function a token is, or `UNKNOWN`."""
    slot = quick(data, start, size)
    while names.slots[slot]:
        number = U64(names.slots[slot]) - _ONE
        first = U64(names.offsets[number])
        if U64(names.offsets[number + _ONE]) - first == size and same(names.data, first, data, start, size):
            return names.kinds[number]
        slot = (slot + _ONE) & _LAST_SLOT
    return UNKNOWN


@step
def long_kind_of(names: Names, data: Bytes, start: np.uint64, stop: np.uint64, letters: bool) -> int:
    """Return what a token other than a short symbol is; two spaces in a row make an empty token."""
    if stop == start:
        return UNKNOWN
    if stop == start + _ONE and data[start] == _COMMA:
        return COMMA
    kind = function_of(names, data, start, stop - start)
    if kind == UNKNOWN and (
        is_long_symbol(data, start, stop) if letters else find(names.symbols, data, start, stop) >= 0
    ):
        return SYMBOL
    return kind


@kernel
def number_tokens(data: Bytes, names: Names, letters: bool, tokens: Tokens, out: Uints64) -> None:
    """Classify every token; `out` gets the first token of every row. Rows end with a newline.

    With `letters`, symbols are a letter with digits. An edge that is neither a space nor a newline makes the
    token before it unknown.
    """
    row = _NONE
    out[row] = _NONE
    for token in range(U64(len(tokens.kinds))):
        start, stop = tokens.edges[token] + _ONE, tokens.edges[token + _ONE]
        kind = SYMBOL
        if not (letters and is_short_symbol(data, start, stop - start)):
            kind = long_kind_of(names, data, start, stop, letters)
        if data[stop] == _NEWLINE:
            row += _ONE
            out[row] = token + _ONE
        elif data[stop] != _SPACE:
            kind = UNKNOWN
        tokens.kinds[token] = kind
        tokens.jumps[token] = _GO_ON


@step
def reduce_unary(kind: int, token: np.uint64, stack: Stack, top: np.uint64) -> bool:
    """Apply a function of one argument to the value on top."""
    if top == _NONE:
        return False
    value = top - _ONE
    if stack.first[value] != token + _ONE:
        return False
    stack.first[value] = token
    stack.depth[value] += _ONE
    if kind == REPEAT:
        stack.size[value] = min(_HUGE, stack.size[value] * _TWO)
    elif kind == ECHO:
        stack.size[value] = min(_HUGE, stack.size[value] + _ONE)
    return True


@step
def reduce_binary(kind: int, token: np.uint64, stack: Stack, top: np.uint64, tokens: Tokens) -> bool:
    """Apply a function of two arguments to the two values on top, which a comma separates."""
    if top < _TWO:
        return False
    one, two = top - _ONE, top - _TWO
    comma = stack.last[one] + _ONE
    if stack.first[one] != token + _ONE or stack.first[two] != comma + _ONE or tokens.kinds[comma] != COMMA:
        return False
    # If two dropped arguments end at the same token, the longer one is met later and stays.
    if kind == REMOVE_FIRST:
        tokens.jumps[stack.last[one]] = stack.first[one]
    elif kind == REMOVE_SECOND:
        tokens.jumps[stack.last[two]] = stack.first[two]
        stack.size[two] = stack.size[one]
    else:
        stack.size[two] = min(_HUGE, stack.size[one] + stack.size[two])
    stack.first[two] = token
    stack.depth[two] = max(stack.depth[one], stack.depth[two]) + _ONE
    return True


@step
def measure_row(tokens: Tokens, start: np.uint64, stop: np.uint64, stack: Stack) -> np.int64:
    """Leave the measures of a row on the stack; return its number of functions, or -1 if it is not valid."""
    top, functions, i = _NONE, np.int64(0), stop
    while i > start:
        i -= _ONE
        kind = tokens.kinds[i]
        if kind == SYMBOL:
            last = i
            while i > start and tokens.kinds[i - _ONE] == SYMBOL:
                i -= _ONE
            stack.first[top], stack.last[top] = i, last
            stack.size[top], stack.depth[top] = last - i + _ONE, _NONE
            top += _ONE
        elif kind < 0:
            return np.int64(-1)
        elif kind < APPEND:
            functions += 1
            if not reduce_unary(kind, i, stack, top):
                return np.int64(-1)
        elif kind != COMMA:
            functions += 1
            if not reduce_binary(kind, i, stack, top, tokens):
                return np.int64(-1)
            top -= _ONE
    whole = top == _ONE and stack.first[0] == start and stack.last[0] + _ONE == stop
    return functions if whole else np.int64(-1)


@kernel
def measure_rows(tokens: Tokens, stack: Stack, most_depth: int, out: Rows) -> None:
    """Check and measure every row."""
    for row in range(U64(len(out.sizes))):
        functions = measure_row(tokens, out.tokens[row], out.tokens[row + _ONE], stack)
        good = functions > 0 and np.int64(stack.depth[0]) <= most_depth
        out.sizes[row] = np.int64(stack.size[0]) if good else -1
        out.depths[row] = np.int64(stack.depth[0]) if good else 0
        out.functions[row] = functions if good else 0


@step
def turn(values: Uints32, start: np.uint64, stop: np.uint64) -> None:
    """Reverse part of an array in place."""
    while start + _ONE < stop:
        stop -= _ONE
        values[start], values[stop] = values[stop], values[start]
        start += _ONE


@step
def apply_unary(kind: int, head: np.uint64, size: np.uint64, values: Uints32) -> np.uint64:
    """Change the value that begins at `head`; return where it begins afterwards."""
    stop = head + size
    if kind == REVERSE:
        turn(values, head, stop)
    elif kind == SWAP:
        values[head], values[stop - _ONE] = values[stop - _ONE], values[head]
    elif kind == SHIFT:
        first = values[head]
        for i in range(head, stop - _ONE):
            values[i] = values[i + _ONE]
        values[stop - _ONE] = first
    elif kind == REPEAT:
        for i in range(head, stop):
            values[i - size] = values[i]
        head -= size
    elif kind == ECHO:
        for i in range(head, stop):
            values[i - _ONE] = values[i]
        head -= _ONE
    return head


@step
def evaluate(
    tokens: Tokens, start: np.uint64, stop: np.uint64, size: np.uint64, stack: Stack, values: Uints32
) -> None:
    """Fill the first `size` values with the tokens of the result."""
    head, top, i = size, _NONE, stop
    while i > start:
        i -= _ONE
        kind = tokens.kinds[i]
        if tokens.jumps[i] != _GO_ON:
            i = U64(tokens.jumps[i])
        elif kind == SYMBOL:
            before = head
            head -= _ONE
            values[head] = i
            while i > start and tokens.kinds[i - _ONE] == SYMBOL:
                i -= _ONE
                head -= _ONE
                values[head] = i
            stack.size[top] = before - head
            top += _ONE
        elif kind < APPEND:
            moved = apply_unary(kind, head, stack.size[top - _ONE], values)
            stack.size[top - _ONE] += head - moved
            head = moved
        elif kind < REMOVE_FIRST:
            top -= _ONE
            one, two = stack.size[top], stack.size[top - _ONE]
            if kind == PREPEND:
                turn(values, head, head + one)
                turn(values, head + one, head + one + two)
                turn(values, head, head + one + two)
            stack.size[top - _ONE] = one + two


@kernel
def write_values(
    data: Bytes, tokens: Tokens, rows: Rows, first: int, last: int, stack: Stack, values: Uints32, out: Bytes
) -> np.uint64:
    """Write the results of some rows, each followed by a newline; return how many bytes were written.

    A row without a result becomes an empty line.
    """
    size = _NONE
    for row in range(U64(first), U64(last)):
        count = U64(max(0, rows.sizes[row]))
        if count:
            evaluate(tokens, rows.tokens[row], rows.tokens[row + _ONE], count, stack, values)
        for k in range(count):
            token = U64(values[k])
            start = tokens.edges[token] + _ONE
            length = tokens.edges[token + _ONE] - start
            for i in range(length):
                out[size + i] = data[start + i]
            size += length
            out[size] = _SPACE
            size += _ONE
        if count:
            size -= _ONE
        out[size] = _NEWLINE
        size += _ONE
    return size
