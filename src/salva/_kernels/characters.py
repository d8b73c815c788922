"""Characters and their case: UTF-8 decoded in place, flags per code point, and words in another case.

The tables come from `lexicon` and are frozen at one Unicode version, so that no result depends on the
installed Python or on other libraries. A change of case may change the number of bytes and of characters.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.constants import *
    from salva._kernels.strings import find_place


@final
@dataclass(repr=False, eq=False)
@cclass
class Characters:
    """Flags of every code point: `flags[pages[point >> 8] << 8 | point & 255]`."""

    pages: const_u8[::1]
    flags: const_u16[::1]


def bytes_in(characters):
    """Return which of the 256 bytes are among the given characters of ASCII."""
    return [int(chr(byte) in characters) for byte in range(256)]


CAPITAL = cython.declare(u8[256])
CAPITAL = bytes_in("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
SMALL = cython.declare(u8[256])
SMALL = bytes_in("abcdefghijklmnopqrstuvwxyz")
ASCII_LETTER = cython.declare(u8[256])
ASCII_LETTER = bytes_in("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
ASCII_DIGIT = cython.declare(u8[256])
ASCII_DIGIT = bytes_in("0123456789")
SENTENCE_MARK = cython.declare(u8[256])
SENTENCE_MARK = bytes_in(".?!")
ASK_MARK = cython.declare(u8[256])
ASK_MARK = bytes_in("?!")
COMMAS = cython.declare(u8[256])
COMMAS = bytes_in(",:")


@cfunc
@inline
@nogil
def width(lead: i64) -> i64:
    """Return how many bytes a character has, given its first byte."""
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@cfunc
@inline
@nogil
def decode(data: const_u8[::1], i: i64) -> i64:
    """Return the code point that begins at byte `i`."""
    lead: i64 = data[i]
    if lead < 0x80:
        return lead
    point: i64 = lead & 0x1F if lead < 0xE0 else lead & 0x0F if lead < 0xF0 else lead & 0x07
    for k in range(i + 1, i + width(lead)):
        point = point << 6 | data[k] & 0x3F
    return point


@cfunc
@inline
@nogil
def write_point(point: i64, size: i64, out: u8[::1]) -> i64:
    """Write a code point at `size`; return the end."""
    if point < 0x80:
        out[size] = point
        return size + 1
    count = 2 if point < 0x800 else 3 if point < 0x10000 else 4
    for k in range(count - 1, 0, -1):
        out[size + k] = 0x80 | (point & 0x3F)
        point >>= 6
    out[size] = (0xF00 >> count & 0xFF) | point
    return size + count


@cfunc
@inline
@nogil
def flags_of(characters: Characters, point: i64) -> i64:
    """Return the flags of a code point."""
    page: i64 = characters.pages[point >> 8]
    return characters.flags[page << 8 | (point & 255)]


@cfunc
@inline
@nogil
def flags_at(characters: Characters, data: const_u8[::1], i: i64) -> i64:
    """Return the flags of the character that begins at byte `i`."""
    return flags_of(characters, decode(data, i))


@cfunc
@inline
@nogil
def start_before(data: const_u8[::1], i: i64) -> i64:
    """Return where the character that ends before byte `i` begins."""
    i -= 1
    while data[i] & 0xC0 == 0x80:
        i -= 1
    return i


@cfunc
@inline
@nogil
def flags_before(characters: Characters, data: const_u8[::1], i: i64) -> i64:
    """Return the flags of the character that ends before byte `i`."""
    return flags_of(characters, decode(data, start_before(data, i)))


@cfunc
@inline
@nogil
def is_ascii(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether every character of a byte range is one byte long."""
    seen: u8 = 0
    for i in range(start, stop):
        seen |= data[i]
    return seen < 0x80


@cfunc
@inline
@nogil
def folds_to(data: const_u8[::1], i: i64, stop: i64, letter: i64, dotless: bint) -> i64:
    """Return how many bytes at `i` equal a lower-case letter, ignoring case; 0 if they differ.

    Python's `re` matches a dotless i as an i, `regex` does not.
    """
    if i >= stop:
        return 0
    if data[i] == letter or (data[i] == letter ^ 32 and letter != APOSTROPHE):
        return 1
    if data[i] < 0x80:
        return 0
    point = decode(data, i)
    if letter == ord("i"):
        return 2 if point == DOTTED_I or (dotless and point == DOTLESS_I) else 0
    return 2 if letter == ord("s") and point == LONG_S else 0


