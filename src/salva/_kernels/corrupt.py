"""The plan of `corrupt`: a share of the words of every row, each changed by one of four corruptions.

Two of them need the common words near a word: few edits away, or with the same first letters. Most words of a
vocabulary are ruled out without counting edits: an edit adds at most one letter that one word has and the
other lacks. A mask has bits for the letters that occur once and twice, and two masks are compared in a
nanosecond.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import Characters, TypeTable, decode, describe_word, flags_at, width
    from salva._kernels.constants import *
    from salva._kernels.plans import (
        Choices,
        EditsOut,
        Tokens,
        WordLists,
        add_edit,
        add_word,
        has_room,
        has_words,
        pick,
    )
    from salva._kernels.rng import below, bounded, draw
    from salva._kernels.strings import copy_bytes
    from salva._kernels.typos import Alphabets, write_letter, write_other

    rint = round  # half to even, as in C


@final
@dataclass(repr=False, eq=False)
@cclass
class CommonWords:
    """A vocabulary in order of frequency, as code points, with the mask of every word."""

    points: i32[::1]
    offsets: i64[::1]
    masks: u64[::1]


@cfunc
@inline
@nogil
def count_bits(bits: u64) -> i64:
    """Return how many bits are set."""
    bits = bits - ((bits >> 1) & FIVES)
    bits = (bits & THREES) + ((bits >> 2) & THREES)
    bits = (bits + (bits >> 4)) & FIFTEENS
    return cython.cast(i64, ((bits * ONES) & ALL_BITS) >> 56)


@cfunc
@inline
@nogil
def decode_word(data: const_u8[::1], start: i64, stop: i64, points: i32[::1], size: i64) -> i64:
    """Write the code points of a word, starting at `size`; return the end."""
    i = start
    while i < stop:
        points[size] = decode(data, i)
        size += 1
        i += width(data[i])
    return size


@cfunc
@inline
@nogil
def mask_of(points: const_i32[::1], start: i64, stop: i64) -> u64:
    """Return which letters a word has, and which it has twice; other characters share the remaining bits."""
    mask: u64 = 0
    for k in range(start, stop):
        letter = points[k] - ord("a")
        if 0 <= letter < MASK_LETTERS:
            bit: u64 = cython.cast(u64, 1) << letter
            mask |= bit << MASK_LETTERS if mask & bit else bit
        else:
            mask |= cython.cast(u64, 1) << (2 * MASK_LETTERS + points[k] % MASK_OTHERS)
    return mask


def describe_common(data: const_u8[::1], offsets: const_i64[::1], common: CommonWords) -> None:
    """Fill the code points and masks of a vocabulary."""
    with nogil:
        size: i64 = 0
        for word in range(len(offsets) - 1):
            common.offsets[word] = size
            end = decode_word(data, offsets[word], offsets[word + 1], common.points, size)
            common.masks[word] = mask_of(common.points, size, end)
            size = end
        common.offsets[len(offsets) - 1] = size


@cfunc
@nogil
def count_edits(
    left: const_i32[::1], n: i64, right: const_i32[::1], first: i64, m: i64, limit: i64, table: i64[:, ::1]
) -> i64:
    """Return the Levenshtein distance of two words, or some number above `limit` if it exceeds `limit`.

    Only the diagonals that `limit` edits can reach are computed; `table` has room for two rows of them.
    """
    for j in range(min(m, limit) + 1):
        table[0, j] = j
    for i in range(1, n + 1):
        row, before = i & 1, (i - 1) & 1
        low, high = max(1, i - limit), min(m, i + limit)
        table[row, low - 1] = i if low == 1 else limit + 1
        best: i64 = table[row, low - 1]
        for j in range(low, high + 1):
            cost: i64 = table[before, j - 1] + (left[i - 1] != right[first + j - 1])
            if j < i + limit:
                cost = min(cost, table[before, j] + 1)
            cost = min(cost, table[row, j - 1] + 1)
            table[row, j] = cost
            best = min(best, cost)
        if best > limit:
            return best
    return table[n & 1, m]


def find_near(
    common: CommonWords,
    farthest: i64,
    data: const_u8[::1],
    offsets: const_i64[::1],
    places: const_i64[::1],
    points: i32[::1],
    table: i64[:, ::1],
    words: i32[:, ::1],
    distances: i32[:, ::1],
) -> None:
    """Fill the nearest common words of the words at `places`, ordered by distance and then by frequency.

    A word is not near itself. The rest of a row of `words` is -1.
    """
    most: i64 = words.shape[1]
    with nogil:
        for k in range(len(places)):
            size = decode_word(data, offsets[places[k]], offsets[places[k] + 1], points, 0)
            mask: u64 = mask_of(points, 0, size)
            for place in range(most):
                words[k, place] = -1
            found: i64 = 0
            limit = farthest
            for word in range(len(common.masks)):
                other: u64 = common.masks[word]
                if count_bits(mask & ~other) > limit or count_bits(other & ~mask) > limit:
                    continue
                first = common.offsets[word]
                length = common.offsets[word + 1] - first
                if length - size > limit or size - length > limit:
                    continue
                distance = count_edits(points, size, common.points, first, length, limit, table)
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


@cfunc
@inline
@nogil
def begins_before(
    data: const_u8[::1], offsets: const_i64[::1], word: i64, text: const_u8[::1], start: i64, size: i64
) -> i64:
    """Compare the first `size` bytes of a word with those of a text: -1, 0 or 1."""
    first = offsets[word]
    length = offsets[word + 1] - first
    for k in range(min(size, length)):
        if data[first + k] != text[start + k]:
            return -1 if data[first + k] < text[start + k] else 1
    return -1 if length < size else 0


@cfunc
@inline
@nogil
def search(
    data: const_u8[::1], offsets: const_i64[::1], text: const_u8[::1], start: i64, size: i64, after: bint
) -> i64:
    """Return the first sorted word that does not sort before a prefix; with `after`, the first beyond it."""
    low: i64 = 0
    high = len(offsets) - 1
    while low < high:
        middle = (low + high) // 2
        order = begins_before(data, offsets, middle, text, start, size)
        if order < 0 or (after and order == 0):
            low = middle + 1
        else:
            high = middle
    return low


def find_starts(
    data: const_u8[::1],
    offsets: const_i64[::1],
    most: i64,
    least: i64,
    text: const_u8[::1],
    text_offsets: const_i64[::1],
    places: const_i64[::1],
    out: i64[:, ::1],
) -> None:
    """Fill which sorted words share the longest prefix with each of the words at `places`.

    Prefixes are tried from `most` letters down to `least`. A row of `out` is the first word, the end, and the
    word itself or -1.
    """
    with nogil:
        for k in range(len(places)):
            start, stop = text_offsets[places[k]], text_offsets[places[k] + 1]
            out[k, 0] = out[k, 1] = 0
            out[k, 2] = -1
            for letters in range(most, least - 1, -1):
                end = start
                count: i64 = 0
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


@final
@dataclass(repr=False, eq=False)
@cclass
class CorruptRules:
    """The numbers of the rules."""

    typo: i64
    autocomplete: i64
    autocorrect: i64
    synonym: i64


@cfunc
@inline
@nogil
def kth_smallest(values: u64[::1], size: i64, k: i64) -> u64:
    """Return the k-th smallest of the first `size` values, counted from 1; reorders them."""
    low: i64 = 0
    high = size - 1
    while low < high:
        pivot: u64 = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    return values[k - 1]


@cfunc
@inline
@nogil
def kth_draw(draws: const_u64[::1], size: i64, k: i64, counts: i64[::1], scratch: u64[::1]) -> u64:
    """Return the k-th smallest of the first `size` draws, counted from 1.

    Draws are evenly distributed: only a few have the same first bits, and only these are searched for the
    k-th.
    """
    for i in range(BUCKETS):
        counts[i] = 0
    for i in range(size):
        counts[draws[i] >> 56] += 1
    bucket: i64 = 0
    while k > counts[bucket]:
        k -= counts[bucket]
        bucket += 1
    found: i64 = 0
    for i in range(size):
        scratch[found] = draws[i]
        found += cython.cast(i64, draws[i] >> 56) == bucket
    return kth_smallest(scratch, found, k)


@cfunc
@inline
@nogil
def is_eligible(characters: Characters, data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether a token has two or more characters and a letter; for most, without a branch."""
    letter: bint = ord("a") <= data[start] | CASE_BIT <= ord("z")
    long: bint = stop - start >= SHORTEST_CORRUPTED
    if letter | (not long):
        return letter & long
    length, made_of = describe_word(characters, data, start, stop)
    return length >= SHORTEST_CORRUPTED and made_of & HAS_LETTER != 0


