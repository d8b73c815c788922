"""Words joined back into a text, as NLTK's `TreebankWordDetokenizer` does.

NLTK joins the words with blanks and then deletes some of them with some thirty substitutions. Nearly all
depend on a punctuation mark, so the marks are listed once, and every rule looks only at them; most rows have
few kinds of marks, and rules for others are left out: 7 ns per word instead of 29. A deleted byte is marked
dead, and the rules that follow skip it. Rules go from left to right, and what one match has consumed is not
seen by the next match of the same rule: `free` is where it ends. `render` handles many rows.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import (
        ASK_MARK,
        COMMAS,
        Characters,
        bytes_in,
        flags_at,
        folds_to,
        start_before,
        width,
    )
    from salva._kernels.constants import *
    from salva._kernels.strings import has_only_letters
    from salva._kernels.treebank import LETTERS, PART_END, WHOLE_END


def kinds_in(*kinds, other=0):
    """Return the number, from 1, of the kind of characters that each byte belongs to."""
    return [next((k for k, kind in enumerate(kinds, 1) if chr(byte) in kind), other) for byte in range(256)]


MARK_BITS = cython.declare(i64[256])
MARK_BITS = [1 << JOINED_MARKS.index(chr(byte)) if chr(byte) in JOINED_MARKS else 0 for byte in range(256)]
# Where a contraction is cut: the letter before the cut, and what comes after it. All other bytes differ, so
# that one comparison is enough: half of all words end with such a letter, which no processor can predict.
ENDS_PART = cython.declare(u8[256])
ENDS_PART = kinds_in("nN", "mM", "tT", "dDeE")
BEGINS_PART = cython.declare(u8[256])
BEGINS_PART = kinds_in("nN", "mM", "tT", "'", other=255)
OPENING_BRACKET = cython.declare(u8[256])
OPENING_BRACKET = bytes_in("[({<")
CLOSING_BRACKET = cython.declare(u8[256])
CLOSING_BRACKET = bytes_in("])}>")
STOPS = cython.declare(u8[256])
STOPS = bytes_in(",.;:!?")
AFTER_QUOTE = cython.declare(u8[256])
AFTER_QUOTE = bytes_in(".,:)]>};%")
AFTER_BRACKET = cython.declare(u8[256])
AFTER_BRACKET = bytes_in(":;,.")
CLOSES_PERIOD = cython.declare(u8[256])
CLOSES_PERIOD = bytes_in("])}>\"'")
SIGNS = cython.declare(u8[256])
SIGNS = bytes_in("#$")
HALF_STOPS = cython.declare(u8[256])
HALF_STOPS = bytes_in(";%")


@final
@dataclass(repr=False, eq=False)
@cclass
class JoinedRow:
    """The first `stop` bytes of `data`, which of them are dead, and the positions that rules look at.

    There are `marked` punctuation marks, whose kinds have a bit each, and `cuts` white spaces that may be
    inside a contraction, the `joints`.
    """

    characters: Characters
    data: u8[::1]
    dead: u8[::1]
    marks: i64[::1]
    joints: i64[::1]
    stop: i64 = 0
    marked: i64 = 0
    cuts: i64 = 0
    kinds: i64 = 0


@cfunc
@inline
@nogil
def begin_row_of_words(row: JoinedRow) -> cython.void:
    """Make a row begin with a blank, and list nothing."""
    row.data[0] = BLANK
    row.stop = 1
    row.marked = 0
    row.cuts = 0
    row.kinds = 0


@cfunc
@inline
@nogil
def forward(row: JoinedRow, i: i64) -> i64:
    """Return the next living byte after `i`, or the end."""
    i += 1
    while i < row.stop and row.dead[i]:
        i += 1
    return i


@cfunc
@inline
@nogil
def back(row: JoinedRow, i: i64) -> i64:
    """Return the living byte before `i`, or -1."""
    i -= 1
    while i >= 0 and row.dead[i]:
        i -= 1
    return i


@cfunc
@inline
@nogil
def space_before(row: JoinedRow, i: i64) -> i64:
    """Return where the white space character before byte `i` begins; -1 if there is another character."""
    i = back(row, i)
    if i < 0:
        return -1
    start = i if row.data[i] < 0x80 else start_before(row.data, i + 1)
    return start if flags_at(row.characters, row.data, start) & NLTK_SPACE else -1


@cfunc
@inline
@nogil
def is_space_at(row: JoinedRow, i: i64) -> bint:
    """Return whether white space begins at byte `i`."""
    return i < row.stop and flags_at(row.characters, row.data, i) & NLTK_SPACE != 0


@cfunc
@inline
@nogil
def kill(row: JoinedRow, i: i64) -> cython.void:
    """Delete the character at byte `i`."""
    for k in range(i, i + width(row.data[i])):
        row.dead[k] = 1


@cfunc
@inline
@nogil
def is_twice(row: JoinedRow, i: i64) -> bint:
    """Return whether the byte at `i` occurs twice in a row."""
    after = forward(row, i)
    return after < row.stop and row.data[after] == row.data[i]


@cfunc
@inline
@nogil
def word_ends(row: JoinedRow, i: i64) -> bint:
    """Return whether no word continues at byte `i`."""
    i = forward(row, i - 1)
    return i >= row.stop or not flags_at(row.characters, row.data, i) & NLTK_WORD


@cfunc
@inline
@nogil
def strip(row: JoinedRow) -> cython.void:
    """Delete white space at both ends."""
    i = forward(row, -1)
    while i < row.stop and flags_at(row.characters, row.data, i) & SPACE:
        kill(row, i)
        i = forward(row, i)
    i = back(row, row.stop)
    while i >= 0:
        start = start_before(row.data, i + 1)
        if not flags_at(row.characters, row.data, start) & SPACE:
            break
        kill(row, start)
        i = back(row, start)


@cfunc
@inline
@nogil
def is_joint(before: i64, after: i64) -> bint:
    """Return whether a contraction may be cut between two bytes."""
    return ENDS_PART[before] == BEGINS_PART[after]


@cfunc
@nogil
def list_marks(row: JoinedRow, start: i64, stop: i64) -> cython.void:
    """List the marks of a word and the joints in it."""
    i: i64 = start
    while i < stop:
        byte = row.data[i]
        after = i + width(byte)
        if MARK_BITS[byte]:
            if byte == APOSTROPHE and row.marked > 0:
                last = row.marks[row.marked - 1]
                if i - last <= NEAR_APOSTROPHE and row.data[last] == APOSTROPHE:
                    row.kinds |= PAIRED
            row.kinds |= MARK_BITS[byte]
            row.marks[row.marked] = i
            row.marked += 1
        elif (
            is_joint(row.data[i - 1], row.data[after]) and flags_at(row.characters, row.data, i) & NLTK_SPACE
        ):
            row.joints[row.cuts] = i
            row.cuts += 1
        i = after


@cfunc
@inline
@nogil
def list_word(row: JoinedRow, start: i64, stop: i64) -> cython.void:
    """List the marks of a word and the joints before and in it; a blank is after it.

    Nearly all words have only letters, and are looked at no further.
    """
    if start > 1 and row.data[start - 1] == BLANK and is_joint(row.data[start - 2], row.data[start]):
        row.joints[row.cuts] = start - 1
        row.cuts += 1
    if start < stop and not has_only_letters(row.data, start, stop):
        list_marks(row, start, stop)


@cfunc
@inline
@nogil
def letters_end(row: JoinedRow, first: i64, last: i64, i: i64) -> i64:
    """Return where the letters `first` to `last` end if they are at byte `i`, in whatever case; else -1."""
    for k in range(first, last):
        size = folds_to(row.data, i, row.stop, LETTERS[k], False)
        if size == 0:
            return -1
        i += size
    return i


@cfunc
@inline
@nogil
def join_it_is(row: JoinedRow) -> cython.void:
    """Rule: `' 't is'` and `' 't was'` lose both spaces."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] != APOSTROPHE or i == 0 or row.data[i - 1] != BLANK or row.dead[i - 1]:
            continue
        space = i + 2
        if not folds_to(row.data, i + 1, row.stop, ord("t"), False) or not is_space_at(row, space):
            continue
        start = space + width(row.data[space])
        for was in range(2):
            end = letters_end(row, IS_WAS + 2 * was, IS_WAS + 2 + 3 * was, start)
            if end >= 0 and word_ends(row, end):
                kill(row, i - 1)
                kill(row, space)


