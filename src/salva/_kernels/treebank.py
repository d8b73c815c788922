"""Words as NLTK's `NLTKWordTokenizer` cuts them, with their positions in the text.

NLTK rewrites a sentence with some thirty substitutions, nearly all of which insert spaces around something,
and then splits it. Whether a space is inserted depends on the adjacent characters, except for the endings
`'s`, `n't` and the like, which look for the spaces that the other rules left. So marks on bytes say where
spaces would be, one rule after another, and words are cut there. A text is never copied; offsets are bytes.

A chunk is the text between two blanks. Rules look at the characters next to a mark, including those outside
the chunk. NLTK's second rule for a final period has no effect and is left out. Its rule for `'tis` and
`'twas` has an effect only after a contraction: elsewhere an earlier rule has already split off the
apostrophe.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        COMMAS,
        Characters,
        bytes_in,
        decode,
        flags_at,
        flags_before,
        flags_of,
        folds_to,
        start_before,
        width,
    )
    from salva._kernels.constants import *


def list_actions():
    """Return what to do at each byte."""
    blanks, padded, runs = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f ", ";@#$%&?!*[](){}<>", "`\"'.-:,"
    others = "+/=\\^|~\x7f" + "".join(map(chr, range(0x20)))
    actions = [PLAIN_BYTE] * 0xC2 + [LEAD_BYTE] * (0xF5 - 0xC2) + [PLAIN_BYTE] * (0x100 - 0xF5)
    for characters, action in (
        (others, OTHER_BYTE),
        (blanks, BLANK_BYTE),
        (padded, PADDED_BYTE),
        (runs, RUN_BYTE),
    ):
        for character in characters:
            actions[ord(character)] = action
    return actions


# The two parts of every contraction, in the order of their first letters.
CONTRACTED = (
    ("can", "not"),
    ("d", "'ye"),
    ("gim", "me"),
    ("gon", "na"),
    ("got", "ta"),
    ("lem", "me"),
    ("more", "'n"),
    ("wan", "na"),
)


def list_letters():
    """Return the letters of every contraction, and those of is and was."""
    words = [(first + second).ljust(CONTRACTION_SIZE, "\0") for first, second in CONTRACTED]
    return list("".join([*words, "iswas"]).encode())


def count_before(byte, after):
    """Return how many contractions come before those that begin with a byte; with `after`, those too."""
    letter = chr(byte).lower() if byte < NOT_ASCII and chr(byte).isalpha() else "\0"
    return sum(first[0] < letter or (after and first[0] == letter) for first, _ in CONTRACTED)


ACTIONS = cython.declare(u8[256])
ACTIONS = list_actions()
LETTERS = cython.declare(u8[61])
LETTERS = list_letters()
PART_END = cython.declare(u8[8])  # where the first part of a contraction ends
PART_END = [len(first) for first, _ in CONTRACTED]
WHOLE_END = cython.declare(u8[8])
WHOLE_END = [len(first + second) for first, second in CONTRACTED]
FIRST_ROW = cython.declare(u8[256])  # the first contraction that begins with a byte, and the end of these
FIRST_ROW = [count_before(byte, False) for byte in range(256)]
LAST_ROW = cython.declare(u8[256])
LAST_ROW = [count_before(byte, True) for byte in range(256)]
OPENERS = cython.declare(u8[256])
OPENERS = bytes_in(" ([{<`")
CLOSERS = cython.declare(u8[256])
CLOSERS = bytes_in("])}>\"' ")
LATE = cython.declare(u8[256])
LATE = bytes_in('*[](){}<>-"')
TAILS = cython.declare(u8[256])
TAILS = bytes_in(";@#$%&?!*[](){}<>,:")


@final
@dataclass(repr=False, eq=False)
@cclass
class WordChunk:
    """Bytes `first` to `last` of the sentence from `start` to `stop`, and room for what is found there.

    `marks` begin at `first`. `apostrophes` are single ones; `lasts` are the ends of the chunks of a
    sentence, and `odd` counts the bytes before them that are not plain.
    """

    characters: Characters
    data: const_u8[::1]
    marks: u8[::1]
    apostrophes: i64[::1]
    lasts: i32[::1]
    odd: i32[::1]
    start: i64 = 0
    stop: i64 = 0
    first: i64 = 0
    last: i64 = 0


@cfunc
@inline
@nogil
def mark(chunk: WordChunk, i: i64, bits: i64) -> cython.void:
    """Set bits on byte `i`."""
    chunk.marks[i - chunk.first] |= bits


@cfunc
@inline
@nogil
def pad(chunk: WordChunk, i: i64, end: i64) -> cython.void:
    """Insert a space before byte `i` and one before byte `end`."""
    mark(chunk, i, GAP)
    mark(chunk, end, GAP)


@cfunc
@inline
@nogil
def pad_pairs(chunk: WordChunk, i: i64, end: i64) -> cython.void:
    """Insert spaces around every two bytes of a run; the last byte of an odd run is left as it is."""
    for pair in range(i, end - 1, 2):
        pad(chunk, pair, pair + 2)


@cfunc
@inline
@nogil
def is_opening_quote(point: i64) -> bint:
    """Return whether a character is one of the opening quotes beyond ASCII."""
    return point in (0xAB, 0x201C, 0x2018, 0x201E)


@cfunc
@inline
@nogil
def is_closing_quote(point: i64) -> bint:
    """Return whether a character is one of the closing quotes beyond ASCII."""
    return point in (0xBB, 0x201D, 0x2019)


@cfunc
@inline
@nogil
def opens(chunk: WordChunk, i: i64) -> bint:
    """Return whether a straight double quote or two apostrophes at byte `i` open a quotation."""
    if i == chunk.start:
        return chunk.data[i] == QUOTE
    before = chunk.data[i - 1]
    if before >= 0x80:
        return is_opening_quote(decode(chunk.data, start_before(chunk.data, i)))
    if before == QUOTE:
        return i - 1 == chunk.start
    return OPENERS[before]


@cfunc
@inline
@nogil
def run_end(chunk: WordChunk, i: i64) -> i64:
    """Return where the run of equal bytes at `i` ends."""
    end = i + 1
    while end < chunk.stop and chunk.data[end] == chunk.data[i]:
        end += 1
    return end


@cfunc
@inline
@nogil
def closes_sentence(chunk: WordChunk, i: i64) -> bint:
    """Return whether only closing quotes and brackets, then white space, follow a final period."""
    while i < chunk.stop:
        byte = chunk.data[i]
        if not (CLOSERS[byte] or (byte >= 0x80 and is_closing_quote(decode(chunk.data, i)))):
            break
        twice: bint = byte == APOSTROPHE and i + 1 < chunk.stop and chunk.data[i + 1] == APOSTROPHE
        if (byte == QUOTE or twice) and opens(chunk, i):
            return False
        i += width(byte)
    while i < chunk.stop and flags_at(chunk.characters, chunk.data, i) & NLTK_SPACE:
        i += width(chunk.data[i])
    return i == chunk.stop


@cfunc
@inline
@nogil
def is_pair(chunk: WordChunk, i: i64, first: i64, second: i64) -> bint:
    """Return whether two letters, in whatever case, are at byte `i`."""
    if not folds_to(chunk.data, i, chunk.stop, first, False):
        return False
    return folds_to(chunk.data, i + 1, chunk.stop, second, False) != 0


@cfunc
@nogil
def is_clitic(chunk: WordChunk, i: i64) -> bint:
    """Return whether re, ve, ll, m, t, s, d or n is at byte `i`, and the word ends after it."""
    end: i64 = i + folds_to(chunk.data, i, chunk.stop, ord("s"), False)
    if i < chunk.stop and chunk.data[i] | CASE_BIT in (ord("m"), ord("t"), ord("d"), ord("n")):
        end = i + 1
    if is_pair(chunk, i, ord("r"), ord("e")) or is_pair(chunk, i, ord("v"), ord("e")):
        end = i + 2
    if is_pair(chunk, i, ord("l"), ord("l")):
        end = i + 2
    return end > i and (end >= chunk.stop or not flags_at(chunk.characters, chunk.data, end) & NLTK_WORD)


@cfunc
@inline
@nogil
def mark_apostrophes(chunk: WordChunk, i: i64) -> i64:
    """Mark a run of apostrophes; return its end."""
    end = run_end(chunk, i)
    pairs = i
    if end - i > 1 and opens(chunk, i):
        pad(chunk, i, i + 2)
        mark(chunk, i, OPEN)
        pairs += 2
    if pairs < end < chunk.stop and flags_at(chunk.characters, chunk.data, end) & NLTK_WORD:
        begins: bint = (
            end - i > 1 or i == chunk.start or not flags_before(chunk.characters, chunk.data, i) & NLTK_WORD
        )
        if begins and not is_clitic(chunk, end):
            mark(chunk, end, GAP)
    pad_pairs(chunk, pairs, end)
    return end


@cfunc
@inline
@nogil
def mark_commas(chunk: WordChunk, i: i64) -> i64:
    """Mark a run of commas and colons, every second of which NLTK's rule skips; return its end."""
    end = i
    while end < chunk.stop and COMMAS[chunk.data[end]]:
        end += 1
    while i < end and i + 1 < chunk.stop:
        if flags_at(chunk.characters, chunk.data, i + 1) & DECIMAL:
            i += 1
        else:
            pad(chunk, i, i + 1)
            i += 2
    if end == chunk.stop:
        pad(chunk, end - 1, end)
    return end