def choose_corruptions(
    characters: Characters,
    tokens: Tokens,
    severity: f64,
    every: bint,
    limits: const_u64[::1],
    rules: CorruptRules,
    draws: u64[::1],
    scratch: u64[::1],
    counts: i64[::1],
    places: i64[::1],
    eligible: i32[::1],
    chosen: i64[::1],
    out: u8[::1],
) -> i64:
    """Fill the tokens to corrupt and the rules, with room for one more; return how many there are.

    The words of a row are ranked by their draws, and the first ones are corrupted, as many as the severity
    says. With `every`, all tokens are ranked, and the words among the first ones are corrupted. `limits` are
    the cumulative thresholds of typo, autocomplete and autocorrect.
    """
    count: i64 = 0
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first = tokens.rows[row]
            key: u64 = tokens.keys[row]
            words: i64 = 0
            for token in range(first, tokens.rows[row + 1]):
                places[words] = token
                free: bint = tokens.blocked[token] == 0
                words += free & is_eligible(
                    characters, tokens.data, tokens.starts[token], tokens.stops[token]
                )
            ranked = tokens.rows[row + 1] - first if every else words
            for k in range(ranked):
                draws[k] = draw(key, k if every else places[k] - first, CORRUPT_RANK)
            eligible[row] = words
            picked = cython.cast(i64, rint(severity * ranked))
            if picked == 0:
                continue
            highest: u64 = kth_draw(draws, ranked, picked, counts, scratch)
            if every:
                for k in range(words):
                    draws[k] = draws[places[k] - first]
            # Without branches, which would be mispredicted half of the time.
            last: i64 = count
            for k in range(words):
                chosen[last] = places[k]
                last += draws[k] <= highest
            for k in range(count, last):
                bits: u64 = draw(key, chosen[k] - first, CORRUPT_KIND)
                if below(bits, limits[0]):
                    out[k] = rules.typo
                elif below(bits, limits[1]):
                    out[k] = rules.autocomplete
                else:
                    out[k] = rules.autocorrect if below(bits, limits[2]) else rules.synonym
            count = last
    return count


