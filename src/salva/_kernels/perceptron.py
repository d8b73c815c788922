"""The averaged perceptron of NLTK and TextBlob, over word types.

Weights have three decimal places, so thousandths add up exactly as integers, in any order. Everything that
depends only on the word is added once per word type; a token costs seven short additions and one maximum. A
score carries its class in its lowest bits, so that the maximum is the best class and a tie goes to the class
whose name sorts last.

NLTK adds floats, in the order of its features. If exact scores are equal, rounding decides; in these cases,
and only then, the floats are added in NLTK's order.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        Casing,
        Characters,
        change_case,
        flags_at,
        start_before,
        width,
    )
    from salva._kernels.constants import *
    from salva._kernels.strings import StringTable, copy_bytes, find


@final
@dataclass(repr=False, eq=False)
@cclass
class TagVocabulary:
    """Words, suffixes and first letters that have weights, and their rows; row 0 is all zeros."""

    words: StringTable
    word_rows: const_i32[:, ::1]  # OWN_WORD, LEFT_WORD, LEFT_2, RIGHT_WORD, RIGHT_2, AFTER_WORD
    suffixes: StringTable
    suffix_rows: const_i32[:, ::1]  # OWN_SUFFIX, LEFT_SUFFIX, RIGHT_SUFFIX
    prefixes: StringTable
    prefix_rows: const_i32[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class Perceptron:
    """Weights as thousandths shifted by `bits`, one row per feature, and the rows of the preceding tags.

    `before[p * tags + q]` is the sum for the preceding tags `p` and `q`, with the bias and the class;
    `after[k, p]` is the row of a word that has weights for the preceding tag. Tags beyond the classes are
    the two paddings before a text.
    """

    weights: const_i32[:, ::1]
    before: const_i32[:, ::1]
    previous: const_i32[::1]
    previous_2: const_i32[::1]
    pairs: const_i32[:, ::1]
    after: const_i32[:, ::1]
    bias: i64
    bits: i64


@final
@dataclass(repr=False, eq=False)
@cclass
class Sums:
    """Sums of weights per word type; adding `flip` to a score reverses the order of its classes."""

    own: i32[:, ::1]
    left: i32[:, ::1]
    right: i32[:, ::1]
    flip: const_i32[::1]


@cfunc
@inline
@nogil
def suffix_start(data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return where the last three characters begin."""
    for _ in range(3):
        if stop > start:
            stop = start_before(data, stop)
    return stop


