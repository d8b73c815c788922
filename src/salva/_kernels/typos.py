"""Wrong letters: the plans of `typos`, from neighbouring keys, and of `misspellings`, as people make them.

The errors that a word may have depend on the contexts of its letters: see `salva.lexicon.slips`. Each has a
weight. The sum of all is how hard the word is; one error is drawn in proportion to its weight, and drawn
again until the result is not an English word, or too many attempts have failed.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        CAPITAL,
        Characters,
        bytes_in,
        decode,
        flags_at,
        width,
        write_point,
    )
    from salva._kernels.constants import *
    from salva._kernels.plans import EditsOut, Rates, Tokens, add_edit, has_room, is_kept
    from salva._kernels.rng import bounded, draw
    from salva._kernels.strings import StringTable, copy_bytes, eight_bytes, find, find_place
    from salva._kernels.surface import begins_sentence, is_joined, read_word

SPOKEN = cython.declare(u8[256])
SPOKEN = bytes_in("aeiouy")


@final
@dataclass(repr=False, eq=False)
@cclass
class Keyboard:
    """The key of every ASCII character and of some `points` in ascending order; NO_KEY has no neighbours.

    Neighbours are code points, in lower and in upper case; `widest` is the most bytes that any of them has.
    """

    keys: const_i16[::1]
    points: const_i32[::1]
    others: const_i16[::1]
    small: const_i32[:, ::1]
    capital: const_i32[:, ::1]
    counts: const_i64[::1]
    widest: i64


@final
@dataclass(repr=False, eq=False)
@cclass
class Alphabets:
    """The letters of script `n` are `starts[n]` to `starts[n + 1]`; the first script is a to z.

    A script consists of blocks of code points, from `firsts` to `lasts`, in ascending order.
    """

    firsts: const_i32[::1]
    lasts: const_i32[::1]
    scripts: const_i64[::1]
    starts: const_i64[::1]
    small: const_i32[::1]
    capital: const_i32[::1]


@cfunc
@inline
@nogil
def key_at(
    characters: Characters, keyboard: Keyboard, data: const_u8[::1], i: i64, stop: i64, whole: bint
) -> i64:
    """Return the key of the letter at byte `i` if it has neighbours.

    With `whole`, a letter that carries a mark has none, so that no mark ends up on another letter.
    """
    if data[i] < 0x80:
        key: i64 = keyboard.keys[data[i]]
    else:
        point = decode(data, i)
        place = find_place(keyboard.points, point)
        known: bint = place < len(keyboard.points) and keyboard.points[place] == point
        key = keyboard.others[place] if known else NO_KEY
    if key == NO_KEY or not whole:
        return key
    after = i + width(data[i])
    if after < stop and data[after] >= 0x80 and flags_at(characters, data, after) & JOINING:
        return NO_KEY
    return key


@cfunc
@inline
@nogil
def is_capital(characters: Characters, data: const_u8[::1], i: i64) -> bint:
    """Return whether the letter at byte `i` is a capital."""
    return data[i] & 32 == 0 if data[i] < 0x80 else flags_at(characters, data, i) & UPPER != 0


@cfunc
@inline
@nogil
def write_letter(
    characters: Characters, data: const_u8[::1], i: i64, letter: i64, size: i64, out: u8[::1]
) -> i64:
    """Write a letter from a to z in the case of the character at byte `i`; return the end."""
    out[size] = letter - 32 if is_capital(characters, data, i) else letter
    return size + 1


@cfunc
@inline
@nogil
def write_neighbour(
    characters: Characters,
    keyboard: Keyboard,
    key: i64,
    bits: u64,
    data: const_u8[::1],
    i: i64,
    size: i64,
    out: u8[::1],
) -> i64:
    """Write a neighbour of a key in the case of the character at byte `i`; return the end."""
    which = bounded(bits, keyboard.counts[key])
    capital: bint = is_capital(characters, data, i)
    point = keyboard.capital[key, which] if capital else keyboard.small[key, which]
    return write_point(point, size, out)


@cfunc
@inline
@nogil
def script_of(alphabets: Alphabets, point: i64) -> i64:
    """Return the script of a letter; 0 is the script of a to z."""
    block = find_place(alphabets.lasts, point)
    if block < len(alphabets.lasts) and alphabets.firsts[block] <= point:
        return alphabets.scripts[block]
    return 0


@cfunc
@inline
@nogil
def write_other(
    characters: Characters,
    alphabets: Alphabets,
    bits: u64,
    data: const_u8[::1],
    i: i64,
    size: i64,
    out: u8[::1],
) -> i64:
    """Write another letter of the script of the letter at byte `i`, in its case; return the end."""
    point = decode(data, i)
    script = script_of(alphabets, point)
    start, stop = alphabets.starts[script], alphabets.starts[script + 1]
    own = stop
    for k in range(start, stop):
        if alphabets.small[k] == point or alphabets.capital[k] == point:
            own = k
    new: i64 = start + bounded(bits, stop - start - (own < stop))
    new += new >= own
    capital: bint = is_capital(characters, data, i)
    return write_point(alphabets.capital[new] if capital else alphabets.small[new], size, out)


@cfunc
@inline
@nogil
def count_characters(data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return how many characters a word has; a short one in ASCII is not read byte by byte."""
    length: i64 = stop - start
    is_short: bint = 0 < length <= EIGHT and start + EIGHT <= len(data)
    if is_short and not ((eight_bytes(data, start) & TOPS) << (8 * (EIGHT - length))) & ALL_BITS:
        return length
    length = 0
    for k in range(start, stop):
        length += (data[k] & 0xC0) != 0x80
    return length


