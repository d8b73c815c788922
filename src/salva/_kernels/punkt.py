"""Sentence boundaries as NLTK's Punkt finds them, with its English rules.

A candidate is a `.`, `?` or `!` before white space or closing punctuation. The word before it, the mark and
the word after it are cut into Punkt's own tokens; types, abbreviations, collocations and the case of the next
word decide. Every decision looks at a few words, so one pass over a text is enough. Offsets are bytes.
"""

from __future__ import annotations

import string

import numpy as np

from salva._kernels.characters import (
    DECIMAL,
    LOWER,
    NLTK_WORD,
    SPACE,
    UPPER,
    bytes_in,
    flags_at,
    flags_before,
    start_before,
    width,
)
from salva._kernels.jit import kernel, step
from salva._kernels.punkt_words import (
    ABBREVIATION,
    ASCII_SPACE,
    DASH,
    DOT,
    ENDS,
    Text,
    Word,
    ends_word,
    has_flag,
    is_quote,
    is_space,
    type_of,
    word_at,
)
from salva._types import Bytes, Ints32, Ints64, Uints32

# Flags of a type: the orthographic contexts are Punkt's own bits, 2 to 64; 1 is an abbreviation.
MIDDLE_UPPER = 4
SOME_UPPER = 2 | 4 | 8
FIRST_LOWER = 16
SOME_LOWER = 16 | 32 | 64
STARTER = 128
LEFT = 256  # the first word of a collocation

NEWLINE = ord("\n")
CLOSING, PUNCTUATION = bytes_in("\"')]}"), bytes_in(";:,.!?")
ASCII_LETTER = bytes_in(string.ascii_letters)
STARTS = bytes_in(string.ascii_letters + string.digits)  # what follows most sentence ends
UNKNOWN, YES, NO = range(3)
SIZES = 32  # word sizes, one bit each
LETTER_PAIRS = 1 << 10


@step
def ends_key(first: int, last: int) -> int:
    """Return a ten-bit number for the first and last letter of a word, ignoring case."""
    return np.int64(first & 31) << 5 | np.int64(last & 31)


@kernel
def list_ends(data: Bytes, offsets: Ints64, numbers: Ints64, out: Uints32) -> None:
    """Enter the words with the given numbers into the table that `may_be_listed` reads."""
    for k in range(len(numbers)):
        start, stop = offsets[numbers[k]], offsets[numbers[k] + 1]
        if stop - start < SIZES:
            out[ends_key(data[start], data[stop - 1])] |= np.uint32(1) << np.uint32(stop - start)


@step
def starts_sentence(text: Text, word: Word, number: int) -> int:
    """Apply the orthographic heuristic: return whether a word's case shows that it begins a sentence."""
    if word.stop - word.start == 1 and PUNCTUATION[text.data[word.start]]:
        return NO
    case = flags_at(text.characters, text.data, word.start)
    if case & UPPER and has_flag(text, number, SOME_LOWER) and not has_flag(text, number, MIDDLE_UPPER):
        return YES
    if case & LOWER and (has_flag(text, number, SOME_UPPER) or not has_flag(text, number, FIRST_LOWER)):
        return NO
    return UNKNOWN


@step
def is_collocation(text: Text, left: int, right: int) -> bool:
    """Return whether two known types are a known collocation."""
    key = left * len(text.punkt.flags) + right
    place = np.searchsorted(text.punkt.collocations, key)
    return place < len(text.punkt.collocations) and text.punkt.collocations[place] == key


@step
def is_initial(text: Text, word: Word) -> bool:
    """Return whether a token is one letter and a period."""
    if word.stop - word.start != 1 + width(text.data[word.start]):
        return False
    return flags_at(text.characters, text.data, word.start) & (NLTK_WORD | DECIMAL) == NLTK_WORD


@step
def breaks_before(text: Text, word: Word, after: Word) -> bool:
    """Return whether a sentence ends between two tokens, as Punkt's second pass decides."""
    if not word.period:
        return word.breaks
    initial = is_initial(text, word)
    shortened = (word.abbreviated or word.ellipsis) and not initial
    ordinal = initial or word.bare == text.punkt.number
    if not (shortened or ordinal or has_flag(text, word.bare, LEFT)):
        return word.breaks
    bared = after.breaks and after.period and after.stop - after.start > 1
    following = type_of(text, after.start, after.stop - bared)
    if following >= 0 and has_flag(text, word.bare, LEFT) and is_collocation(text, word.bare, following):
        return False
    upper = flags_at(text.characters, text.data, after.start) & UPPER != 0
    starts = starts_sentence(text, after, following)
    if shortened and (starts == YES or (upper and has_flag(text, following, STARTER))):
        return True
    if ordinal and starts == NO:
        return False
    if initial and starts == UNKNOWN and upper and not has_flag(text, following, SOME_LOWER):
        return False
    return word.breaks


@step
def stripped_end(text: Text, start: int, stop: int) -> int:
    """Return where a text ends without its trailing white space."""
    while stop > start and flags_before(text.characters, text.data, stop) & SPACE:
        stop = start_before(text.data, stop)
    return stop