@cfunc
@inline
@nogil
def mark_run(chunk: WordChunk, i: i64) -> i64:
    """Mark quotes, periods, dashes, commas or colons, whose rules check their context; return their end."""
    byte = chunk.data[i]
    if byte == APOSTROPHE:
        return mark_apostrophes(chunk, i)
    if COMMAS[byte]:
        return mark_commas(chunk, i)
    if byte == QUOTE:
        pad(chunk, i, i + 1)
        mark(chunk, i, OPEN if opens(chunk, i) else CLOSE)
        return i + 1
    end = run_end(chunk, i)
    if byte == DOT:
        if end - i > 1 or (i > chunk.start and closes_sentence(chunk, end)):
            pad(chunk, i, end)
        return end
    pad_pairs(chunk, i, end)
    if byte == BACKTICK:
        pad(chunk, i, end)
    return end


@cfunc
@inline
@nogil
def mark_wide(chunk: WordChunk, i: i64) -> i64:
    """Mark a character beyond ASCII; return its end."""
    point = decode(chunk.data, i)
    end = i + width(chunk.data[i])
    flags = flags_of(chunk.characters, point)
    if flags & SPACE:
        for k in range(i, end):
            mark(chunk, k, WHITE)
    elif is_opening_quote(point) or is_closing_quote(point) or 0x2012 <= point <= 0x2015:
        pad(chunk, i, end)
    elif not flags & WORD:
        mark(chunk, end, INNER)
    return end


