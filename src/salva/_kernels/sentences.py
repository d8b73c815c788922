"""Sentence boundaries as NLTK's Punkt finds them, with its English rules.

A candidate is a `.`, `?` or `!` before white space or closing punctuation. The word before it, the mark and
the word after it are cut into Punkt's own tokens; types, abbreviations, collocations and the case of the next
word decide. Every decision looks at a few words, so one pass over a text is enough. Offsets are bytes.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        ASCII_LETTER,
        SENTENCE_MARK,
        Characters,
        bytes_in,
        decode,
        flags_at,
        flags_before,
        start_before,
        width,
    )
    from salva._kernels.constants import *
    from salva._kernels.strings import StringTable, find

ASCII_SPACE = cython.declare(u8[256])
ASCII_SPACE = bytes_in(" \t\n\r\x0b\x0c")
NO_WORD = cython.declare(u8[256])
NO_WORD = bytes_in(")\";}]*:@'({[!?")  # ends a word
NO_START = cython.declare(u8[256])
NO_START = bytes_in('("`{[:;&#*@)}]-,')  # cannot begin a word
MAY_END = cython.declare(u8[256])
MAY_END = bytes_in(")\";}]*:@'({[!? \t\n\r\x0b\x0c-.," + "".join(map(chr, range(0xC2, 0x100))))
CLOSING_MARK = cython.declare(u8[256])
CLOSING_MARK = bytes_in("\"')]}")
PUNCTUATION = cython.declare(u8[256])
PUNCTUATION = bytes_in(";:,.!?")
STARTS = cython.declare(u8[256])  # what follows most sentence ends
STARTS = bytes_in("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


@final
@dataclass(repr=False, eq=False)
@cclass
class Punkt:
    """Punkt's parameters: flags of word types, and collocations (`left * types + right`).

    `listed` has the sizes, as bits, of abbreviations and first words of collocations, by first and last
    letter.
    """

    types: StringTable
    flags: const_u16[::1]
    collocations: const_i64[::1]
    listed: const_u32[::1]
    number: i64  # the type of numbers
    longest: i64  # bytes of the longest type


@final
@dataclass(repr=False, eq=False)
@cclass
class PunktText:
    """Bytes and the tables to interpret them; `letters` has room for the longest type."""

    characters: Characters
    punkt: Punkt
    data: const_u8[::1]
    letters: u8[::1]


# One token and what Punkt's first pass says about it; `bare` is its type without a final period.
PunktToken = cython.struct(
    start=i64, stop=i64, bare=i64, period=bint, breaks=bint, abbreviated=bint, ellipsis=bint
)


@cfunc
@inline
@nogil
def is_quote(data: const_u8[::1], i: i64) -> bint:
    """Return whether a curly quote or a guillemet begins at byte `i`."""
    if data[i] not in (0xC2, 0xE2):
        return False
    return decode(data, i) in (0x2018, 0x2019, 0x201C, 0x201D, 0xAB, 0xBB)


@cfunc
@inline
@nogil
def ends_word(data: const_u8[::1], i: i64) -> bint:
    """Return whether the character at byte `i` cannot be part of a word."""
    return NO_WORD[data[i]] or is_quote(data, i)


@cfunc
@inline
@nogil
def is_nltk_space(text: PunktText, i: i64) -> bint:
    """Return whether NLTK counts the character at byte `i` as white space."""
    if text.data[i] < 0x80:
        return ASCII_SPACE[text.data[i]]
    return flags_at(text.characters, text.data, i) & NLTK_SPACE != 0


@cfunc
@inline
@nogil
def multiple_end(text: PunktText, i: i64, stop: i64) -> i64:
    """Return where a run of dashes or dots, or `. . .`, at byte `i` ends; `i` if there is none."""
    mark = text.data[i]
    if mark not in (DASH, DOT):
        return i
    j = i
    while j < stop and text.data[j] == mark:
        j += 1
    if j - i > 1:
        return j
    if mark == DASH:
        return i
    pairs: i64 = 0
    while j < stop and is_nltk_space(text, j):
        after = j + width(text.data[j])
        if after >= stop or text.data[after] != DOT:
            break
        pairs += 1
        j = after + 1
    return j if pairs > 1 else i


@cfunc
@inline
@nogil
def punctuation_at(text: PunktText, i: i64, stop: i64) -> bint:
    """Return whether the end, white space, or punctuation other than a comma is at byte `i`."""
    if i >= stop or is_nltk_space(text, i) or ends_word(text.data, i):
        return True
    return multiple_end(text, i, stop) > i


@cfunc
@inline
@nogil
def token_end(text: PunktText, i: i64, stop: i64) -> i64:
    """Return where the token that begins at byte `i` ends; the byte is not white space."""
    end = multiple_end(text, i, stop)
    if end > i:
        return end
    end = i + width(text.data[i])
    if NO_START[text.data[i]]:
        return end
    while end < stop:
        if MAY_END[text.data[end]]:
            after: i64 = end + (text.data[end] == COMMA)
            if punctuation_at(text, after, stop):
                break
        end += 1
    return end


@cfunc
@inline
@nogil
def is_number(text: PunktText, i: i64, stop: i64) -> bint:
    """Return whether Punkt counts a token as a number: digits with commas, periods and dashes."""
    if i < stop and text.data[i] == DASH:
        i += 1
    if i < stop and text.data[i] in (DOT, COMMA):
        i += 1
    digits: bint = False
    while i < stop:
        if flags_at(text.characters, text.data, i) & DECIMAL:
            digits = True
        elif not digits or text.data[i] not in (DOT, COMMA, DASH):
            return False
        i += width(text.data[i])
    return digits


@cfunc
@inline
@nogil
def lowered(data: const_u8[::1], start: i64, stop: i64, out: u8[::1]) -> i64:
    """Write the lower case of a token to `out` and return its size; 0 if no known type can equal it."""
    size: i64 = 0
    i = start
    while i < stop:
        byte: i64 = data[i]
        if byte >= 0x80:
            if decode(data, i) != KELVIN:
                return 0
            byte = ord("k")
            i += 2
        elif ord("A") <= byte <= ord("Z"):
            byte |= 32
        if size == len(out):
            return 0
        out[size] = byte
        size += 1
        i += 1
    return size


@cfunc
@inline
@nogil
def type_of(text: PunktText, start: i64, stop: i64) -> i64:
    """Return the number of a type, or -1 if Punkt does not know it."""
    if is_number(text, start, stop):
        return text.punkt.number
    size = lowered(text.data, start, stop, text.letters)
    return find(text.punkt.types, text.letters, 0, size) if size else -1


@cfunc
@inline
@nogil
def has_flag(text: PunktText, number: i64, flag: i64) -> bint:
    """Return whether Punkt knows a type and it has this flag."""
    return number >= 0 and text.punkt.flags[number] & flag != 0


@cfunc
@nogil
def read_token(text: PunktText, i: i64, stop: i64) -> PunktToken:
    """Return the token that begins at byte `i`, with what Punkt's first pass says about it."""
    end = token_end(text, i, stop)
    mark: bint = end - i == 1 and SENTENCE_MARK[text.data[i]]
    token = PunktToken(
        start=i, stop=end, bare=-1, period=False, breaks=mark, abbreviated=False, ellipsis=False
    )
    if text.data[end - 1] != DOT:
        return token
    token.period = True
    token.bare = type_of(text, i, end - (end - i > 1))
    if mark:
        return token
    if text.data[end - 2] == DOT:
        token.ellipsis = text.data[i] == DOT
        return token
    token.abbreviated = has_flag(text, token.bare, ABBREVIATED)
    if not token.abbreviated:
        dash = end - 1
        while dash > i and text.data[dash - 1] != DASH:
            dash -= 1
        if dash > i:
            token.abbreviated = has_flag(text, type_of(text, dash, end - 1), ABBREVIATED)
    token.breaks = not token.abbreviated
    return token