@cfunc
@inline
@nogil
def has_key(
    characters: Characters, keyboard: Keyboard, data: const_u8[::1], start: i64, stop: i64, whole: bint
) -> bint:
    """Return whether a character of a word can be mistyped."""
    while start < stop:
        if key_at(characters, keyboard, data, start, stop, whole) != NO_KEY:
            return True
        start += width(data[start])
    return False


@cfunc
@nogil
def mistype(
    characters: Characters,
    keyboard: Keyboard,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    length: i64,
    typos: i64,
    whole: bint,
    key: u64,
    out: EditsOut,
) -> i64:
    """Write a word with some of its letters mistyped; return the end, or -1 if nothing changed.

    The positions are a uniform sample without replacement, taken with the probabilities that remain.
    """
    size: i64 = out.size
    changed: bint = False
    for place in range(length):
        if not typos:
            break
        after = start + width(data[start])
        letter: i64 = NO_KEY
        if bounded(draw(key, place, TYPOS_PLACE), length - place) < typos:
            typos -= 1
            letter = key_at(characters, keyboard, data, start, stop, whole)
        if letter == NO_KEY:
            size = copy_bytes(data, start, after, size, out.new)
        else:
            bits = draw(key, place, TYPOS_KEY)
            size = write_neighbour(characters, keyboard, letter, bits, data, start, size, out.new)
            changed = True
        start = after
    return copy_bytes(data, start, stop, size, out.new) if changed else -1


def plan_typos(
    characters: Characters,
    keyboard: Keyboard,
    tokens: Tokens,
    rates: Rates,
    typo_per_word: f64,
    min_word_length: i64,
    whole: bint,
    out: EditsOut,
) -> None:
    """Fill the edits; with `whole`, letters that carry marks are left alone."""
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, key = tokens.rows[row], tokens.keys[row]
            for token in range(first, tokens.rows[row + 1]):
                start, stop, place = tokens.starts[token], tokens.stops[token], token - first
                if tokens.blocked[token] or stop - start < min_word_length:
                    continue
                length = count_characters(tokens.data, start, stop)
                if length < min_word_length:
                    continue
                if not has_key(characters, keyboard, tokens.data, start, stop, whole):
                    continue
                out.eligible[row] += 1
                if not is_kept(rates, key, place, TYPOS, TYPOS_KEEP):
                    continue
                if not has_room(out, keyboard.widest * (stop - start)):
                    break
                own = draw(key, place, TYPOS_WORD)
                typos: i64 = max(1, cython.cast(i64, length * typo_per_word))
                end = mistype(characters, keyboard, tokens.data, start, stop, length, typos, whole, own, out)
                if end >= 0:
                    add_edit(out, tokens, token, rates.rule, end)
            if out.full:
                break