@step
def may_be_listed(text: Text, start: int, stop: int) -> bool:
    """Return whether a word of letters has the ends and size of a `listed` word; one in twenty has."""
    size = stop - start
    key = ends_key(text.data[np.uint64(start)], text.data[np.uint64(stop - 1)])
    return size < SIZES and (text.punkt.listed[key] >> np.uint32(size)) & np.uint32(1) != 0


@step
def is_plain_end(text: Text, start: int, mark: int, following: int) -> bool:
    """Recognise nearly all sentence ends quickly: a mark before a blank and a word.

    A `?` or `!` there is a separate token, which always ends a sentence. So does a word of two or more
    letters with a period, unless Punkt knows it as an abbreviation or as the first word of a collocation.
    Without this, splitting took twice as long.
    """
    if following == mark + 1 or not STARTS[text.data[np.uint64(following)]]:
        return False
    if text.data[mark] != DOT:
        return True
    for i in range(start, mark):
        if not ASCII_LETTER[text.data[np.uint64(i)]]:
            return False
    if mark - start < 2:
        return False
    if not may_be_listed(text, start, mark):
        return True
    return not has_flag(text, type_of(text, start, mark), ABBREVIATION | LEFT)


@step
def has_break(text: Text, start: int, stop: int) -> bool:
    """Return whether a sentence ends inside a few words, not counting their end."""
    i = start
    first = True
    word = Word(0, 0, -1, False, False, False, False)
    while i < stop:
        line = i
        while line < stop and text.data[line] != NEWLINE:  # a token never crosses a line end
            line += 1
        if stripped_end(text, i, line) == i:
            i = line + 1
            continue
        while i < line:
            if is_space(text, i):
                i += width(text.data[i])
                continue
            after = word_at(text, i, line)
            if not first and breaks_before(text, word, after):
                return True
            word, first, i = after, False, after.stop
    return False


@step
def ends_sentence(text: Text, start: int, mark: int, following: int, stop: int) -> bool:
    """Return whether a sentence ends at a mark, from the words before and after it."""
    if is_plain_end(text, start, mark, following):
        return True
    return has_break(text, start, context_end(text, mark, following, stop))


@step
def context_start(text: Text, i: int, stop: int) -> int:
    """Return where the word that follows a mark before `i` begins.

    This is `i` itself for a character that cannot be part of a word, and -1 if the mark does not end a
    sentence.
    """
    if i >= stop:
        return -1
    if ends_word(text.data, i):
        return i
    word = i
    while word < stop and is_space(text, word):
        word += width(text.data[word])
    return word if i < word < stop else -1


@step
def context_end(text: Text, mark: int, word: int, stop: int) -> int:
    """Return where the word that follows a mark ends."""
    if word == mark + 1:
        return word + width(text.data[word])
    while word < stop and not is_space(text, word):
        word += width(text.data[word])
    return word


@step
def closing_end(text: Text, start: int, stop: int) -> tuple[int, int]:
    """Return where closing quotes that belong to the previous sentence end, and the space after them.

    Both are `start` if there are none.
    """
    i = start
    while i < stop and (CLOSING[text.data[i]] or is_quote(text.data, i)):
        i += width(text.data[i])
        after = i
        while after < stop and is_space(text, after):
            after += width(text.data[after])
        if after > i or i >= stop:
            return i, after
        if i + 1 < stop and text.data[i] == DASH and text.data[i + 1] == DASH:
            return i, i
    return start, start


@step
def find_marks(data: Bytes, start: int, stop: int, marks: Ints64) -> int:
    """Fill the positions of marks that may end a sentence, and the end of the text; return how many."""
    count = 0
    for i in range(np.uint64(start), np.uint64(stop)):
        marks[count] = i
        count += ENDS[data[i]]
    marks[count] = stop
    return count + 1


@step
def row_breaks(text: Text, start: int, stop: int, marks: Ints64, ends: Ints64, nexts: Ints64) -> int:
    """Fill where sentences of a row end and the next begin, ignoring closing quotes; return how many."""
    count = 0
    word_start = word_stop = start  # the word before the candidate
    next_word = -1
    for k in range(find_marks(text.data, start, stop, marks)):
        i = marks[k]
        following = context_start(text, i + 1, stop)
        if following < 0 and i < stop:
            continue
        space = i - 1
        while space > word_stop and not ASCII_SPACE[text.data[np.uint64(space)]]:
            space -= 1
        begin = space + 1 if space > word_stop else word_start
        if (
            next_word >= 0
            and (i == stop or word_stop <= begin)
            and ends_sentence(text, word_start, word_stop, next_word, stop)
        ):
            ends[count] = word_stop + 1
            nexts[count] = next_word
            count += 1
        word_start, word_stop, next_word = begin, i, following
    return count


@kernel
def split_sentences(
    text: Text,
    rows: Ints64,
    marks: Ints64,
    ends: Ints64,
    nexts: Ints64,
    counts: Ints64,
    starts: Ints32,
    stops: Ints32,
) -> int:
    """Fill the byte spans of all sentences and how many come before each row; return how many there are.

    `marks`, `ends` and `nexts` have room for one more item than the longest row has bytes.
    """
    total = 0
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
