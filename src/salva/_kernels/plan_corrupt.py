"""The plan of `corrupt`: a share of the words of every row, each changed by one of four corruptions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import ALPHA, JOINING, LEADING, UNSPACED, Characters, flags_at, width
from salva._kernels.choices import (
    Choices,
    EditsOut,
    Tally,
    Tokens,
    WordLists,
    add_edit,
    add_word,
    has_words,
    pick,
)
from salva._kernels.jit import kernel, step
from salva._kernels.letters import Alphabets, write_letter, write_other
from salva._kernels.rng import below, bounded, draw
from salva._kernels.stages import (
    COMPLETE_CHOICE,
    CORRECT_CHOICE,
    CORRUPT_KIND,
    CORRUPT_LETTER,
    CORRUPT_PLACE,
    CORRUPT_RANK,
    THESAURUS_CHOICE,
)
from salva._kernels.strings import copy_bytes
from salva._kernels.words import HAS_LETTER, TypeTable, describe_word
from salva._types import Bools, Bytes, Ints32, Ints64, Uints64

SHORTEST = 2
WIDEST = 4  # bytes of a letter
BUCKETS = 256
_BUCKET = np.uint64(56)


class CorruptRules(NamedTuple):
    """The numbers of the rules."""

    typo: int
    autocomplete: int
    autocorrect: int
    synonym: int


@step
def kth_smallest(values: Uints64, size: int, k: int) -> np.uint64:
    """Return the k-th smallest of the first `size` values, counted from 1; reorders them."""
    low, high = 0, size - 1
    while low < high:
        pivot = values[(low + high) // 2]
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


@step
def kth_draw(draws: Uints64, size: int, k: int, counts: Ints64, scratch: Uints64) -> np.uint64:
    """Return the k-th smallest of the first `size` draws, counted from 1.

    Uints64 are evenly distributed: only a few have the same first bits, and only these are searched for the
    k-th.
    """
    counts[:] = 0
    for i in range(size):
        counts[draws[i] >> _BUCKET] += 1
    bucket = 0
    while k > counts[bucket]:
        k -= counts[bucket]
        bucket += 1
    found = 0
    for i in range(size):
        scratch[found] = draws[i]
        found += draws[i] >> _BUCKET == bucket
    return kth_smallest(scratch, found, k)


@step
def is_eligible(characters: Characters, data: Bytes, start: int, stop: int) -> bool:
    """Return whether a token has two or more characters and a letter; for most, without a branch."""
    letter = (data[np.uint64(start)] | np.uint8(32)) - np.uint8(ord("a")) < np.uint8(26)
    if letter | (stop - start < SHORTEST):
        return letter & (stop - start >= SHORTEST)
    length, made_of = describe_word(characters, data, start, stop)
    return length >= SHORTEST and made_of & HAS_LETTER != 0


@kernel
def choose_corruptions(
    characters: Characters,
    tokens: Tokens,
    severity: float,
    every: bool,
    limits: Uints64,
    rules: CorruptRules,
    draws: Uints64,
    scratch: Uints64,
    counts: Ints64,
    places: Ints64,
    tally: Tally,
    chosen: Ints64,
    out: Bytes,
) -> int:
    """Fill the tokens to corrupt and the rules, with room for one more; return how many there are.

    The words of a row are ranked by their draws, and the first ones are corrupted, as many as the severity
    says. With `every`, all tokens are ranked, and the words among the first ones are corrupted. `limits` are
    the cumulative thresholds of typo, autocomplete and autocorrect.
    """
    count = 0
    for row in range(len(tokens.rows) - 1):
        first = tokens.rows[row]
        key = tokens.keys[row]
        eligible = 0
        for token in range(np.uint64(first), np.uint64(tokens.rows[row + 1])):
            places[eligible] = token
            start, stop = np.int64(tokens.starts[token]), np.int64(tokens.stops[token])
            eligible += is_eligible(characters, tokens.data, start, stop) & (tokens.blocked[token] == 0)
        ranked = tokens.rows[row + 1] - first if every else eligible
        for k in range(np.uint64(ranked)):
            draws[k] = draw(key, np.int64(k) if every else places[k] - first, CORRUPT_RANK)
        tally.eligible[row] = eligible
        # Rounded half to even, as Python does.
        picked = int(np.rint(severity * ranked))
        if picked == 0:
            continue
        highest = kth_draw(draws, ranked, picked, counts, scratch)
        if every:
            for k in range(eligible):
                draws[k] = draws[places[k] - first]
        # Without branches, which would be mispredicted half of the time.
        last = count
        for k in range(eligible):
            chosen[last] = places[k]
            last += draws[k] <= highest
        for k in range(count, last):
            bits = draw(key, chosen[k] - first, CORRUPT_KIND)
            which = 3 - below(bits, limits[0]) - below(bits, limits[1]) - below(bits, limits[2])
            out[k] = rules[which]
        count = last
    return count


@kernel
def mark_wanted(chosen_rules: Bytes, numbers: Ints32, out: Bools) -> None:
    """Mark which rules need words for which types."""
    for k in range(len(chosen_rules)):
        out[chosen_rules[k], numbers[k]] = True


@step
def is_letter(characters: Characters, data: Bytes, i: int, stop: int, whole: bool) -> bool:
    """Return whether the character at byte `i` is a letter; with `whole`, one not joined to another."""
    flags = flags_at(characters, data, i)
    if not flags & ALPHA or flags & UNSPACED or (whole and flags & (JOINING | LEADING)):
        return False
    after = i + width(data[i])
    return not (whole and after < stop and flags_at(characters, data, after) & JOINING)


@step
def plain_letters(data: Bytes, start: int, stop: int) -> int:
    """Return how many letters from a to z a word begins with."""
    for i in range(np.uint64(start), np.uint64(stop)):
        if not ord("a") <= data[i] | 32 <= ord("z") or data[i] >= 0x80:
            return np.int64(i) - start
    return stop - start


@step
def other_letter(bits: np.uint64, byte: int) -> int:
    """Return a letter from a to z other than the given byte."""
    new = ord("a") + bounded(bits, 25)
    return new + 1 if new >= byte | 32 else new


@step
def mistype_one(
    characters: Characters,
    alphabets: Alphabets,
    data: Bytes,
    start: int,
    stop: int,
    whole: bool,
    place: np.uint64,
    letter: np.uint64,
    size: int,
    out: Bytes,
) -> int:
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
        letters += is_letter(characters, data, i, stop, whole)
        i += width(data[i])
    if letters == 0:
        return size
    left = bounded(place, letters)
    i = start
    while left or not is_letter(characters, data, i, stop, whole):
        left -= is_letter(characters, data, i, stop, whole)
        i += width(data[i])
    size = copy_bytes(data, start, i, size, out)
    size = write_other(characters, alphabets, letter, data, i, size, out)
    return copy_bytes(data, i + width(data[i]), stop, size, out)


@kernel
def pick_words(
    tokens: Tokens,
    types: TypeTable,
    chosen: Ints64,
    completions: Choices,
    corrections: Choices,
    synonyms: Choices,
    rules: CorruptRules,
    chosen_rules: Bytes,
    words: Ints32,
) -> None:
    """Fill the word that replaces each chosen token, if any, and settle the rule; 0 keeps the token.

    A word that cannot be completed is corrected, one without synonyms gets a typo, and one that cannot be
    corrected stays. The look-ups jump through memory: kept apart from the writing, the processor does many of
    them at once.
    """
    row = 0
    for k in range(len(chosen)):
        token, rule, word_type = chosen[k], chosen_rules[k], types.numbers[k]
        while tokens.rows[row + 1] <= token:
            row += 1
        key, place = tokens.keys[row], token - tokens.rows[row]
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


@kernel
def write_corruptions(
    characters: Characters,
    alphabets: Alphabets,
    tokens: Tokens,
    chosen: Ints64,
    chosen_rules: Bytes,
    words: Ints32,
    lists: WordLists,
    rules: CorruptRules,
    whole: bool,
    out: EditsOut,
) -> int:
    """Fill the edits of the chosen tokens; return how many there are, or -1 if there was no room."""
    edits = size = row = 0
    data, new = tokens.data, out.new
    for k in range(len(chosen)):
        token, rule = chosen[k], chosen_rules[k]
        end = size
        if rule == rules.typo:
            while tokens.rows[row + 1] <= token:
                row += 1
            start, stop = tokens.starts[token], tokens.stops[token]
            if size + stop - start + WIDEST > len(new):
                return -1
            key, place = tokens.keys[row], token - tokens.rows[row]
            where, what = draw(key, place, CORRUPT_PLACE), draw(key, place, CORRUPT_LETTER)
            end = mistype_one(characters, alphabets, data, start, stop, whole, where, what, size, new)
        elif rule != 0:
            end = add_word(lists, words[k], size, new)
        if end < 0:
            return -1
        if end > size:
            size = end
            edits = add_edit(out, edits, tokens, token, rule, size)
    return edits