@cfunc
@inline
@nogil
def mark_chunk(chunk: WordChunk) -> i64:
    """Mark a chunk except for its endings; list single apostrophes and return how many there are."""
    count: i64 = 0
    i = chunk.first
    while i < chunk.last:
        action = ACTIONS[chunk.data[i]]
        if action == PLAIN_BYTE:
            i += 1
        elif action == PADDED_BYTE:
            pad(chunk, i, i + 1)
            i += 1
        elif action == OTHER_BYTE:
            i += 1
            mark(chunk, i, INNER)
        elif action == LEAD_BYTE:
            i = mark_wide(chunk, i)
        else:
            begin = i
            i = mark_run(chunk, i)
            mark(chunk, i, INNER)
            if chunk.data[begin] == APOSTROPHE and i == begin + 1:
                chunk.apostrophes[count] = begin
                count += 1
    return count


@cfunc
@inline
@nogil
def has_gap(chunk: WordChunk, i: i64) -> bint:
    """Return whether a space was inserted before byte `i`."""
    return chunk.marks[i - chunk.first] & GAP != 0


@cfunc
@inline
@nogil
def ends_at(chunk: WordChunk, i: i64) -> bint:
    """Return whether there is a space at byte `i`: a gap, white space, or the end."""
    if i >= chunk.stop or has_gap(chunk, i):
        return True
    return flags_at(chunk.characters, chunk.data, i) & NLTK_SPACE != 0


@cfunc
@inline
@nogil
def has_early_space(chunk: WordChunk, i: i64) -> bint:
    """Return whether the rules before those for stars, brackets, `--` and `''` leave a space at byte `i`."""
    byte = chunk.data[i]
    if byte == BLANK:
        return True
    return has_gap(chunk, i) and not (
        LATE[byte] or (byte >= 0x80 and is_closing_quote(decode(chunk.data, i)))
    )


@cfunc
@inline
@nogil
def follows_word(chunk: WordChunk, i: i64) -> bint:
    """Return whether the character before byte `i` is neither a space nor an apostrophe."""
    if i <= chunk.first or has_gap(chunk, i) or chunk.data[i - 1] == APOSTROPHE:
        return False
    return not flags_before(chunk.characters, chunk.data, i) & NLTK_SPACE


@cfunc
@inline
@nogil
def is_long_ending(data: const_u8[::1], i: i64, stop: i64) -> bint:
    """Return whether ll, re or ve, in one case, is at byte `i`."""
    if i + 1 >= stop:
        return False
    first, second = data[i], data[i + 1]
    if first in (ord("l"), ord("L")):
        return second == first
    if first in (ord("r"), ord("v")):
        return second == ord("e")
    return first in (ord("R"), ord("V")) and second == ord("E")