@cfunc
@inline
@nogil
def shape_of(characters: Characters, data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return HYPHEN, YEAR or DIGITS for a word that the perceptron knows only by its shape, else -1."""
    if start == stop:
        return -1
    dashed: bint = False
    digits: bint = True
    count: i64 = 0
    i = start
    while i < stop:
        dashed |= data[i] == DASH
        digits &= flags_at(characters, data, i) & DIGIT != 0
        count += 1
        i += width(data[i])
    if dashed and data[start] != DASH:
        return SHAPE_HYPHEN
    if digits and count == 4:
        return SHAPE_YEAR
    return SHAPE_DIGITS if flags_at(characters, data, start) & DIGIT else -1


@cfunc
@inline
@nogil
def suffix_row(vocabulary: TagVocabulary, column: i64, data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return the row of a suffix for one position, 0 if it has none."""
    number = find(vocabulary.suffixes, data, suffix_start(data, start, stop), stop)
    return vocabulary.suffix_rows[number, column] if number >= 0 else 0


@cfunc
@inline
@nogil
def lower_word(
    characters: Characters,
    casing: Casing,
    words: StringTable,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    out: u8[::1],
) -> i64:
    """Write a word in lower case, or as the word that its shape stands for; return its size."""
    shape = shape_of(characters, data, start, stop)
    if shape < 0:
        return change_case(characters, casing, AS_LOWER, data, start, stop, 0, out)
    return copy_bytes(words.data, words.offsets[shape], words.offsets[shape + 1], 0, out)


def find_features(
    characters: Characters,
    casing: Casing,
    vocabulary: TagVocabulary,
    data: const_u8[::1],
    offsets: const_i64[::1],
    firsts: const_i64[::1],
    scratch: u8[::1],
    out: i32[:, ::1],
) -> None:
    """Fill the rows of weights of every word type; `firsts` has one token per type."""
    with nogil:
        for number in range(len(firsts)):
            start, stop = offsets[firsts[number]], offsets[firsts[number] + 1]
            for column in range(FEATURES):
                out[number, column] = 0
            out[number, OWN_SUFFIX] = suffix_row(vocabulary, 0, data, start, stop)
            end: i64 = start + width(data[start]) if stop > start else start
            prefix = find(vocabulary.prefixes, data, start, end)
            if prefix >= 0:
                out[number, OWN_PREFIX] = vocabulary.prefix_rows[prefix]
            size = lower_word(characters, casing, vocabulary.words, data, start, stop, scratch)
            out[number, LEFT_SUFFIX] = suffix_row(vocabulary, 1, scratch, 0, size)
            out[number, RIGHT_SUFFIX] = suffix_row(vocabulary, 2, scratch, 0, size)
            word = find(vocabulary.words, scratch, 0, size)
            if word >= 0:
                out[number, OWN_WORD] = vocabulary.word_rows[word, 0]
                out[number, LEFT_WORD] = vocabulary.word_rows[word, 1]
                out[number, LEFT_2] = vocabulary.word_rows[word, 2]
                out[number, RIGHT_WORD] = vocabulary.word_rows[word, 3]
                out[number, RIGHT_2] = vocabulary.word_rows[word, 4]
                out[number, AFTER_WORD] = vocabulary.word_rows[word, 5]


def add_up(weights: const_i32[:, ::1], features: const_i32[:, ::1], out: Sums) -> None:
    """Add up what a word type contributes to its own score, to that of the next word and of the previous."""
    classes: i64 = weights.shape[1]
    with nogil:
        for number in range(len(features)):
            suffix, prefix = features[number, OWN_SUFFIX], features[number, OWN_PREFIX]
            word = features[number, OWN_WORD]
            left_word, left_suffix = features[number, LEFT_WORD], features[number, LEFT_SUFFIX]
            right_word, right_suffix = features[number, RIGHT_WORD], features[number, RIGHT_SUFFIX]
            for c in range(classes):
                out.own[number, c] = weights[suffix, c] + weights[prefix, c] + weights[word, c]
                out.left[number, c] = weights[left_word, c] + weights[left_suffix, c]
                out.right[number, c] = weights[right_word, c] + weights[right_suffix, c]


# A token's type, and those of its neighbours.
Neighbours = cython.struct(own=i64, left=i64, left_2=i64, right=i64, right_2=i64)


@cfunc
@nogil
def settle_tie(
    model: Perceptron,
    features: const_i32[:, ::1],
    classes: i64,
    types: Neighbours,
    tag: i64,
    tag_2: i64,
    best: i64,
    rows: i64[::1],
) -> i64:
    """Return the class that NLTK's floats prefer among those whose exact scores equal the best."""
    rows[0] = model.bias  # in NLTK's order of features
    rows[1] = features[types.own, OWN_SUFFIX]
    rows[2] = features[types.own, OWN_PREFIX]
    rows[3] = model.previous[tag]
    rows[4] = model.previous_2[tag_2]
    rows[5] = model.pairs[tag, tag_2]
    rows[6] = features[types.own, OWN_WORD]
    rows[7] = model.after[features[types.own, AFTER_WORD], tag]
    rows[8] = features[types.left, LEFT_WORD]
    rows[9] = features[types.left, LEFT_SUFFIX]
    rows[10] = features[types.left_2, LEFT_2]
    rows[11] = features[types.right, RIGHT_WORD]
    rows[12] = features[types.right, RIGHT_SUFFIX]
    rows[13] = features[types.right_2, RIGHT_2]
    chosen: i64 = -1
    highest: f64 = 0.0
    for c in range(classes):
        exact: i64 = 0
        score: f64 = 0.0
        for k in range(len(rows)):
            thousandths = model.weights[rows[k], c] >> model.bits
            exact += thousandths
            score += thousandths / 1000.0
        if exact == best and (chosen < 0 or score >= highest):
            chosen = c
            highest = score
    return chosen


@cfunc
@nogil
def tag_token(
    model: Perceptron,
    sums: Sums,
    features: const_i32[:, ::1],
    weights: const_i32[:, ::1],
    classes: i64,
    types: Neighbours,
    tag: i64,
    tag_2: i64,
    rows: i64[::1],
) -> i64:
    """Return the best class of a token, given its type, the neighbouring types and the two preceding tags."""
    left_2: i64 = features[types.left_2, LEFT_2]
    right_2: i64 = features[types.right_2, RIGHT_2]
    after: i64 = model.after[features[types.own, AFTER_WORD], tag]
    before: i64 = tag * len(model.previous) + tag_2
    greatest: i32 = LOWEST_SCORE
    reverse: i32 = LOWEST_SCORE
    for c in range(weights.shape[1]):
        score: i32 = sums.own[types.own, c] + sums.left[types.left, c] + sums.right[types.right, c]
        score += model.before[before, c] + weights[left_2, c] + weights[right_2, c] + weights[after, c]
        other: i32 = score + sums.flip[c]
        greatest = max(greatest, score)
        reverse = max(reverse, other)
    mask: i64 = (cython.cast(i64, 1) << model.bits) - 1
    if (greatest & mask) + (reverse & mask) == mask:
        return greatest & mask
    # More than one class has the best score.
    return settle_tie(model, features, classes, types, tag, tag_2, greatest >> model.bits, rows)


def tag_rows(
    model: Perceptron,
    sums: Sums,
    features: const_i32[:, ::1],
    fixed: const_i16[::1],
    types: const_i32[::1],
    starts: const_i64[::1],
    classes: i64,
    scratch: i64[::1],
    out: i16[::1],
) -> None:
    """Fill the tag of every token; the last four types are the paddings, two before and two after a text.

    A word type with a `fixed` tag, one that is not negative, always gets it.
    """
    edge: i64 = len(features) - 4
    tags: i64 = len(model.previous)
    with nogil:
        for row in range(len(starts) - 1):
            first, last = starts[row], starts[row + 1]
            tag: i64 = tags - 2
            tag_2: i64 = tags - 1
            for token in range(first, last):
                chosen: i64 = fixed[types[token]]
                if chosen < 0:
                    near = Neighbours(
                        own=types[token],
                        left=types[token - 1] if token > first else edge + 1,
                        left_2=types[token - 2] if token > first + 1 else edge + token - first,
                        right=types[token + 1] if token + 1 < last else edge + 2,
                        right_2=types[token + 2] if token + 2 < last else edge + 4 + token - last,
                    )
                    chosen = tag_token(
                        model, sums, features, model.weights, classes, near, tag, tag_2, scratch
                    )
                out[token] = chosen
                tag_2 = tag
                tag = chosen
