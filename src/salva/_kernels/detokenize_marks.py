"""What the rules for joining words look at in a row: punctuation marks, and cuts of contractions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import NLTK_SPACE, bytes_in, flags_at, width
from salva._kernels.detokenize_row import Row
from salva._kernels.jit import step
from salva._kernels.scanning import has_only_letters

BLANK, APOSTROPHE, QUOTE, BACKTICK, DASH, DOT = (ord(c) for c in " '\"`-.")

MARKS = "'\"`-.,;:!?%#$[](){}<>"
MARK_BITS = np.zeros(256, np.int64)
MARK_BITS[[ord(mark) for mark in MARKS]] = 1 << np.arange(len(MARKS))
PAIRED = 1 << len(MARKS)  # two apostrophes that may become neighbours
NEAR = 4  # bytes from an apostrophe to the next one, if there is at most one space between them


def bits_of(marks: str) -> int:
    """Return the bits of some marks."""
    return sum(1 << MARKS.index(mark) for mark in marks)


APOSTROPHE_BIT, DASH_BIT, DOT_BIT, BACKTICK_BIT = (bits_of(mark) for mark in "'-.`")
CLOSING_QUOTE_BITS, BRACKET_BITS = bits_of('"') | PAIRED, bits_of("[](){}<>")
ASK_BITS, OTHER_BITS = bits_of("?!"), bits_of("#$;%")

# Where a contraction is cut: the letter before the cut, and what comes after it. All other bytes differ, so
# that one comparison is enough: half of all words end with such a letter, which no processor can predict.
ENDS_PART = bytes_in("nN") * 1 + bytes_in("mM") * 2 + bytes_in("tT") * 3 + bytes_in("dDeE") * 4
BEGINS_PART = bytes_in("nN") * 1 + bytes_in("mM") * 2 + bytes_in("tT") * 3 + bytes_in("'") * 4
BEGINS_PART[BEGINS_PART == 0] = -1


class Listed(NamedTuple):
    """How many marks and joints of a row are listed, and which kinds of marks there are, one bit each."""

    marks: int
    joints: int
    kinds: int


@step
def is_joint(before: int, after: int) -> bool:
    """Return whether a contraction may be cut between two bytes."""
    return ENDS_PART[before] == BEGINS_PART[after]


@step
def list_word(row: Row, start: int, stop: int, listed: Listed) -> Listed:
    """List the marks of a word and the joints before and in it; a blank is after it.

    Nearly all words have only letters, and are looked at no further.
    """
    marks, joints, kinds = listed
    if start > 1 and row.data[start - 1] == BLANK and is_joint(row.data[start - 2], row.data[start]):
        row.joints[joints] = start - 1
        joints += 1
    if start == stop or has_only_letters(row.data, start, stop):
        return Listed(marks, joints, kinds)
    i = start
    while i < stop:
        byte = row.data[i]
        after = i + width(byte)
        if MARK_BITS[byte]:
            near = marks > 0 and i - row.marks[marks - 1] <= NEAR
            if near and byte == APOSTROPHE and row.data[row.marks[marks - 1]] == APOSTROPHE:
                kinds |= PAIRED
            kinds |= MARK_BITS[byte]
            row.marks[marks] = i
            marks += 1
        elif is_joint(row.data[i - 1], row.data[after]):
            row.joints[joints] = i
            joints += flags_at(row.characters, row.data, i) & NLTK_SPACE != 0
        i = after
    return Listed(marks, joints, kinds)