@cfunc
@inline
@nogil
def is_not_ending(data: const_u8[::1], i: i64) -> bint:
    """Return whether the apostrophe at byte `i` is that of n't or N'T."""
    before, after = data[i - 1], data[i + 1]
    return (before == ord("n") and after == ord("t")) or (before == ord("N") and after == ord("T"))


@cfunc
@inline
@nogil
def mark_endings(chunk: WordChunk, count: i64) -> cython.void:
    """Mark apostrophes before spaces, then 's, 'm, 'd and final apostrophes, then 'll, 're, 've and n't."""
    for k in range(count):
        i = chunk.apostrophes[k]
        if i + 1 < chunk.stop and has_early_space(chunk, i + 1):
            mark(chunk, i, GAP)
    for k in range(count):
        i = chunk.apostrophes[k]
        if not follows_word(chunk, i):
            continue
        letter = chunk.data[i + 1] | 32 if i + 1 < chunk.stop else 0
        short: bint = letter in (ord("s"), ord("m"), ord("d")) and not has_gap(chunk, i + 1)
        if ends_at(chunk, i + 1) or (short and ends_at(chunk, i + 2)):
            mark(chunk, i, GAP)
    for k in range(count):
        i = chunk.apostrophes[k]
        if i + 1 >= chunk.stop or i == chunk.first or has_gap(chunk, i + 1):
            continue
        if is_not_ending(chunk.data, i):
            if ends_at(chunk, i + 2) and follows_word(chunk, i - 1):
                mark(chunk, i - 1, GAP)
        elif (
            is_long_ending(chunk.data, i + 1, chunk.stop) and ends_at(chunk, i + 3) and follows_word(chunk, i)
        ):
            mark(chunk, i, GAP)


@final
@dataclass(repr=False, eq=False)
@cclass
class WordSpans:
    """Spans in bytes, with the bit OPEN or CLOSE where NLTK writes `` or '' instead."""

    starts: i32[::1]
    stops: i32[::1]
    written: u8[::1]


@cfunc
@inline
@nogil
def is_free(chunk: WordChunk, end: i64) -> bint:
    """Return whether there is a space at byte `end`."""
    return end >= chunk.last or chunk.marks[end - chunk.first] & (GAP | WHITE) != 0


@cfunc
@inline
@nogil
def is_bounded(chunk: WordChunk, end: i64) -> bint:
    """Return whether a word that reaches byte `end` ends there."""
    return is_free(chunk, end) or not flags_at(chunk.characters, chunk.data, end) & WORD


@cfunc
@nogil
def contraction_at(chunk: WordChunk, i: i64) -> tuple[i64, i64]:
    """Return where the two parts of a contraction that begins at byte `i` end; 0 if there is none."""
    for row in range(FIRST_ROW[chunk.data[i]], LAST_ROW[chunk.data[i]]):
        end = middle = i
        for k in range(WHOLE_END[row]):
            size = folds_to(chunk.data, end, chunk.last, LETTERS[CONTRACTION_SIZE * row + k], True)
            if size == 0:
                end = -1
                break
            end += size
            if k + 1 == PART_END[row]:
                middle = end
        if end >= 0 and (is_free(chunk, end) or (row != WANNA and is_bounded(chunk, end))):
            return middle, end
    return 0, 0


@cfunc
@inline
@nogil
def it_is_end(chunk: WordChunk, i: i64, was: i64) -> i64:
    """Return where 'tis or 'twas at byte `i`, after a contraction, ends; 0 if there is none."""
    if i + 1 >= chunk.last or chunk.data[i] != APOSTROPHE or chunk.data[i + 1] | 32 != ord("t"):
        return 0
    end = i + 2
    for k in range(2 * was, 2 + 3 * was):
        size = folds_to(chunk.data, end, chunk.last, LETTERS[IS_WAS + k], True)
        if size == 0:
            return 0
        end += size
    return end if is_bounded(chunk, end) else 0


@cfunc
@inline
@nogil
def add_span(words: WordSpans, total: i64, start: i64, stop: i64, written: i64) -> i64:
    """Add a word, unless it is empty; return the new total."""
    if stop == start:
        return total
    words.starts[total] = start
    words.stops[total] = stop
    words.written[total] = written
    return total + 1


@cfunc
@inline
@nogil
def add_contraction(
    chunk: WordChunk, words: WordSpans, total: i64, i: i64, middle: i64, end: i64
) -> tuple[i64, i64]:
    """Add a contraction, and 'tis and 'twas after it; return the new total and where all of it ends."""
    total = add_span(words, total, i, middle, 0)
    total = add_span(words, total, middle, end, 0)
    for was in range(2):
        it_is = it_is_end(chunk, end, was)
        if it_is:
            total = add_span(words, total, end, end + 2, 0)
            total = add_span(words, total, end + 2, it_is, 0)
            end = it_is
    return total, end