@final
@dataclass(repr=False, eq=False)
@cclass
class KnownWords:
    """Words in lower case; those that are `plain` may be misspelled, and no error makes a `forbidden` one."""

    table: StringTable
    plain: const_u8[::1]
    forbidden: const_u8[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class Slips:
    """Errors, where those of each context start, and the sums of the weights of all errors before one."""

    starts: const_i64[::1]
    errors: const_u8[::1]
    sums: const_i64[::1]


@cfunc
@inline
@nogil
def find_cell(word: const_u8[::1], length: i64, place: i64, spoken: bint) -> i64:
    """Return the number of the context of a letter; `spoken` is whether a vowel comes before it."""
    part: i64 = 0 if length <= SHORT_WORD_LETTERS else 2 if spoken else 1
    left: i64 = word[place - 1] - BEFORE_A if place > 0 else 0
    right: i64 = word[place + 1] - BEFORE_A if place + 1 < length else 0
    return ((part * ALPHABET + left) * ALPHABET + word[place] - BEFORE_A) * ALPHABET + right


@cfunc
@inline
@nogil
def find_error(slips: Slips, word: const_u8[::1], length: i64, wanted: i64) -> tuple[i64, i64, i64]:
    """Return the place and number of the error at which the weights exceed `wanted`, and the sum so far.

    If the sum of all weights does not exceed it, the number is -1.
    """
    total: i64 = 0
    spoken: bint = False
    for place in range(length):
        cell = find_cell(word, length, place, spoken)
        start, stop = slips.starts[cell], slips.starts[cell + 1]
        weight = slips.sums[stop] - slips.sums[start]
        if total + weight > wanted:
            while total + slips.sums[start + 1] - slips.sums[slips.starts[cell]] <= wanted:
                start += 1
            return place, start, total
        total += weight
        spoken = spoken or SPOKEN[word[place]]
    return length, -1, total


@cfunc
@inline
@nogil
def write_error(error: i64, place: i64, word: const_u8[::1], length: i64, size: i64, out: u8[::1]) -> i64:
    """Write a word with an error at a place; return the end."""
    size = copy_bytes(word, 0, place + (error > SLIP_ADDED), size, out)
    if error > SLIP_WRONG:
        out[size] = BEFORE_A + (error - SLIP_ADDED if error > SLIP_ADDED else error - SLIP_WRONG)
        size += 1
    elif error == SLIP_SWAPPED:
        out[size], out[size + 1] = word[place + 1], word[place]
        size += 2
    return copy_bytes(word, place + (2 if error == SLIP_SWAPPED else 1), length, size, out)


@cfunc
@inline
@nogil
def misspell(
    vocabulary: KnownWords,
    slips: Slips,
    hardest: i64,
    word: const_u8[::1],
    length: i64,
    own: u64,
    size: i64,
    out: u8[::1],
) -> i64:
    """Write a word with one error, which makes no forbidden word; return the end, or -1 if there is none."""
    _, _, total = find_error(slips, word, length, NEVER)
    if bounded(draw(own, 0, MISSPELL_CHANCE), hardest) >= total:
        return -1
    for attempt in range(ATTEMPTS):
        wanted = bounded(draw(own, attempt, MISSPELL_ERROR), total)
        place, number, _ = find_error(slips, word, length, wanted)
        end = write_error(slips.errors[number], place, word, length, size, out)
        known = find(vocabulary.table, out, size, end)
        if known < 0 or not vocabulary.forbidden[known]:
            return end
    return -1


@cfunc
@nogil
def may_be_misspelled(vocabulary: KnownWords, tokens: Tokens, row: i64, token: i64, word: u8[::1]) -> bint:
    """Write a token to `word`; return whether it is a word by itself that people misspell."""
    start, stop = tokens.starts[token], tokens.stops[token]
    if not read_word(tokens.data, start, stop, word):
        return False
    number = find(vocabulary.table, word, 0, stop - start)
    if number < 0 or not vocabulary.plain[number]:
        return False
    if CAPITAL[tokens.data[start]] and not begins_sentence(tokens, tokens.rows[row], token):
        return False  # a name, or a word of a title
    return not is_joined(tokens.data, tokens.row_starts[row], tokens.row_starts[row + 1], start, stop)


def plan_misspellings(
    vocabulary: KnownWords,
    slips: Slips,
    tokens: Tokens,
    rates: Rates,
    min_word_length: i64,
    hardest: i64,
    word: u8[::1],
    out: EditsOut,
) -> None:
    """Fill the edits; `hardest` is the weight of words that always get an error, `word` room for one word."""
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, key = tokens.rows[row], tokens.keys[row]
            for token in range(first, tokens.rows[row + 1]):
                place, length = token - first, tokens.stops[token] - tokens.starts[token]
                if tokens.blocked[token] or length < min_word_length:
                    continue
                if not may_be_misspelled(vocabulary, tokens, row, token, word):
                    continue
                out.eligible[row] += 1
                if not is_kept(rates, key, place, MISSPELL, MISSPELL_KEEP):
                    continue
                if not has_room(out, length + SPARE):
                    break
                own = draw(key, place, MISSPELL_WORD)
                size = out.size
                end = misspell(vocabulary, slips, hardest, word, length, own, size, out.new)
                if end >= 0:
                    if CAPITAL[tokens.data[tokens.starts[token]]]:
                        out.new[size] -= CASE_BIT
                    add_edit(out, tokens, token, rates.rule, end)
            if out.full:
                break
