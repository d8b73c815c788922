"""The averaged perceptron of NLTK and TextBlob, over word types.

Weights have three decimal places, so thousandths add up exactly as integers, in any order. Everything that
depends only on the word is added once per word type; a token costs seven short additions and one maximum. A
score carries its class in its lowest bits, so that the maximum is the best class and a tie goes to the class
whose name sorts last.

NLTK adds floats, in the order of its features. If exact scores are equal, rounding decides; in these cases,
and only then, the floats are added in NLTK's order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import DIGIT, Characters, flags_at, start_before, width
from salva._kernels.jit import kernel, step
from salva._kernels.strings import StringTable, find
from salva._kernels.words import AS_LOWER, Casing, change_case
from salva._types import Bytes, Ints16, Ints32, Ints64

# Columns of `features`: the row of weights of a word type for each of its positions.
SUFFIX, PREFIX, WORD, LEFT, LEFT_SUFFIX, LEFT_2, RIGHT, RIGHT_SUFFIX, RIGHT_2, AFTER = range(10)
FEATURES = 10

DASH = ord("-")
HYPHEN, YEAR, DIGITS = range(3)  # the first words of every vocabulary


class Vocabulary(NamedTuple):
    """Words, suffixes and first letters that have weights, and their rows; row 0 is all zeros."""

    words: StringTable
    word_rows: Ints32  # WORD, LEFT, LEFT_2, RIGHT, RIGHT_2, AFTER
    suffixes: StringTable
    suffix_rows: Ints32  # SUFFIX, LEFT_SUFFIX, RIGHT_SUFFIX
    prefixes: StringTable
    prefix_rows: Ints32


class Perceptron(NamedTuple):
    """Weights as thousandths shifted by `bits`, one row per feature, and the rows of the preceding tags.

    `before[p, q]` is the sum for the preceding tags `p` and `q`, with the bias and the class; `after[k, p]`
    is the row of a word that has weights for the preceding tag. Tags beyond the classes are the two paddings
    before a text.
    """

    weights: Ints32
    before: Ints32
    previous: Ints32
    previous_2: Ints32
    pairs: Ints32
    after: Ints32
    bias: int
    bits: int


class Sums(NamedTuple):
    """Sums of weights per word type; adding `flip` to a score reverses the order of its classes."""

    own: Ints32
    left: Ints32
    right: Ints32
    flip: Ints32


@step
def suffix_start(data: Bytes, start: int, stop: int) -> int:
    """Return where the last three characters begin."""
    for _ in range(3):
        if stop > start:
            stop = start_before(data, stop)
    return stop


@step
def shape_of(characters: Characters, data: Bytes, start: int, stop: int) -> int:
    """Return HYPHEN, YEAR or DIGITS for a word that the perceptron knows only by its shape, else -1."""
    if start == stop:
        return -1
    dashed = False
    digits = True
    count = 0
    i = start
    while i < stop:
        dashed |= data[i] == DASH
        digits &= flags_at(characters, data, i) & DIGIT != 0
        count += 1
        i += width(data[i])
    if dashed and data[start] != DASH:
        return HYPHEN
    if digits and count == 4:
        return YEAR
    return DIGITS if flags_at(characters, data, start) & DIGIT else -1


@step
def fill_suffix(vocabulary: Vocabulary, column: int, data: Bytes, start: int, stop: int) -> int:
    """Return the row of a suffix for one position, 0 if it has none."""
    number = find(vocabulary.suffixes, data, suffix_start(data, start, stop), stop)
    return vocabulary.suffix_rows[number, column] if number >= 0 else 0


@kernel
def find_features(
    characters: Characters,
    casing: Casing,
    vocabulary: Vocabulary,
    data: Bytes,
    offsets: Ints64,
    firsts: Ints64,
    scratch: Bytes,
    out: Ints32,
) -> None:
    """Fill the rows of weights of every word type; `firsts` has one token per type."""
    for number in range(len(firsts)):
        start, stop = offsets[firsts[number]], offsets[firsts[number] + 1]
        for column in range(FEATURES):
            out[number, column] = 0
        out[number, SUFFIX] = fill_suffix(vocabulary, 0, data, start, stop)
        first = find(vocabulary.prefixes, data, start, start + width(data[start]) if stop > start else start)
        if first >= 0:
            out[number, PREFIX] = vocabulary.prefix_rows[first]
        word = shape_of(characters, data, start, stop)
        if word >= 0:
            table = vocabulary.words
            size = table.offsets[word + 1] - table.offsets[word]
            for k in range(size):
                scratch[k] = table.data[table.offsets[word] + k]
        else:
            size = change_case(characters, casing, AS_LOWER, data, start, stop, 0, scratch)
            word = find(vocabulary.words, scratch, 0, size)
        out[number, LEFT_SUFFIX] = fill_suffix(vocabulary, 1, scratch, 0, size)
        out[number, RIGHT_SUFFIX] = fill_suffix(vocabulary, 2, scratch, 0, size)
        if word >= 0:
            fill_word(vocabulary.word_rows, word, out, number)


@step
def fill_word(word_rows: Ints32, word: int, out: Ints32, number: int) -> None:
    """Copy the rows of a known word."""
    out[number, WORD] = word_rows[word, 0]
    out[number, LEFT] = word_rows[word, 1]
    out[number, LEFT_2] = word_rows[word, 2]
    out[number, RIGHT] = word_rows[word, 3]
    out[number, RIGHT_2] = word_rows[word, 4]
    out[number, AFTER] = word_rows[word, 5]


@kernel
def add_up(weights: Ints32, features: Ints32, out: Sums) -> None:
    """Add up what a word type contributes to its own score, to that of the next word and of the previous."""
    for number in range(len(features)):
        suffix, prefix, word = features[number, SUFFIX], features[number, PREFIX], features[number, WORD]
        left_word, left_suffix = features[number, LEFT], features[number, LEFT_SUFFIX]
        right_word, right_suffix = features[number, RIGHT], features[number, RIGHT_SUFFIX]
        for c in range(weights.shape[1]):
            out.own[number, c] = np.int32(weights[suffix, c] + weights[prefix, c] + weights[word, c])
            out.left[number, c] = weights[left_word, c] + weights[left_suffix, c]
            out.right[number, c] = weights[right_word, c] + weights[right_suffix, c]


@step
def settle_tie(model: Perceptron, classes: int, best: int, rows: Ints64) -> int:
    """Return the class that NLTK's floats prefer among those whose exact scores equal the best."""
    chosen = -1
    highest = 0.0
    for c in range(classes):
        exact = 0
        score = 0.0
        for row in rows:
            thousandths = model.weights[row, c] >> model.bits
            exact += thousandths
            score += thousandths / 1000.0
        if exact == best and (chosen < 0 or score >= highest):
            chosen = c
            highest = score
    return chosen


