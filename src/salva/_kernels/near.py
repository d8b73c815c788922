"""Common words near a word: few edits away, or with the same first letters.

Most words of a vocabulary are ruled out without counting edits: an edit adds at most one letter that one word
has and the other lacks. A mask has bits for the letters that occur once and twice, and two masks are compared
in a nanosecond.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import decode, width
from salva._kernels.jit import kernel, step
from salva._types import Bytes, Ints32, Ints64, Uints64

U64 = np.uint64

_ONE, _TWO, _FOUR, _TOP_BYTE = U64(1), U64(2), U64(4), U64(56)
_FIVES, _THREES = U64(0x5555555555555555), U64(0x3333333333333333)
_FIFTEENS, _ONES = U64(0x0F0F0F0F0F0F0F0F), U64(0x0101010101010101)

LETTERS, OTHERS = 26, 12


class Common(NamedTuple):
    """A vocabulary in order of frequency, as code points, with the mask of every word."""

    points: Ints32
    offsets: Ints64
    masks: Uints64


@step
def count_bits(bits: np.uint64) -> int:
    """Return how many bits are set; this compiles to one instruction."""
    bits -= (bits >> _ONE) & _FIVES
    bits = (bits & _THREES) + ((bits >> _TWO) & _THREES)
    bits = (bits + (bits >> _FOUR)) & _FIFTEENS
    return np.int64((bits * _ONES) >> _TOP_BYTE)


@step
def decode_word(data: Bytes, start: int, stop: int, points: Ints32, size: int) -> int:
    """Write the code points of a word, starting at `size`; return the end."""
    i = start
    while i < stop:
        points[size] = decode(data, i)
        size += 1
        i += width(data[i])
    return size


@step
def mask_of(points: Ints32, start: int, stop: int) -> np.uint64:
    """Return which letters a word has, and which it has twice; other characters share the remaining bits."""
    mask = U64(0)
    for k in range(start, stop):
        letter = points[k] - ord("a")
        if 0 <= letter < LETTERS:
            bit = _ONE << U64(letter)
            mask |= bit << U64(LETTERS) if mask & bit else bit
        else:
            mask |= _ONE << U64(2 * LETTERS + points[k] % OTHERS)
    return mask


@kernel
def describe_common(data: Bytes, offsets: Ints64, common: Common) -> None:
    """Fill the code points and masks of a vocabulary."""
    size = 0
    for word in range(len(offsets) - 1):
        common.offsets[word] = size
        end = decode_word(data, offsets[word], offsets[word + 1], common.points, size)
        common.masks[word] = mask_of(common.points, size, end)
        size = end
    common.offsets[len(offsets) - 1] = size


@step
def count_edits(
    left: Ints32, n: int, right: Ints32, first: int, m: int, limit: int, before: Ints64, row: Ints64
) -> int:
    """Return the Levenshtein distance of two words, or some number above `limit` if it exceeds `limit`.

    Only the diagonals that `limit` edits can reach are computed.
    """
    for j in range(min(m, limit) + 1):
        before[j] = j
    for i in range(1, n + 1):
        low, high = max(1, i - limit), min(m, i + limit)
        row[low - 1] = i if low == 1 else limit + 1
        best = row[low - 1]
        for j in range(low, high + 1):
            cost = before[j - 1] + (left[i - 1] != right[first + j - 1])
            if j < i + limit:
                cost = min(cost, before[j] + 1)
            row[j] = cost = min(cost, row[j - 1] + 1)
            best = min(best, cost)
        if best > limit:
            return best
        before, row = row, before
    return before[m]


@kernel
def find_near(
    common: Common,
    farthest: int,
    data: Bytes,
    offsets: Ints64,
    places: Ints64,
    points: Ints32,
    before: Ints64,
    row: Ints64,
    words: Ints32,
    distances: Ints32,
) -> None:
    """Fill the nearest common words of the words at `places`, ordered by distance and then by frequency.

    A word is not near itself. The rest of a row of `words` is -1.
    """
    most = words.shape[1]
    for k in range(len(places)):
        size = decode_word(data, offsets[places[k]], offsets[places[k] + 1], points, 0)
        mask = mask_of(points, 0, size)
        words[k] = -1
        found = 0
        limit = farthest
        for word in range(len(common.masks)):
            other = common.masks[word]
            if count_bits(mask & ~other) > limit or count_bits(other & ~mask) > limit:
                continue
            first = common.offsets[word]
            length = common.offsets[word + 1] - first
            if abs(length - size) > limit:
                continue
            distance = count_edits(points, size, common.points, first, length, limit, before, row)
            if distance == 0 or distance > limit:
                continue
            place = min(found, most - 1)
            while place > 0 and distances[k, place - 1] > distance:
                words[k, place], distances[k, place] = words[k, place - 1], distances[k, place - 1]
                place -= 1
            words[k, place], distances[k, place] = word, distance
            found = min(found + 1, most)
            if found == most:
                # A later word is rarer, so it must be nearer than the last of these.
                limit = distances[k, most - 1] - 1
                if limit == 0:
                    break


@step
def begins_before(data: Bytes, offsets: Ints64, word: int, text: Bytes, start: int, size: int) -> int:
    """Compare the first `size` bytes of a word with those of a text: -1, 0 or 1."""
    first = offsets[word]
    length = offsets[word + 1] - first
    for k in range(min(size, length)):
        if data[first + k] != text[start + k]:
            return -1 if data[first + k] < text[start + k] else 1
    return -1 if length < size else 0


@step
def search(data: Bytes, offsets: Ints64, text: Bytes, start: int, size: int, after: bool) -> int:
    """Return the first sorted word that does not sort before a prefix; with `after`, the first beyond it."""
    low, high = 0, len(offsets) - 1
    while low < high:
        middle = (low + high) // 2
        order = begins_before(data, offsets, middle, text, start, size)
        if order < 0 or (after and order == 0):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def find_starts(
    data: Bytes,
    offsets: Ints64,
    most: int,
    least: int,
    text: Bytes,
    text_offsets: Ints64,
    places: Ints64,
    out: Ints64,
) -> None:
    """Fill which sorted words share the longest prefix with each of the words at `places`.

    Prefixes are tried from `most` letters down to `least`. A row of `out` is the first word, the end, and the
    word itself or -1.
    """
    for k in range(len(places)):
        start, stop = text_offsets[places[k]], text_offsets[places[k] + 1]
        out[k, 0] = out[k, 1] = 0
        out[k, 2] = -1
        for letters in range(most, least - 1, -1):
            end = start
            count = 0
            while end < stop and count < letters:
                end += width(text[end])
                count += 1
            if count < letters:
                continue
            first = search(data, offsets, text, start, end - start, False)
            last = search(data, offsets, text, start, end - start, True)
            own = search(data, offsets, text, start, stop - start, False)
            if own < last and offsets[own + 1] - offsets[own] == stop - start:
                own = own if begins_before(data, offsets, own, text, start, stop - start) == 0 else -1
            else:
                own = -1
            if last - first > (own >= 0):
                out[k, 0], out[k, 1], out[k, 2] = first, last, own
                break