@cfunc
@nogil
def joins(row: JoinedRow, number: i64, i: i64) -> bint:
    """Return whether the white space at byte `i` is between the two parts of a contraction."""
    begin: i64 = CONTRACTION_SIZE * number
    middle: i64 = begin + PART_END[number]
    last: i64 = begin + WHOLE_END[number]
    start: i64 = i
    for _ in range(PART_END[number]):
        if start == 0:
            return False
        start = start_before(row.data, start)
    if letters_end(row, begin, middle, start) != i:
        return False
    before = back(row, start)
    if before >= 0:
        before = start_before(row.data, before + 1)
        if flags_at(row.characters, row.data, before) & NLTK_WORD:
            return False
    end = letters_end(row, middle, last, i + width(row.data[i]))
    if end < 0:
        return False
    if number == WANNA:
        return is_space_at(row, forward(row, end - 1))
    return word_ends(row, end)


@cfunc
@nogil
def join_contractions(row: JoinedRow) -> cython.void:
    """Rules: can not, d 'ye, gim me, gon na, got ta, lem me, more 'n and wan na become one word."""
    for number in range(CONTRACTIONS):
        for k in range(row.cuts):
            i = row.joints[k]
            if not row.dead[i] and joins(row, number, i):
                kill(row, i)


@cfunc
@inline
@nogil
def ending_end(row: JoinedRow, i: i64, long: bint) -> i64:
    """Return where the ending with its apostrophe at byte `i` ends; -1 if there is none.

    Long endings are 'll, 're, 've and n't, in one case; short ones are 's, 'm, 'd and the apostrophe alone.
    """
    next_1 = forward(row, i)
    if next_1 >= row.stop:
        return -1
    after = row.data[next_1]
    if not long:
        if after == BLANK:
            return next_1
        return forward(row, next_1) if after | 32 in (ord("s"), ord("m"), ord("d")) else -1
    next_2 = forward(row, next_1)
    if (after == ord("t") and row.data[i - 1] == ord("n")) or (
        after == ord("T") and row.data[i - 1] == ord("N")
    ):
        return next_2
    last = row.data[next_2] if next_2 < row.stop else 0
    doubled: bint = after in (ord("l"), ord("L")) and last == after
    small: bint = after in (ord("r"), ord("v")) and last == ord("e")
    capital: bint = after in (ord("R"), ord("V")) and last == ord("E")
    return forward(row, next_2) if doubled or small or capital else -1


