"""The plan of `misspellings`: one error in a share of the English words, of the kinds that people make.

An error replaces `skip` letters at a place with up to two others. The kind of a word's error is drawn once;
the rest is drawn again until the result is not an English word, or too many attempts have failed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import bytes_in, write_point
from salva._kernels.choices import EditsOut, Tally, Tokens, add_edit
from salva._kernels.jit import kernel, step
from salva._kernels.joints import CAPITAL, CASE_BIT, SMALL, is_joined, read_word
from salva._kernels.letters import NO_KEY, Keyboard
from salva._kernels.rng import below, bounded, draw
from salva._kernels.sentences import begins_sentence
from salva._kernels.stages import (
    MISSPELL,
    MISSPELL_FIRST,
    MISSPELL_KEEP,
    MISSPELL_KIND,
    MISSPELL_LETTER,
    MISSPELL_PLACE,
    MISSPELL_WAY,
    MISSPELL_WORD,
)
from salva._kernels.strings import StringTable, copy_bytes, find
from salva._types import Bools, Bytes, Ints64, Uints64

SUBSTITUTION, INSERTION, DELETION, TRANSPOSITION = range(4)
BY_VOWEL, BY_KEY, BY_SOUND = range(3)  # how a letter is replaced
DOUBLED, VOWEL, NEXT_KEY = range(3)  # which letter is inserted
ATTEMPTS, ATTEMPTS_PER_WAY = 24, 8
SPARE = 8  # bytes for two letters
NO_LETTER = -1
VOWELS = np.frombuffer(b"aeiou", np.uint8)
SPOKEN = bytes_in("aeiouy")
DOUBLING = bytes_in("bcdefglmnoprstz")


class Vocabulary(NamedTuple):
    """Words in lower case; those that are `plain` may be misspelled, and no error makes a `forbidden` one."""

    table: StringTable
    plain: Bools
    forbidden: Bools


class Letters(NamedTuple):
    """Letters that replace others: vowels, neighbouring keys, and letters of the same sound."""

    vowels: Keyboard
    keys: Keyboard
    sounds: Keyboard


class MisspellingRates(NamedTuple):
    """The rule of the edits, thresholds, the shortest word, and limits of the shares of kinds and ways."""

    rule: int
    prob: np.uint64
    keep: np.uint64
    first: np.uint64
    min_word_length: int
    kinds: Uints64
    substitutions: Uints64
    insertions: Uints64


class Misspelling(NamedTuple):
    """An error: at `place`, `skip` letters become up to two others; if `skip` is -1, there is none."""

    place: int
    skip: int
    letter: int
    more: int


@step
def choose(limits: Uints64, bits: np.uint64) -> int:
    """Return which of several things a draw picks; their shares end at `limits`."""
    which = 0
    while which < len(limits) - 1 and not below(bits, limits[which]):
        which += 1
    return which


@step
def other_letter(keyboard: Keyboard, old: int, bits: np.uint64) -> int:
    """Return a letter that a keyboard has for another, or NO_LETTER."""
    key = np.int64(keyboard.keys[old])
    if key == NO_KEY:
        return NO_LETTER
    return np.int64(keyboard.small[key, bounded(bits, keyboard.counts[key])])


@step
def draw_place(length: int, first: bool, bits: np.uint64) -> int:
    """Return the place of an error: any letter but the first, and the last a quarter as often as others."""
    return 0 if first else 1 + bounded(bits, 4 * length - 7) // 4


@step
def is_doubled(word: Bytes, length: int, place: int) -> bool:
    """Return whether a letter has itself as a neighbour."""
    after = place + 1 < length and word[place + 1] == word[place]
    return after or (place > 0 and word[place - 1] == word[place])


@step
def has_vowel_besides(word: Bytes, length: int, place: int) -> bool:
    """Return whether a word has a vowel besides the letter at a place."""
    found = False
    for i in range(length):
        found |= i != place and SPOKEN[word[i]]
    return found


@step
def substitute(
    letters: Letters, rates: MisspellingRates, word: Bytes, place: int, way: np.uint64, bits: np.uint64
) -> Misspelling:
    """Return a wrong letter: a vowel for a vowel, a neighbouring key, or a letter of the same sound."""
    how = choose(rates.substitutions, way)
    if how == BY_VOWEL:
        new = other_letter(letters.vowels, word[place], bits)
    elif how == BY_KEY:
        new = other_letter(letters.keys, word[place], bits)
    else:
        new = other_letter(letters.sounds, word[place], bits)
    return Misspelling(place, 1 if new != NO_LETTER else -1, new, NO_LETTER)


@step
def insert(
    letters: Letters,
    rates: MisspellingRates,
    word: Bytes,
    length: int,
    place: int,
    first: bool,
    way: np.uint64,
    bits: np.uint64,
) -> Misspelling:
    """Return a letter too many: a doubled one, a vowel, or a key next to the one that is typed."""
    how = choose(rates.insertions, way)
    new = NO_LETTER
    if how == DOUBLED:
        if DOUBLING[word[place]] and not is_doubled(word, length, place):
            new = np.int64(word[place])
    elif how == VOWEL:
        new = np.int64(VOWELS[bounded(bits, len(VOWELS))])
    else:
        new = other_letter(letters.keys, word[place], bits)
    return Misspelling(place + (not first), 0 if new != NO_LETTER else -1, new, NO_LETTER)


@step
def invent(
    letters: Letters,
    rates: MisspellingRates,
    kind: int,
    word: Bytes,
    length: int,
    own: np.uint64,
    attempt: int,
) -> Misspelling:
    """Return an error of a kind that an attempt draws."""
    first = below(draw(own, attempt, MISSPELL_FIRST), rates.first)
    bits = draw(own, attempt, MISSPELL_PLACE)
    place = draw_place(length, first, bits)
    way, letter = draw(own, attempt // ATTEMPTS_PER_WAY, MISSPELL_WAY), draw(own, attempt, MISSPELL_LETTER)
    if kind == SUBSTITUTION:
        return substitute(letters, rates, word, place, way, letter)
    if kind == INSERTION:
        return insert(letters, rates, word, length, place, first, way, letter)
    if kind == DELETION:
        for bits in (way, letter):  # more chances for a doubled letter
            again = draw_place(length, first, bits)
            if is_doubled(word, length, again):
                place = again
        return Misspelling(place, 1 if has_vowel_besides(word, length, place) else -1, NO_LETTER, NO_LETTER)
    place = 0 if first else 1 + bounded(bits, length - 2)
    left, right = np.int64(word[place]), np.int64(word[place + 1])
    return Misspelling(place, 2 if left != right else -1, right, left)


@step
def write_error(error: Misspelling, word: Bytes, length: int, size: int, out: Bytes) -> int:
    """Write a word with an error; return the end."""
    size = copy_bytes(word, 0, error.place, size, out)
    if error.letter != NO_LETTER:
        size = write_point(error.letter, size, out)
    if error.more != NO_LETTER:
        size = write_point(error.more, size, out)
    return copy_bytes(word, error.place + error.skip, length, size, out)


@step
def misspell(
    vocabulary: Vocabulary,
    letters: Letters,
    rates: MisspellingRates,
    word: Bytes,
    length: int,
    own: np.uint64,
    size: int,
    out: Bytes,
) -> int:
    """Write a word with one error, which makes no forbidden word; return the end, or -1 if there is none."""
    kind = choose(rates.kinds, draw(own, 0, MISSPELL_KIND))
    for attempt in range(ATTEMPTS):
        error = invent(letters, rates, kind, word, length, own, attempt)
        if error.skip < 0:
            continue
        end = write_error(error, word, length, size, out)
        number = find(vocabulary.table, out, size, end)
        if number < 0 or not vocabulary.forbidden[number]:
            return end
    return -1


@kernel
def plan_misspellings(
    vocabulary: Vocabulary,
    letters: Letters,
    tokens: Tokens,
    row_starts: Ints64,
    rates: MisspellingRates,
    word: Bytes,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room; `word` is room for one word."""
    edits = size = 0
    data = tokens.data
    for row in range(len(tokens.rows) - 1):
        eligible = 0
        first = tokens.rows[row]
        for token in range(first, tokens.rows[row + 1]):
            start, stop = tokens.starts[token], tokens.stops[token]
            length = stop - start
            if tokens.blocked[token] or length < rates.min_word_length:
                continue
            if not read_word(data, start, stop, word):
                continue
            number = find(vocabulary.table, word, 0, length)
            if number < 0 or not vocabulary.plain[number]:
                continue
            if CAPITAL[data[start]] and not begins_sentence(tokens, first, token):
                continue  # a name, or a word of a title
            if is_joined(data, row_starts[row], row_starts[row + 1], start, stop):
                continue
            eligible += 1
            key, place = tokens.keys[row], token - first
            if not below(draw(key, place, MISSPELL), rates.prob):
                continue
            if not below(draw(key, place, MISSPELL_KEEP), rates.keep):
                continue
            if size + length + SPARE > len(out.new):
                return -1
            own = draw(key, place, MISSPELL_WORD)
            end = misspell(vocabulary, letters, rates, word, length, own, size, out.new)
            if end < 0:
                continue
            if CAPITAL[data[start]] and SMALL[out.new[size]]:
                out.new[size] -= CASE_BIT
            size = end
            edits = add_edit(out, edits, tokens, token, rates.rule, size)
        tally.eligible[row] = eligible
    return edits