def code_points(
    data: const_u8[::1],
    row_starts: const_i64[::1],
    rows: const_i64[::1],
    places: const_i64[::1],
    out: i64[::1],
) -> None:
    """Convert ascending byte positions in each row to code points from the start of the row."""
    with nogil:
        for row in range(len(rows) - 1):
            i = row_starts[row]
            if is_ascii(data, i, row_starts[row + 1]):
                for k in range(rows[row], rows[row + 1]):
                    out[k] = places[k] - i
                continue
            point: i64 = 0
            for k in range(rows[row], rows[row + 1]):
                while i < places[k]:
                    point += data[i] & 0xC0 != 0x80
                    i += 1
                out[k] = point


@final
@dataclass(repr=False, eq=False)
@cclass
class CaseMap:
    """The results of a change of case: ascending code points, and where the new bytes of each begin."""

    points: const_i32[::1]
    data: const_u8[::1]
    offsets: const_i64[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class Casing:
    """The three changes of case."""

    lower: CaseMap
    upper: CaseMap
    title: CaseMap


@cfunc
@inline
@nogil
def find_pattern(characters: Characters, data: const_u8[::1], start: i64, stop: i64) -> i64:
    """Return the case pattern of a word; a single capital counts as title, a word without case as mixed."""
    first: i64 = 0
    uppers: i64 = 0
    titles: i64 = 0
    lowers: i64 = 0
    i = start
    while i < stop:
        flags = flags_at(characters, data, i)
        uppers += flags & UPPER != 0
        titles += flags & TITLE != 0
        lowers += flags & LOWER != 0
        if first == 0 and flags & CASED:
            first = flags
        i += width(data[i])
    if uppers + titles == 0:
        return AS_LOWER if lowers else AS_MIXED
    if uppers + titles == 1 and first & (UPPER | TITLE):
        return AS_TITLE
    return AS_MIXED if lowers + titles else AS_UPPER


@cfunc
@inline
@nogil
def ends_in_sigma(characters: Characters, data: const_u8[::1], start: i64, i: i64, stop: i64) -> bint:
    """Return whether the capital sigma at byte `i` ends a word, by Unicode's Final_Sigma rule."""
    flags: i64 = 0
    before = i
    while before > start:
        before = start_before(data, before)
        flags = flags_at(characters, data, before)
        if not flags & CASE_IGNORABLE:
            break
    if flags & CASE_IGNORABLE or not flags & CASED:
        return False
    after = i + 2
    while after < stop:
        flags = flags_at(characters, data, after)
        if not flags & CASE_IGNORABLE:
            return not flags & CASED
        after += width(data[after])
    return True


@cfunc
@inline
@nogil
def write_changed(case: CaseMap, data: const_u8[::1], i: i64, out: u8[::1], size: i64) -> i64:
    """Write the character at byte `i` after a change of case; return the new size."""
    point = decode(data, i)
    place = find_place(case.points, point)
    if place < len(case.points) and case.points[place] == point:
        for k in range(case.offsets[place], case.offsets[place + 1]):
            out[size] = case.data[k]
            size += 1
        return size
    for k in range(i, i + width(data[i])):
        out[size] = data[k]
        size += 1
    return size


@cfunc
@inline
@nogil
def change_case(
    characters: Characters,
    casing: Casing,
    pattern: i64,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    size: i64,
    out: u8[::1],
) -> i64:
    """Write a word in a case pattern to `out`, starting at `size`; return the end.

    This takes at most GROWTH times the word's bytes. In title case, the first cased character is upper case
    and the rest lower case.
    """
    titled: bint = False
    i = start
    while i < stop:
        byte = data[i]
        if pattern == AS_MIXED or (pattern == AS_CAPITAL and titled):
            out[size] = byte
            size += 1
            i += 1
            continue
        capital: bint = pattern == AS_UPPER
        if pattern in (AS_TITLE, AS_CAPITAL) and not titled:
            titled = capital = flags_at(characters, data, i) & CASED != 0
        if byte < 0x80:
            letter: bint = ord("a") <= byte | 32 <= ord("z")
            out[size] = (byte & 0xDF if capital else byte | 32) if letter else byte
            size += 1
        elif not capital and decode(data, i) == SIGMA:
            ends: bint = ends_in_sigma(characters, data, start, i, stop)
            size = write_point(FINAL_SIGMA if ends else SMALL_SIGMA, size, out)
        elif capital and pattern != AS_UPPER:
            size = write_changed(casing.title, data, i, out, size)
        elif capital:
            size = write_changed(casing.upper, data, i, out, size)
        else:
            size = write_changed(casing.lower, data, i, out, size)
        i += width(byte)
    return size


def find_patterns(characters: Characters, data: const_u8[::1], offsets: const_i64[::1], out: i8[::1]) -> None:
    """Fill the case pattern of every word."""
    with nogil:
        for word in range(len(out)):
            out[word] = find_pattern(characters, data, offsets[word], offsets[word + 1])


def change_cases(
    characters: Characters,
    casing: Casing,
    patterns: const_i8[::1],
    data: const_u8[::1],
    offsets: const_i64[::1],
    numbers: const_i32[::1],
    out_offsets: i64[::1],
    out: u8[::1],
) -> None:
    """Write the words with the given numbers, each in its case pattern, one after another."""
    with nogil:
        size: i64 = 0
        for k in range(len(numbers)):
            out_offsets[k] = size
            start, stop = offsets[numbers[k]], offsets[numbers[k] + 1]
            size = change_case(characters, casing, patterns[k], data, start, stop, size, out)
        out_offsets[len(numbers)] = size


@final
@dataclass(repr=False, eq=False)
@cclass
class TypeTable:
    """The type of every token, and the number of code points and composition of every type."""

    numbers: const_i32[::1]
    lengths: const_i32[::1]
    made_of: const_u8[::1]


@cfunc
@inline
@nogil
def describe_word(characters: Characters, data: const_u8[::1], start: i64, stop: i64) -> tuple[i64, i64]:
    """Return the number of code points of a word, and its composition."""
    length: i64 = 0
    made_of = ALL_LETTERS
    i = start
    while i < stop:
        flags = flags_at(characters, data, i)
        if not flags & ALPHA:
            made_of &= ~ALL_LETTERS
        elif not flags & UNSPACED:
            made_of |= HAS_LETTER
        length += 1
        i += width(data[i])
    return length, made_of


def describe_words(
    characters: Characters,
    casing: Casing,
    data: const_u8[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    patterns: i8[::1],
    lengths: i32[::1],
    made_of: u8[::1],
    out_offsets: i64[::1],
    out: u8[::1],
) -> None:
    """Describe every word, and write its lower case, one word after another."""
    with nogil:
        size: i64 = 0
        for word in range(len(starts)):
            start, stop = starts[word], stops[word]
            patterns[word] = find_pattern(characters, data, start, stop)
            lengths[word], made_of[word] = describe_word(characters, data, start, stop)
            out_offsets[word] = size
            size = change_case(characters, casing, AS_LOWER, data, start, stop, size, out)
        out_offsets[len(starts)] = size


def cut_runs(
    characters: Characters,
    ignored: i64,
    data: const_u8[::1],
    rows: const_i64[::1],
    counts: i64[::1],
    starts: i32[::1],
    stops: i32[::1],
) -> i64:
    """Fill the maximal runs of characters of one category, except white space; return how many there are.

    Categories are the flags SPACE and WORD without the `ignored` ones.
    """
    total: i64 = 0
    ended: i64 = 0
    wanted: i64 = (SPACE | WORD) & ~ignored
    first_page: i64 = characters.pages[0] << 8
    with nogil:
        for row in range(len(rows) - 1):
            counts[row] = total
            i = rows[row]
            before: i64 = SPACE
            while i < rows[row + 1]:
                byte: i64 = data[i]
                flags: i64 = (
                    characters.flags[first_page + byte] if byte < NOT_ASCII else flags_at(characters, data, i)
                )
                category: i64 = wanted & flags
                # No branches: a processor cannot predict where a word ends.
                starts[total] = i
                stops[ended] = i
                changed: i64 = category != before
                total += changed & (category != SPACE)
                ended += changed & (before != SPACE)
                before = category
                i += width(byte)
            stops[ended] = i
            ended += before != SPACE
        counts[len(rows) - 1] = total
    return total