@cfunc
@inline
@nogil
def join_endings(row: JoinedRow, long: bint) -> cython.void:
    """Rule: an ending that is followed by a blank loses the space before it."""
    free: i64 = 0
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] != APOSTROPHE or i == 0:
            continue
        end = ending_end(row, i, long)
        if end < 0 or end >= row.stop or row.data[end] != BLANK:
            continue
        start = i - 1 if long and row.data[forward(row, i)] | 32 == ord("t") else i
        space = space_before(row, start)
        word = back(row, space)
        if space > 0 and word >= free and row.data[word] not in (APOSTROPHE, BLANK):
            kill(row, space)
            free = end + 1


@cfunc
@inline
@nogil
def join_closing_quotes(row: JoinedRow) -> cython.void:
    """Rules: '' loses the space between it and the preceding word; then quotes lose that after a stop."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] == APOSTROPHE and is_twice(row, i):
            space = space_before(row, i)
            word = back(row, space)
            leans: bint = space > 0 and word >= 0 and row.data[word] != APOSTROPHE
            if leans and space_before(row, space) < 0:
                kill(row, space)
    free: i64 = 0
    for k in range(row.marked):
        i = row.marks[k]
        pair: bint = row.data[i] == APOSTROPHE and is_twice(row, i)
        if not pair and row.data[i] != QUOTE:
            continue
        space = i
        while space_before(row, space) >= 0:
            space = space_before(row, space)
        before = back(row, space)
        if space < i and before >= free and (STOPS[row.data[before]] or row.data[before] == APOSTROPHE):
            for gap in range(before + 1, i):
                row.dead[gap] = 1
            free = forward(row, i) + 1 if pair else i + 1


@cfunc
@inline
@nogil
def write_quotes(row: JoinedRow, mark: i64) -> cython.void:
    """Rule: '' or `` becomes a straight quote."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] == mark and not row.dead[i] and is_twice(row, i):
            row.dead[forward(row, i)] = 1
            row.data[i] = QUOTE


