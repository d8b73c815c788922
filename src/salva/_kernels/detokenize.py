"""Words joined back into a text, as NLTK's `TreebankWordDetokenizer` does.

NLTK joins the words with blanks and then deletes some of them with some thirty substitutions. Nearly all
depend on a punctuation mark, so the marks are listed once, and every rule looks only at them; most rows have
few kinds of marks, and rules for others are left out: 7 ns per word instead of 29. A deleted byte is marked
dead, and the rules that follow skip it. Rules go from left to right, and what one match has consumed is not
seen by the next match of the same rule: `free` is where it ends. `render` handles many rows.
"""

from __future__ import annotations

from salva._kernels.characters import NLTK_WORD, bytes_in, flags_at, folds_to, start_before, width
from salva._kernels.detokenize_marks import (
    APOSTROPHE,
    APOSTROPHE_BIT,
    ASK_BITS,
    BACKTICK,
    BACKTICK_BIT,
    BLANK,
    BRACKET_BITS,
    CLOSING_QUOTE_BITS,
    DASH,
    DASH_BIT,
    DOT,
    DOT_BIT,
    OTHER_BITS,
    QUOTE,
)
from salva._kernels.detokenize_row import (
    Row,
    back,
    forward,
    is_space,
    is_twice,
    kill,
    space_before,
    strip,
    word_ends,
)
from salva._kernels.jit import step
from salva._kernels.treebank import IS_WAS, LETTERS, PARTS, WANNA
from salva._types import Bools, Bytes

OPENING, CLOSING = bytes_in("[({<"), bytes_in("])}>")
STOPS = bytes_in(",.;:!?")
AFTER_QUOTE, AFTER_BRACKET = bytes_in(".,:)]>};%"), bytes_in(":;,.")
CLOSES_PERIOD = bytes_in("])}>\"'")
ASKS, SIGNS, HALF_STOPS, COMMAS = bytes_in("?!"), bytes_in("#$"), bytes_in(";%"), bytes_in(":,")


@step
def letters_end(row: Row, letters: Bytes, first: int, last: int, i: int) -> int:
    """Return where the letters at byte `i` end, ignoring case; -1 if other letters are there."""
    for k in range(first, last):
        size = folds_to(row.data, i, row.stop, letters[k], False)
        if size == 0:
            return -1
        i += size
    return i


@step
def join_it_is(row: Row) -> None:
    """Rule: `' 't is'` and `' 't was'` lose both spaces."""
    for i in row.marks:
        if row.data[i] != APOSTROPHE or i == 0 or row.data[i - 1] != BLANK or row.dead[i - 1]:
            continue
        space = i + 2
        if not folds_to(row.data, i + 1, row.stop, ord("t"), False) or not is_space(row, space):
            continue
        start = space + width(row.data[space])
        for was in range(2):
            end = letters_end(row, IS_WAS, 2 * was, 2 + 3 * was, start)
            if end >= 0 and word_ends(row, end):
                kill(row, i - 1)
                kill(row, space)


@step
def joins(row: Row, number: int, i: int) -> bool:
    """Return whether the white space at byte `i` is between the two parts of a contraction."""
    middle, last = PARTS[number, 0], PARTS[number, 1]
    start = i
    for _ in range(middle):
        if start == 0:
            return False
        start = start_before(row.data, start)
    if letters_end(row, LETTERS[number], 0, middle, start) != i:
        return False
    before = back(row, start)
    if before >= 0:
        before = start_before(row.data, before + 1)
        if flags_at(row.characters, row.data, before) & NLTK_WORD:
            return False
    end = letters_end(row, LETTERS[number], middle, last, i + width(row.data[i]))
    if end < 0:
        return False
    if number == WANNA:
        return is_space(row, forward(row, end - 1))
    return word_ends(row, end)


@step
def join_contractions(row: Row) -> None:
    """Rules: can not, d 'ye, gim me, gon na, got ta, lem me, more 'n and wan na become one word."""
    for number in range(len(PARTS)):
        for i in row.joints:
            if not row.dead[i] and joins(row, number, i):
                kill(row, i)


@step
def ending_end(row: Row, i: int, long: bool) -> int:
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
    doubled = after in (ord("l"), ord("L")) and last == after
    small = after in (ord("r"), ord("v")) and last == ord("e")
    capital = after in (ord("R"), ord("V")) and last == ord("E")
    return forward(row, next_2) if doubled or small or capital else -1


@step
def join_endings(row: Row, long: bool) -> None:
    """Rule: an ending that is followed by a blank loses the space before it."""
    free = 0
    for i in row.marks:
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


@step
def join_closing_quotes(row: Row) -> None:
    """Rules: '' loses the space between it and the preceding word; then quotes lose that after a stop."""
    for i in row.marks:
        if row.data[i] == APOSTROPHE and is_twice(row, i):
            space = space_before(row, i)
            word = back(row, space)
            leans = space > 0 and word >= 0 and row.data[word] != APOSTROPHE
            if leans and space_before(row, space) < 0:
                kill(row, space)
    free = 0
    for i in row.marks:
        pair = row.data[i] == APOSTROPHE and is_twice(row, i)
        if not pair and row.data[i] != QUOTE:
            continue
        space = i
        while space_before(row, space) >= 0:
            space = space_before(row, space)
        before = back(row, space)
        if space < i and before >= free and (STOPS[row.data[before]] or row.data[before] == APOSTROPHE):
            row.dead[before + 1 : i] = 1
            free = forward(row, i) + 1 if pair else i + 1


@step
def write_quotes(row: Row, mark: int) -> None:
    """Rule: '' or `` becomes a straight quote."""
    for i in row.marks:
        if row.data[i] == mark and not row.dead[i] and is_twice(row, i):
            row.dead[forward(row, i)] = 1
            row.data[i] = QUOTE