def mark_wanted(chosen_rules: const_u8[::1], numbers: const_i32[::1], out: u8[:, ::1]) -> None:
    """Mark which rules need words for which types."""
    with nogil:
        for k in range(len(chosen_rules)):
            out[chosen_rules[k], numbers[k]] = True


@cfunc
@inline
@nogil
def is_letter_at(characters: Characters, data: const_u8[::1], i: i64, stop: i64, whole: bint) -> bint:
    """Return whether the character at byte `i` is a letter; with `whole`, one not joined to another."""
    flags = flags_at(characters, data, i)
    if not flags & ALPHA or flags & UNSPACED or (whole and flags & (JOINING | LEADING)):
        return False
    after = i + width(data[i])
    return not (whole and after < stop and flags_at(characters, data, after) & JOINING)


@cfunc
@inline
@nogil
def plain_letters(data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return how many letters from a to z a word begins with."""
    for i in range(start, stop):
        if not ord("a") <= data[i] | 32 <= ord("z") or data[i] >= 0x80:
            return i - start
    return stop - start


@cfunc
@inline
@nogil
def other_letter(bits: u64, byte: i64) -> i64:
    """Return a letter from a to z other than the given byte."""
    new = ord("a") + bounded(bits, 25)
    return new + 1 if new >= byte | 32 else new


@cfunc
@inline
@nogil
def mistype_one(
    characters: Characters,
    alphabets: Alphabets,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    whole: bint,
    place: u64,
    letter: u64,
    size: i64,
    out: u8[::1],
) -> i64:
    """Write a word with one letter changed to another of its script; return the end, `size` if none is."""
    letters = plain_letters(data, start, stop)
    if letters == stop - start:  # nearly always
        i = start + bounded(place, letters)
        end = copy_bytes(data, start, stop, size, out)
        write_letter(characters, data, i, other_letter(letter, data[i]), size + i - start, out)
        return end
    letters = 0
    i = start
    while i < stop:
        letters += is_letter_at(characters, data, i, stop, whole)
        i += width(data[i])
    if letters == 0:
        return size
    left = bounded(place, letters)
    i = start
    while left or not is_letter_at(characters, data, i, stop, whole):
        left -= is_letter_at(characters, data, i, stop, whole)
        i += width(data[i])
    size = copy_bytes(data, start, i, size, out)
    size = write_other(characters, alphabets, letter, data, i, size, out)
    return copy_bytes(data, i + width(data[i]), stop, size, out)


def pick_words(
    tokens: Tokens,
    types: TypeTable,
    chosen: const_i64[::1],
    completions: Choices,
    corrections: Choices,
    synonyms: Choices,
    rules: CorruptRules,
    chosen_rules: u8[::1],
    words: i32[::1],
) -> None:
    """Fill the word that replaces each chosen token, if any, and settle the rule; 0 keeps the token.

    A word that cannot be completed is corrected, one without synonyms gets a typo, and one that cannot be
    corrected stays. The look-ups jump through memory: kept apart from the writing, the processor does many of
    them at once.
    """
    with nogil:
        row: i64 = 0
        for k in range(len(chosen)):
            token, rule, word_type = chosen[k], chosen_rules[k], types.numbers[k]
            while tokens.rows[row + 1] <= token:
                row += 1
            key: u64 = tokens.keys[row]
            place = token - tokens.rows[row]
            if rule == rules.autocomplete and not has_words(completions, word_type):
                rule = rules.autocorrect
            if rule == rules.autocomplete:
                words[k] = pick(completions, word_type, 0, draw(key, place, COMPLETE_CHOICE))
            elif rule == rules.synonym:
                if has_words(synonyms, word_type):
                    words[k] = pick(synonyms, word_type, 0, draw(key, place, THESAURUS_CHOICE))
                else:
                    rule = rules.typo
            elif rule == rules.autocorrect:
                if has_words(corrections, word_type):
                    words[k] = pick(corrections, word_type, 0, draw(key, place, CORRECT_CHOICE))
                else:
                    rule = 0
            chosen_rules[k] = rule


def write_corruptions(
    characters: Characters,
    alphabets: Alphabets,
    tokens: Tokens,
    chosen: const_i64[::1],
    chosen_rules: const_u8[::1],
    words: const_i32[::1],
    lists: WordLists,
    rules: CorruptRules,
    whole: bint,
    out: EditsOut,
) -> None:
    """Fill the edits of the chosen tokens."""
    row: i64 = 0
    with nogil:
        for k in range(len(chosen)):
            token, rule = chosen[k], chosen_rules[k]
            if rule == rules.typo:
                while tokens.rows[row + 1] <= token:
                    row += 1
                start, stop = tokens.starts[token], tokens.stops[token]
                if not has_room(out, stop - start + WIDEST_LETTER):
                    break
                key, place = tokens.keys[row], token - tokens.rows[row]
                where, what = draw(key, place, CORRUPT_PLACE), draw(key, place, CORRUPT_LETTER)
                end = mistype_one(
                    characters, alphabets, tokens.data, start, stop, whole, where, what, out.size, out.new
                )
                if end > out.size:
                    add_edit(out, tokens, token, rule, end)
            elif rule != 0 and not add_word(out, tokens, token, rule, lists, words[k]):
                break
