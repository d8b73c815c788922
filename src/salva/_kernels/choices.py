"""Possible replacements of words, and edits: the arrays that all plans fill."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import step
from salva._kernels.rng import bounded
from salva._kernels.strings import copy_bytes
from salva._types import Bytes, Ints32, Ints64, Uints64

_ONE = np.uint64(1)

# Entries of types that were never looked up, and of types without replacements: up to four lists, all empty.
UNASKED, NO_WORDS = 0, 4


class Tokens(NamedTuple):
    """The tokens of some rows: those of row `i` are `rows[i]` to `rows[i + 1]`; places are bytes of `data`.

    What is `blocked` is not touched.
    """

    data: Bytes
    rows: Ints64
    starts: Ints32
    stops: Ints32
    blocked: Bytes
    keys: Uints64


class WordLists(NamedTuple):
    """Lists of words: list `n` has the words `starts[n]` to `starts[n + 1]`.

    Word `i` is `data[offsets[i]:offsets[i + 1]]`. A word that occurs twice is chosen twice as often.
    """

    starts: Ints64
    offsets: Ints64
    data: Bytes


class Choices(NamedTuple):
    """Replacements of each type, in its case: list `k` of type `t` is list `entries[t] + k`.

    To insert a word is to copy it, and the words of a type are stored side by side.
    """

    entries: Ints32
    lists: WordLists


class EditsOut(NamedTuple):
    """Space for edits: token, position, rule, and the new word, `new[offsets[i]:offsets[i + 1]]`.

    Plans that know the part of speech of an edited word fill `parts` too.
    """

    tokens: Ints64
    starts: Ints32
    stops: Ints32
    rules: Bytes
    offsets: Ints64
    new: Bytes
    parts: Bytes


class Tally(NamedTuple):
    """Counts: eligible words per row; words, eligible words and edits per part of speech.

    Plans count words; the edits are counted from their `parts`.
    """

    eligible: Ints32
    parts: Ints64


@step
def has_words(choices: Choices, word_type: int) -> bool:
    """Return whether any list of a type has words."""
    return choices.entries[word_type] > NO_WORDS


@step
def how_many(choices: Choices, word_type: int, which: int) -> int:
    """Return how many words a list of a type has."""
    entry = choices.entries[word_type] + which
    return choices.lists.starts[entry + 1] - choices.lists.starts[entry]


@step
def pick(choices: Choices, word_type: int, which: int, bits: np.uint64) -> int:
    """Return the number of a word that a draw picks from a list."""
    entry = np.uint64(choices.entries[word_type] + which)
    first = choices.lists.starts[entry]
    return first + bounded(bits, choices.lists.starts[entry + _ONE] - first)


@step
def add_word(lists: WordLists, word: int, size: int, out: Bytes) -> int:
    """Write a word at `size`; return the end, or -1 if there is no room."""
    place = np.uint64(word)
    start, stop = lists.offsets[place], lists.offsets[place + _ONE]
    if size + stop - start > len(out):
        return -1
    return copy_bytes(lists.data, start, stop, size, out)


@step
def add_edit(out: EditsOut, edits: int, tokens: Tokens, token: int, rule: int, size: int) -> int:
    """Add an edit whose new word ends at `size`; return the number of edits."""
    place = np.uint64(edits)
    out.tokens[place] = token
    out.starts[place], out.stops[place] = tokens.starts[token], tokens.stops[token]
    out.rules[place] = rule
    out.offsets[place + _ONE] = size
    return edits + 1