@cfunc
@inline
@nogil
def ends_key(first: i64, last: i64) -> i64:
    """Return a ten-bit number for the first and last letter of a word, ignoring case."""
    return (first & 31) << 5 | (last & 31)


def list_ends(data: const_u8[::1], offsets: const_i64[::1], numbers: const_i64[::1], out: u32[::1]) -> None:
    """Enter the words with the given numbers into the table that `may_be_listed` reads."""
    with nogil:
        for k in range(len(numbers)):
            start, stop = offsets[numbers[k]], offsets[numbers[k] + 1]
            if stop - start < SIZES:
                key = ends_key(data[start], data[stop - 1])
                out[key] = out[key] | cython.cast(i64, 1) << (stop - start)


@cfunc
@inline
@nogil
def starts_sentence(text: PunktText, word: PunktToken, number: i64) -> i64:
    """Apply the orthographic heuristic: return whether a word's case shows that it begins a sentence."""
    if word.stop - word.start == 1 and PUNCTUATION[text.data[word.start]]:
        return NO
    case = flags_at(text.characters, text.data, word.start)
    if case & UPPER and has_flag(text, number, SOME_LOWER) and not has_flag(text, number, MIDDLE_UPPER):
        return YES
    if case & LOWER and (has_flag(text, number, SOME_UPPER) or not has_flag(text, number, FIRST_LOWER)):
        return NO
    return UNKNOWN