@cfunc
@nogil
def cut_chunk(chunk: WordChunk, words: WordSpans, total: i64) -> i64:
    """Add the words of a marked chunk, wipe its marks, and return the new total."""
    i = begin = chunk.first
    written: i64 = 0
    while i < chunk.last:
        bits = chunk.marks[i - chunk.first]
        if bits == 0 and i > begin:
            i += 1
            continue
        if bits & (GAP | WHITE):
            total = add_span(words, total, begin, i, written)
            begin = i
            written = bits & (OPEN | CLOSE)
            if bits & WHITE:
                begin = i = i + 1
                continue
        middle, end = contraction_at(chunk, i)
        if end:
            total = add_span(words, total, begin, i, written)
            total, i = add_contraction(chunk, words, total, i, middle, end)
            begin = i
            written = 0
        else:
            i += 1
    total = add_span(words, total, begin, chunk.last, written)
    for k in range(chunk.last - chunk.first + 1):
        chunk.marks[k] = 0
    return total


@cfunc
@inline
@nogil
def find_chunks(data: const_u8[::1], start: i64, stop: i64, lasts: i32[::1], odd: i32[::1]) -> i64:
    """Fill the ends of chunks, which are empty between two blanks; return how many there are.

    No branches: a processor cannot predict where a word ends.
    """
    count: i64 = 0
    strange: i64 = 0
    for i in range(start, stop):
        action = ACTIONS[data[i]]
        lasts[count] = i
        odd[count] = strange
        count += action == BLANK_BYTE
        strange += action > BLANK_BYTE
    lasts[count] = stop
    odd[count] = strange
    return count + 1


@cfunc
@inline
@nogil
def may_be_contraction(data: const_u8[::1], first: i64, last: i64) -> bint:
    """Return whether letters may be a contraction: each has a double letter in the middle."""
    if not SHORTEST_CONTRACTION <= last - first <= LONGEST_CONTRACTION:
        return False
    return data[first + 2] | CASE_BIT == data[first + 3] | CASE_BIT


@cfunc
@inline
@nogil
def is_word_and_mark(data: const_u8[::1], first: i64, last: i64, stop: i64) -> bint:
    """Recognise quickly most chunks whose only mark is a separate token at their end.

    A period is a separate token only at the end of the sentence. Without this, cutting took half as long
    again.
    """
    if last - first < 2 or not (TAILS[data[last - 1]] or (data[last - 1] == DOT and last == stop)):
        return False
    return not may_be_contraction(data, first, last - 1)


@cfunc
@nogil
def cut_sentence(chunk: WordChunk, data: const_u8[::1], words: WordSpans, total: i64) -> i64:
    """Add the words of a sentence and return the new total; four chunks in five are words as they are."""
    first: i64 = chunk.start
    before: i64 = 0
    for k in range(find_chunks(data, chunk.start, chunk.stop, chunk.lasts, chunk.odd)):
        last: i64 = chunk.lasts[k]
        odd: i64 = chunk.odd[k]
        chunk.first = first
        chunk.last = last
        if odd == before:
            if may_be_contraction(data, first, last):
                middle, end = contraction_at(chunk, first)
                if end:
                    total = add_span(words, total, first, middle, 0)
                    first = middle
            total = add_span(words, total, first, last, 0)
        elif odd == before + 1 and is_word_and_mark(data, first, last, chunk.stop):
            total = add_span(words, total, first, last - 1, 0)
            total = add_span(words, total, last - 1, last, 0)
        else:
            mark_endings(chunk, mark_chunk(chunk))
            total = cut_chunk(chunk, words, total)
        first = last + 1
        before = odd
    return total


def cut_words(
    chunk: WordChunk,
    sentences: const_i64[::1],
    starts: const_i32[::1],
    stops: const_i32[::1],
    counts: i64[::1],
    out: WordSpans,
) -> i64:
    """Fill the words of all sentences and how many come before each row; return how many there are.

    The sentences of row `i` are `sentences[i]` to `sentences[i + 1]`.
    """
    total: i64 = 0
    with nogil:
        for row in range(len(sentences) - 1):
            counts[row] = total
            for k in range(sentences[row], sentences[row + 1]):
                chunk.start = starts[k]
                chunk.stop = stops[k]
                total = cut_sentence(chunk, chunk.data, out, total)
        counts[len(sentences) - 1] = total
    return total