@cfunc
@inline
@nogil
def swap_quotes(row: JoinedRow) -> cython.void:
    """Rule: after a stop, a double quote moves behind the single quote that follows it."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.dead[i] or row.data[i] != QUOTE:
            continue
        before, after = back(row, i), forward(row, i)
        if before >= 0 and STOPS[row.data[before]] and after < row.stop and row.data[after] == APOSTROPHE:
            row.data[i] = APOSTROPHE
            row.data[after] = QUOTE


@cfunc
@inline
@nogil
def join_dashes(row: JoinedRow) -> cython.void:
    """Rule: -- loses a blank on both sides."""
    for k in range(row.marked):
        i = row.marks[k]
        before = back(row, i)
        if row.data[i] == DASH and before >= 0 and row.data[before] == BLANK and is_twice(row, i):
            after = forward(row, forward(row, i))
            if after < row.stop and row.data[after] == BLANK:
                row.dead[before] = row.dead[after] = 1


@cfunc
@inline
@nogil
def lean_left(row: JoinedRow, kinds: cython.pointer[u8]) -> cython.void:
    """Rule: some marks lose the space before them."""
    for k in range(row.marked):
        i = row.marks[k]
        if kinds[row.data[i]] and not row.dead[i]:
            space = space_before(row, i)
            if space >= 0:
                kill(row, space)


@cfunc
@inline
@nogil
def lean_right(row: JoinedRow, kinds: cython.pointer[u8]) -> cython.void:
    """Rule: some marks lose the space after them."""
    for k in range(row.marked):
        i = row.marks[k]
        if kinds[row.data[i]] and not row.dead[i]:
            space = forward(row, i)
            if is_space_at(row, space):
                kill(row, space)


@cfunc
@inline
@nogil
def join_after(row: JoinedRow, i: i64, kinds: cython.pointer[u8]) -> cython.void:
    """Delete the space after byte `i` if a mark of the given kinds follows it."""
    space = forward(row, i)
    if is_space_at(row, space):
        after = forward(row, space + width(row.data[space]) - 1)
        if after < row.stop and kinds[row.data[after]]:
            kill(row, space)


@cfunc
@inline
@nogil
def join_after_brackets(row: JoinedRow) -> cython.void:
    """Rule: some marks lose the space after a closing bracket."""
    for k in range(row.marked):
        i = row.marks[k]
        if CLOSING_BRACKET[row.data[i]]:
            join_after(row, i, AFTER_BRACKET)


@cfunc
@inline
@nogil
def join_after_quotes(row: JoinedRow) -> cython.void:
    """Rule: some marks lose the space after ''."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] == APOSTROPHE and is_twice(row, i):
            join_after(row, forward(row, i), AFTER_QUOTE)