@step
def tag_token(
    model: Perceptron,
    sums: Sums,
    features: Ints32,
    classes: int,
    numbers: tuple[int, int, int, int, int],
    tag: int,
    tag_2: int,
    rows: Ints64,
) -> int:
    """Return the best class of a token, given its type, the neighbouring types and the two preceding tags."""
    number, left, left_2, right, right_2 = numbers
    weights = model.weights
    far_left, far_right = features[left_2, LEFT_2], features[right_2, RIGHT_2]
    after = model.after[features[number, AFTER], tag]
    greatest = reverse = np.int32(-(2**31))
    for c in range(weights.shape[1]):
        score = sums.own[number, c] + sums.left[left, c] + sums.right[right, c] + model.before[tag, tag_2, c]
        score += weights[far_left, c] + weights[far_right, c] + weights[after, c]
        # Numba widens sums to 64 bits; cut back to 32 bits, twice as many are added at once.
        greatest = np.int32(max(greatest, np.int32(score)))
        reverse = np.int32(max(reverse, np.int32(score + sums.flip[c])))
    mask = (1 << model.bits) - 1
    if (greatest & mask) + (reverse & mask) == mask:
        return np.int64(greatest & mask)
    # More than one class has the best score. NLTK's order of features:
    rows[0], rows[1], rows[2] = model.bias, features[number, SUFFIX], features[number, PREFIX]
    rows[3], rows[4], rows[5] = model.previous[tag], model.previous_2[tag_2], model.pairs[tag, tag_2]
    rows[6], rows[7] = features[number, WORD], after
    rows[8], rows[9], rows[10] = features[left, LEFT], features[left, LEFT_SUFFIX], far_left
    rows[11], rows[12], rows[13] = features[right, RIGHT], features[right, RIGHT_SUFFIX], far_right
    return settle_tie(model, classes, greatest >> model.bits, rows)


@kernel
def tag_rows(
    model: Perceptron,
    sums: Sums,
    features: Ints32,
    fixed: Ints16,
    types: Ints32,
    starts: Ints64,
    classes: int,
    scratch: Ints64,
    out: Ints16,
) -> None:
    """Fill the tag of every token; the last four types are the paddings, two before and two after a text."""
    edge = len(features) - 4
    for row in range(len(starts) - 1):
        first, last = starts[row], starts[row + 1]
        tag, tag_2 = len(model.previous) - 2, len(model.previous) - 1
        for token in range(first, last):
            number = types[token]
            chosen = np.int64(fixed[number])
            if chosen < 0:
                left = types[token - 1] if token > first else edge + 1
                left_2 = types[token - 2] if token > first + 1 else edge + token - first
                right = types[token + 1] if token + 1 < last else edge + 2
                right_2 = types[token + 2] if token + 2 < last else edge + 4 + token - last
                numbers = (number, left, left_2, right, right_2)
                chosen = tag_token(model, sums, features, classes, numbers, tag, tag_2, scratch)
            out[token] = chosen
            tag_2, tag = tag, chosen
