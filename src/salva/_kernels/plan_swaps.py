"""The plan of words that become others of the same kind: names, and numbers as words.

A word becomes the same other word in the whole row, and never one that the row already has.
"""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.choices import EditsOut, Tally, Tokens, WordLists, add_edit, add_word
from salva._kernels.jit import kernel, step
from salva._kernels.pairs import CAPITAL, TOUCHING
from salva._kernels.rng import bounded, draw
from salva._kernels.stages import SWAP_CHOICE
from salva._types import Bytes, Ints32, Ints64

# What the neighbours of a word must be.
PERSON, PLACE, NUMBER = range(3)
# Words that no number may follow, or precede.
BEFORE, AFTER = 1, 2
COMMA = ord(",")


class SwapWords(NamedTuple):
    """Words as written: the kind of each (-1 for none), its neighbours' rule, and flags of other words.

    The members of kind `k` are the words `members[starts[k]:starts[k + 1]]`; `lists` spells all words.
    """

    kinds: Ints32
    rules: Bytes
    flags: Bytes
    starts: Ints64
    members: Ints32
    lists: WordLists


class Seen(NamedTuple):
    """For each word, the last row that has it, and its first token there."""

    rows: Ints64
    firsts: Ints64


@step
def is_capital(tokens: Tokens, token: int) -> bool:
    """Return whether a token begins with a capital letter."""
    return CAPITAL[tokens.data[tokens.starts[token]]]


@step
def is_comma(tokens: Tokens, token: int) -> bool:
    """Return whether a token is a comma."""
    return tokens.data[tokens.starts[token]] == COMMA


@step
def has_place_beside(tokens: Tokens, first: int, last: int, token: int) -> bool:
    """Return whether a capitalised word is next to a token, or beyond a comma: Paris, Texas."""
    found = False
    if token > first:
        found |= is_capital(tokens, token - 1)
    if token + 1 < last:
        found |= is_capital(tokens, token + 1)
    if token - 1 > first and is_comma(tokens, token - 1):
        found |= is_capital(tokens, token - 2)
    if token + 2 < last and is_comma(tokens, token + 1):
        found |= is_capital(tokens, token + 2)
    return found


@step
def fits(swaps: SwapWords, words: Ints32, tokens: Tokens, first: int, last: int, token: int) -> bool:
    """Return whether a word of a kind is used as such, as far as its neighbours show."""
    rule = swaps.rules[words[token]]
    if rule == PLACE:
        return not has_place_beside(tokens, first, last, token)
    if rule == PERSON:
        return token == first or not is_capital(tokens, token - 1)
    before = words[token - 1] if token > first else -1
    after = words[token + 1] if token + 1 < last else -1
    if before >= 0 and (swaps.kinds[before] >= 0 or swaps.flags[before] & BEFORE != 0):
        return False
    return after < 0 or (swaps.kinds[after] < 0 and swaps.flags[after] & AFTER == 0)


@step
def stands_alone(tokens: Tokens, row_starts: Ints64, row: int, token: int) -> bool:
    """Return whether a token touches nothing that it could be part of."""
    start, stop = tokens.starts[token], tokens.stops[token]
    if start > row_starts[row] and TOUCHING[tokens.data[start - 1]]:
        return False
    return stop == row_starts[row + 1] or not TOUCHING[tokens.data[stop]]


@step
def choose_member(swaps: SwapWords, seen: Seen, row: int, word: int, bits: int) -> int:
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


@kernel
def plan_swaps(
    swaps: SwapWords,
    tokens: Tokens,
    row_starts: Ints64,
    words: Ints32,
    rule: int,
    seen: Seen,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill all possible edits; return how many there are, or -1 if there was no room.

    `words` has the number of every token's word, -1 for those that `swaps` lacks.
    """
    edits = size = 0
    seen.rows[:] = -1
    for row in range(len(tokens.rows) - 1):
        first, last = tokens.rows[row], tokens.rows[row + 1]
        for token in range(first, last):
            word = words[token]
            if word >= 0 and seen.rows[word] != row:
                seen.rows[word], seen.firsts[word] = row, token
        for token in range(first, last):
            word = words[token]
            if word < 0 or swaps.kinds[word] < 0 or tokens.blocked[token]:
                continue
            alone = stands_alone(tokens, row_starts, row, token)
            if not alone or not fits(swaps, words, tokens, first, last, token):
                continue
            bits = draw(tokens.keys[row], seen.firsts[word] - first, SWAP_CHOICE)
            member = choose_member(swaps, seen, row, word, bits)
            if member < 0:
                continue
            tally.eligible[row] += 1
            size = add_word(swaps.lists, member, size, out.new)
            if size < 0:
                return -1
            edits = add_edit(out, edits, tokens, token, rule, size)
    return edits