@cfunc
@inline
@nogil
def is_collocation(text: PunktText, left: i64, right: i64) -> bint:
    """Return whether two known types are a known collocation."""
    key = left * len(text.punkt.flags) + right
    low: i64 = 0
    high: i64 = len(text.punkt.collocations)
    while low < high:
        middle = (low + high) >> 1
        if text.punkt.collocations[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < len(text.punkt.collocations) and text.punkt.collocations[low] == key


@cfunc
@inline
@nogil
def is_initial(text: PunktText, word: PunktToken) -> bint:
    """Return whether a token is one letter and a period."""
    if word.stop - word.start != 1 + width(text.data[word.start]):
        return False
    return flags_at(text.characters, text.data, word.start) & (NLTK_WORD | DECIMAL) == NLTK_WORD


@cfunc
@inline
@nogil
def breaks_before(text: PunktText, word: PunktToken, after: PunktToken) -> bint:
    """Return whether a sentence ends between two tokens, as Punkt's second pass decides."""
    if not word.period:
        return word.breaks
    initial: bint = is_initial(text, word)
    shortened: bint = (word.abbreviated or word.ellipsis) and not initial
    ordinal: bint = initial or word.bare == text.punkt.number
    if not (shortened or ordinal or has_flag(text, word.bare, COLLOCATION_LEFT)):
        return word.breaks
    bared: bint = after.breaks and after.period and after.stop - after.start > 1
    following = type_of(text, after.start, after.stop - bared)
    if (
        following >= 0
        and has_flag(text, word.bare, COLLOCATION_LEFT)
        and is_collocation(text, word.bare, following)
    ):
        return False
    upper: bint = flags_at(text.characters, text.data, after.start) & UPPER != 0
    starts = starts_sentence(text, after, following)
    if shortened and (starts == YES or (upper and has_flag(text, following, STARTER))):
        return True
    if ordinal and starts == NO:
        return False
    if initial and starts == UNKNOWN and upper and not has_flag(text, following, SOME_LOWER):
        return False
    return word.breaks


@cfunc
@inline
@nogil
def stripped_end(text: PunktText, start: i64, stop: i64) -> i64:
    """Return where a text ends without its trailing white space."""
    while stop > start and flags_before(text.characters, text.data, stop) & SPACE:
        stop = start_before(text.data, stop)
    return stop


@cfunc
@inline
@nogil
def may_be_listed(text: PunktText, start: i64, stop: i64) -> bint:
    """Return whether a word of letters has the ends and size of a `listed` word; one in twenty has."""
    size = stop - start
    key = ends_key(text.data[start], text.data[stop - 1])
    return size < SIZES and text.punkt.listed[key] >> size & 1


@cfunc
@inline
@nogil
def is_plain_end(text: PunktText, start: i64, mark: i64, following: i64) -> bint:
    """Recognise nearly all sentence ends quickly: a mark before a blank and a word.

    A `?` or `!` there is a separate token, which always ends a sentence. So does a word of two or more
    letters with a period, unless Punkt knows it as an abbreviation or as the first word of a collocation.
    Without this, splitting took twice as long.
    """
    if following == mark + 1 or not STARTS[text.data[following]]:
        return False
    if text.data[mark] != DOT:
        return True
    for i in range(start, mark):
        if not ASCII_LETTER[text.data[i]]:
            return False
    if mark - start < 2:
        return False
    if not may_be_listed(text, start, mark):
        return True
    return not has_flag(text, type_of(text, start, mark), ABBREVIATED | COLLOCATION_LEFT)


@cfunc
@inline
@nogil
def has_break(text: PunktText, start: i64, stop: i64) -> bint:
    """Return whether a sentence ends inside a few words, not counting their end."""
    i = start
    first: bint = True
    word = PunktToken(start=0, stop=0, bare=-1, period=False, breaks=False, abbreviated=False, ellipsis=False)
    while i < stop:
        line = i
        while line < stop and text.data[line] != NEWLINE:  # a token never crosses a line end
            line += 1
        if stripped_end(text, i, line) == i:
            i = line + 1
            continue
        while i < line:
            if is_nltk_space(text, i):
                i += width(text.data[i])
                continue
            after = read_token(text, i, line)
            if not first and breaks_before(text, word, after):
                return True
            word = after
            first = False
            i = after.stop
    return False


@cfunc
@inline
@nogil
def is_sentence_end(text: PunktText, start: i64, mark: i64, following: i64, stop: i64) -> bint:
    """Return whether a sentence ends at a mark, from the words before and after it."""
    if is_plain_end(text, start, mark, following):
        return True
    return has_break(text, start, context_end(text, mark, following, stop))


@cfunc
@inline
@nogil
def context_start(text: PunktText, i: i64, stop: i64) -> i64:
    """Return where the word that follows a mark before `i` begins.

    This is `i` itself for a character that cannot be part of a word, and -1 if the mark does not end a
    sentence.
    """
    if i >= stop:
        return -1
    if ends_word(text.data, i):
        return i
    word = i
    while word < stop and is_nltk_space(text, word):
        word += width(text.data[word])
    return word if i < word < stop else -1


@cfunc
@inline
@nogil
def context_end(text: PunktText, mark: i64, word: i64, stop: i64) -> i64:
    """Return where the word that follows a mark ends."""
    if word == mark + 1:
        return word + width(text.data[word])
    while word < stop and not is_nltk_space(text, word):
        word += width(text.data[word])
    return word


@cfunc
@inline
@nogil
def closing_end(text: PunktText, start: i64, stop: i64) -> tuple[i64, i64]:
    """Return where closing quotes that belong to the previous sentence end, and the space after them.

    Both are `start` if there are none.
    """
    i = start
    while i < stop and (CLOSING_MARK[text.data[i]] or is_quote(text.data, i)):
        i += width(text.data[i])
        after = i
        while after < stop and is_nltk_space(text, after):
            after += width(text.data[after])
        if after > i or i >= stop:
            return i, after
        if i + 1 < stop and text.data[i] == DASH and text.data[i + 1] == DASH:
            return i, i
    return start, start


@cfunc
@inline
@nogil
def find_marks(data: const_u8[::1], start: i64, stop: i64, marks: i64[::1]) -> i64:
    """Fill the positions of marks that may end a sentence, and the end of the text; return how many."""
    count: i64 = 0
    for i in range(start, stop):
        marks[count] = i
        count += SENTENCE_MARK[data[i]]
    marks[count] = stop
    return count + 1


@cfunc
@inline
@nogil
def row_breaks(
    text: PunktText, start: i64, stop: i64, marks: i64[::1], ends: i64[::1], nexts: i64[::1]
) -> i64:
    """Fill where sentences of a row end and the next begin, ignoring closing quotes; return how many."""
    count: i64 = 0
    word_start = word_stop = start  # the word before the candidate
    next_word: i64 = -1
    for k in range(find_marks(text.data, start, stop, marks)):
        i = marks[k]
        following = context_start(text, i + 1, stop)
        if following < 0 and i < stop:
            continue
        space = i - 1
        while space > word_stop and not ASCII_SPACE[text.data[space]]:
            space -= 1
        begin = space + 1 if space > word_stop else word_start
        if (
            next_word >= 0
            and (i == stop or word_stop <= begin)
            and is_sentence_end(text, word_start, word_stop, next_word, stop)
        ):
            ends[count] = word_stop + 1
            nexts[count] = next_word
            count += 1
        word_start, word_stop, next_word = begin, i, following
    return count


def split_sentences(
    text: PunktText,
    rows: const_i64[::1],
    marks: i64[::1],
    ends: i64[::1],
    nexts: i64[::1],
    counts: i64[::1],
    starts: i32[::1],
    stops: i32[::1],
) -> i64:
    """Fill the byte spans of all sentences and how many come before each row; return how many there are.

    `marks`, `ends` and `nexts` have room for one more item than the longest row has bytes.
    """
    with nogil:
        total: i64 = 0
        for row in range(len(rows) - 1):
            counts[row] = total
            start = rows[row]
            stop = stripped_end(text, start, rows[row + 1])
            breaks = row_breaks(text, start, rows[row + 1], marks, ends, nexts)
            for k in range(breaks + 1):
                end = after = stop
                if k < breaks:
                    following = ends[k + 1] if k + 1 < breaks else stop
                    closed, after = closing_end(text, nexts[k], following)
                    end = closed if closed > nexts[k] else ends[k]
                if end > start:
                    starts[total] = start
                    stops[total] = end
                    total += 1
                start = after
        counts[len(rows) - 1] = total
    return total