@step
def swap_quotes(row: Row) -> None:
    """Rule: after a stop, a double quote moves behind the single quote that follows it."""
    for i in row.marks:
        if row.dead[i] or row.data[i] != QUOTE:
            continue
        before, after = back(row, i), forward(row, i)
        if before >= 0 and STOPS[row.data[before]] and after < row.stop and row.data[after] == APOSTROPHE:
            row.data[i] = APOSTROPHE
            row.data[after] = QUOTE


@step
def join_dashes(row: Row) -> None:
    """Rule: -- loses a blank on both sides."""
    for i in row.marks:
        before = back(row, i)
        if row.data[i] == DASH and before >= 0 and row.data[before] == BLANK and is_twice(row, i):
            after = forward(row, forward(row, i))
            if after < row.stop and row.data[after] == BLANK:
                row.dead[before] = row.dead[after] = 1


@step
def lean_left(row: Row, kinds: Bools) -> None:
    """Rule: some marks lose the space before them."""
    for i in row.marks:
        if kinds[row.data[i]] and not row.dead[i]:
            space = space_before(row, i)
            if space >= 0:
                kill(row, space)


@step
def lean_right(row: Row, kinds: Bools) -> None:
    """Rule: some marks lose the space after them."""
    for i in row.marks:
        if kinds[row.data[i]] and not row.dead[i]:
            space = forward(row, i)
            if is_space(row, space):
                kill(row, space)


@step
def join_after(row: Row, i: int, kinds: Bools) -> None:
    """Delete the space after byte `i` if a mark of the given kinds follows it."""
    space = forward(row, i)
    if is_space(row, space):
        after = forward(row, space + width(row.data[space]) - 1)
        if after < row.stop and kinds[row.data[after]]:
            kill(row, space)


@step
def join_after_brackets(row: Row) -> None:
    """Rule: some marks lose the space after a closing bracket."""
    for i in row.marks:
        if CLOSING[row.data[i]]:
            join_after(row, i, AFTER_BRACKET)


@step
def join_after_quotes(row: Row) -> None:
    """Rule: some marks lose the space after ''."""
    for i in row.marks:
        if row.data[i] == APOSTROPHE and is_twice(row, i):
            join_after(row, forward(row, i), AFTER_QUOTE)


@step
def join_apostrophes(row: Row) -> None:
    """Rule: an apostrophe between spaces loses the first of them; the second becomes a blank."""
    free = 0
    for i in row.marks:
        if row.data[i] != APOSTROPHE or row.dead[i]:
            continue
        space, after = space_before(row, i), forward(row, i)
        word = back(row, space)
        if space > 0 and word >= free and row.data[word] != APOSTROPHE and is_space(row, after):
            kill(row, space)
            kill(row, after)
            row.data[after], row.dead[after] = BLANK, 0
            free = after + 1


@step
def join_periods(row: Row) -> None:
    """Rule: a single period loses the space before it."""
    free = 0
    for i in row.marks:
        if row.data[i] != DOT or row.dead[i] or is_twice(row, i):
            continue
        space = space_before(row, i)
        word = back(row, space)
        if space > 0 and word >= free and row.data[word] != DOT:
            kill(row, space)
            free = forward(row, i)
            while free < row.stop and CLOSES_PERIOD[row.data[free]]:
                free = forward(row, free)


@step
def join_ellipses(row: Row) -> None:
    """Rule: three periods lose the space on both sides."""
    for i in row.marks:
        if row.data[i] != DOT or row.dead[i] or not is_twice(row, i):
            continue
        space, second = space_before(row, i), forward(row, i)
        if space >= 0 and is_twice(row, second):
            after = forward(row, forward(row, second))
            if is_space(row, after):
                kill(row, space)
                kill(row, after)


@step
def join_opening_quotes(row: Row) -> None:
    """Rules: `` loses the space before it after a blank or a bracket, and then the space after it."""
    for i in row.marks:
        if row.data[i] == BACKTICK and is_twice(row, i):
            space = space_before(row, i)
            before = back(row, space)
            if space > 0 and before >= 0 and (row.data[before] == BLANK or OPENING[row.data[before]]):
                kill(row, space)
    free = 0
    for i in row.marks:
        if i >= free and row.data[i] == BACKTICK and is_twice(row, i):
            space = forward(row, forward(row, i))
            if is_space(row, space):
                kill(row, space)
                free = space + 1


@step
def join_row(row: Row, kinds: int) -> None:
    """Apply the rules in NLTK's order to a row that begins and ends with a blank and has marks of `kinds`."""
    if kinds & APOSTROPHE_BIT:
        join_it_is(row)
    join_contractions(row)
    if kinds & APOSTROPHE_BIT:
        join_endings(row, True)
        join_endings(row, False)
    if kinds & CLOSING_QUOTE_BITS:
        join_closing_quotes(row)
        join_after_quotes(row)
        write_quotes(row, APOSTROPHE)
        swap_quotes(row)
    strip(row)
    if kinds & DASH_BIT:
        join_dashes(row)
    if kinds & BRACKET_BITS:
        lean_right(row, OPENING)
        lean_left(row, CLOSING)
        join_after_brackets(row)
    if kinds & APOSTROPHE_BIT:
        join_apostrophes(row)
    if kinds & ASK_BITS:
        lean_left(row, ASKS)
    if kinds & DOT_BIT:
        join_periods(row)
    if kinds & OTHER_BITS:
        lean_right(row, SIGNS)
        lean_left(row, HALF_STOPS)
    if kinds & DOT_BIT:
        join_ellipses(row)
    lean_left(row, COMMAS)
    if kinds & BACKTICK_BIT:
        join_opening_quotes(row)
        write_quotes(row, BACKTICK)
    strip(row)
