"""Tokens, their possible replacements, and edits: what plans read and fill, and the steps that they share."""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import Characters, flags_at, flags_before
    from salva._kernels.constants import *
    from salva._kernels.rng import below, bounded, draw
    from salva._kernels.strings import copy_bytes


@final
@dataclass(repr=False, eq=False)
@cclass
class Tokens:
    """The tokens of some rows, whose texts are `data[row_starts[i]:row_starts[i + 1]]`.

    Those of row `i` are `rows[i]` to `rows[i + 1]`; places are bytes of `data`. What is `blocked` is not
    touched.
    """

    data: const_u8[::1]
    row_starts: const_i64[::1]
    rows: const_i64[::1]
    starts: const_i32[::1]
    stops: const_i32[::1]
    blocked: const_u8[::1]
    keys: const_u64[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class WordLists:
    """Lists of words: list `n` has the words `starts[n]` to `starts[n + 1]`.

    Word `i` is `data[offsets[i]:offsets[i + 1]]`. A word that occurs twice is chosen twice as often.
    """

    starts: const_i64[::1]
    offsets: const_i64[::1]
    data: const_u8[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class Choices:
    """Replacements of each type, in its case: list `k` of type `t` is list `entries[t] + k`.

    To insert a word is to copy it, and the words of a type are stored side by side.
    """

    entries: const_i32[::1]
    lists: WordLists


@final
@dataclass(repr=False, eq=False)
@cclass
class EditsOut:
    """The edits of a plan: token, position, rule, and the new word, `new[offsets[i]:offsets[i + 1]]`.

    Plans that know the part of speech of an edited word fill `parts` too. `eligible` counts words per row,
    and `totals` words and eligible words per part of speech. There are `count` edits, and `size` bytes of
    `new` are in use; if `full`, there was no room for more, and the plan must be made again with more.
    """

    tokens: i64[::1]
    starts: i32[::1]
    stops: i32[::1]
    rules: u8[::1]
    offsets: i64[::1]
    new: u8[::1]
    parts: u8[::1]
    eligible: i32[::1]
    totals: i64[:, ::1]
    count: i64 = 0
    size: i64 = 0
    full: bint = False


@final
@dataclass(repr=False, eq=False)
@cclass
class Rates:
    """The rule of a plan's edits, and the thresholds for planning an edit and for keeping it."""

    rule: i64
    prob: u64
    keep: u64


@cfunc
@inline
@nogil
def is_kept(rates: Rates, key: u64, place: i64, plan: i64, keep: i64) -> bint:
    """Return whether a word is edited, by its draws at the stages of planning and of keeping."""
    return below(draw(key, place, plan), rates.prob) and below(draw(key, place, keep), rates.keep)


@cfunc
@inline
@nogil
def has_room(out: EditsOut, size: i64) -> bint:
    """Return whether so many bytes can be written; if not, the plan is given up."""
    out.full = out.size + size > len(out.new)
    return not out.full


@cfunc
@inline
@nogil
def add_edit_at(out: EditsOut, token: i64, start: i64, stop: i64, rule: i64, end: i64) -> cython.void:
    """Add an edit of the bytes from `start` to `stop`, whose new word ends at `end`."""
    out.tokens[out.count] = token
    out.starts[out.count] = start
    out.stops[out.count] = stop
    out.rules[out.count] = rule
    out.count += 1
    out.size = end
    out.offsets[out.count] = end


@cfunc
@inline
@nogil
def add_edit(out: EditsOut, tokens: Tokens, token: i64, rule: i64, end: i64) -> cython.void:
    """Add an edit of a token, whose new word ends at `end`."""
    add_edit_at(out, token, tokens.starts[token], tokens.stops[token], rule, end)


@cfunc
@inline
@nogil
def has_words(choices: Choices, word_type: i64) -> bint:
    """Return whether any list of a type has words."""
    return choices.entries[word_type] > NO_WORDS


@cfunc
@inline
@nogil
def how_many(choices: Choices, word_type: i64, which: i64) -> i64:
    """Return how many words a list of a type has."""
    entry = choices.entries[word_type] + which
    return choices.lists.starts[entry + 1] - choices.lists.starts[entry]


@cfunc
@inline
@nogil
def pick(choices: Choices, word_type: i64, which: i64, bits: u64) -> i64:
    """Return the number of a word that a draw picks from a list."""
    entry: u64 = choices.entries[word_type] + which
    first = choices.lists.starts[entry]
    return first + bounded(bits, choices.lists.starts[entry + 1] - first)


@cfunc
@inline
@nogil
def add_word(out: EditsOut, tokens: Tokens, token: i64, rule: i64, lists: WordLists, word: i64) -> bint:
    """Replace a token with a word, if there is room; return whether there was."""
    start, stop = lists.offsets[word], lists.offsets[word + 1]
    if not has_room(out, stop - start):
        return False
    add_edit(out, tokens, token, rule, copy_bytes(lists.data, start, stop, out.size, out.new))
    return True


@final
@dataclass(repr=False, eq=False)
@cclass
class EditPlaces:
    """Where edits are, in bytes: those of row `i` are `rows[i]` to `rows[i + 1]`, in order."""

    rows: const_i64[::1]
    starts: const_i32[::1]
    stops: const_i32[::1]


@cfunc
@inline
@nogil
def is_inside_word(characters: Characters, data: const_u8[::1], first: i64, last: i64, i: i64) -> bint:
    """Return whether byte `i` of a row, which goes from `first` to `last`, has a letter on both sides."""
    if i <= first or i >= last:
        return False
    return flags_before(characters, data, i) & WORD != 0 and flags_at(characters, data, i) & WORD != 0


@cfunc
@inline
@nogil
def overlaps(start: i64, stop: i64, other_start: i64, other_stop: i64) -> bint:
    """Return whether two edits share a byte, one inserts into the other, or both insert at one place."""
    same: bint = start == stop == other_start == other_stop
    return same or (start < other_stop and other_start < stop)


def find_free(
    characters: Characters,
    data: const_u8[::1],
    row_starts: const_i64[::1],
    edits: EditPlaces,
    taken: EditPlaces,
    out: u8[::1],
) -> None:
    """Fill whether each edit leaves the taken ones alone: it shares neither a byte nor a word with them."""
    with nogil:
        for row in range(len(row_starts) - 1):
            first, last = row_starts[row], row_starts[row + 1]
            near = taken.rows[row]
            for k in range(edits.rows[row], edits.rows[row + 1]):
                start, stop = edits.starts[k], edits.stops[k]
                while near < taken.rows[row + 1] and taken.stops[near] < start:
                    near += 1
                out[k] = True
                other = near
                while other < taken.rows[row + 1] and taken.starts[other] <= stop:
                    seam = start if taken.stops[other] == start else stop
                    if overlaps(start, stop, taken.starts[other], taken.stops[other]) or is_inside_word(
                        characters, data, first, last, seam
                    ):
                        out[k] = False
                    other += 1