@cfunc
@inline
@nogil
def join_apostrophes(row: JoinedRow) -> cython.void:
    """Rule: an apostrophe between spaces loses the first of them; the second becomes a blank."""
    free: i64 = 0
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] != APOSTROPHE or row.dead[i]:
            continue
        space, after = space_before(row, i), forward(row, i)
        word = back(row, space)
        if space > 0 and word >= free and row.data[word] != APOSTROPHE and is_space_at(row, after):
            kill(row, space)
            kill(row, after)
            row.data[after] = BLANK
            row.dead[after] = 0
            free = after + 1


@cfunc
@inline
@nogil
def join_periods(row: JoinedRow) -> cython.void:
    """Rule: a single period loses the space before it."""
    free: i64 = 0
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] != DOT or row.dead[i] or is_twice(row, i):
            continue
        space = space_before(row, i)
        word = back(row, space)
        if space > 0 and word >= free and row.data[word] != DOT:
            kill(row, space)
            free = forward(row, i)
            while free < row.stop and CLOSES_PERIOD[row.data[free]]:
                free = forward(row, free)


@cfunc
@inline
@nogil
def join_ellipses(row: JoinedRow) -> cython.void:
    """Rule: three periods lose the space on both sides."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] != DOT or row.dead[i] or not is_twice(row, i):
            continue
        space, second = space_before(row, i), forward(row, i)
        if space >= 0 and is_twice(row, second):
            after = forward(row, forward(row, second))
            if is_space_at(row, after):
                kill(row, space)
                kill(row, after)


@cfunc
@inline
@nogil
def join_opening_quotes(row: JoinedRow) -> cython.void:
    """Rules: `` loses the space before it after a blank or a bracket, and then the space after it."""
    for k in range(row.marked):
        i = row.marks[k]
        if row.data[i] == BACKTICK and is_twice(row, i):
            space = space_before(row, i)
            before = back(row, space)
            if space > 0 and before >= 0 and (row.data[before] == BLANK or OPENING_BRACKET[row.data[before]]):
                kill(row, space)
    free: i64 = 0
    for k in range(row.marked):
        i = row.marks[k]
        if i >= free and row.data[i] == BACKTICK and is_twice(row, i):
            space = forward(row, forward(row, i))
            if is_space_at(row, space):
                kill(row, space)
                free = space + 1


@cfunc
@inline
@nogil
def join_row(row: JoinedRow) -> cython.void:
    """Apply the rules in NLTK's order to a row that begins and ends with a blank."""
    if row.kinds & APOSTROPHE_BIT:
        join_it_is(row)
    join_contractions(row)
    if row.kinds & APOSTROPHE_BIT:
        join_endings(row, True)
        join_endings(row, False)
    if row.kinds & CLOSING_QUOTE_BITS:
        join_closing_quotes(row)
        join_after_quotes(row)
        write_quotes(row, APOSTROPHE)
        swap_quotes(row)
    strip(row)
    if row.kinds & DASH_BIT:
        join_dashes(row)
    if row.kinds & BRACKET_BITS:
        lean_right(row, OPENING_BRACKET)
        lean_left(row, CLOSING_BRACKET)
        join_after_brackets(row)
    if row.kinds & APOSTROPHE_BIT:
        join_apostrophes(row)
    if row.kinds & ASK_BITS:
        lean_left(row, ASK_MARK)
    if row.kinds & DOT_BIT:
        join_periods(row)
    if row.kinds & OTHER_BITS:
        lean_right(row, SIGNS)
        lean_left(row, HALF_STOPS)
    if row.kinds & DOT_BIT:
        join_ellipses(row)
    lean_left(row, COMMAS)
    if row.kinds & BACKTICK_BIT:
        join_opening_quotes(row)
        write_quotes(row, BACKTICK)
    strip(row)
