"""Spans of text: cut at white space or between word and punctuation characters, and copied."""

from __future__ import annotations

import numpy as np

from salva._kernels.characters import SPACE, WORD, Characters, flags_at, width
from salva._kernels.jit import kernel
from salva._kernels.strings import copy_bytes
from salva._kernels.treebank_marks import OPEN
from salva._types import Bytes, Ints32, Ints64

U64 = np.uint64
BACKTICK, APOSTROPHE = ord("`"), ord("'")


@kernel
def cut_runs(
    characters: Characters,
    ignored: int,
    data: Bytes,
    rows: Ints64,
    counts: Ints64,
    starts: Ints32,
    stops: Ints32,
) -> int:
    """Fill the maximal runs of characters of one category, except white space; return how many there are.

    Categories are the flags SPACE and WORD without the `ignored` ones.
    """
    total = ended = 0
    wanted = (SPACE | WORD) & ~ignored
    ascii_flags = characters.flags[np.int64(characters.pages[0]) << 8 :]
    for row in range(len(rows) - 1):
        counts[row] = total
        i = rows[row]
        before = SPACE
        while i < rows[row + 1]:
            byte = data[U64(i)]
            category = wanted & np.int64(ascii_flags[byte] if byte < 0x80 else flags_at(characters, data, i))
            # No branches: a processor cannot predict where a word ends.
            changed = category != before
            starts[total] = stops[ended] = i
            total += changed & (category != SPACE)
            ended += changed & (before != SPACE)
            before = category
            i += width(byte)
        stops[ended] = i
        ended += before != SPACE
    counts[len(rows) - 1] = total
    return total


@kernel
def span_bytes(starts: Ints32, stops: Ints32, written: Bytes) -> int:
    """Return how many bytes the spans take when they are written out."""
    total = 0
    for k in range(len(starts)):
        total += 2 if written[k] else stops[k] - starts[k]
    return total


@kernel
def write_spans(
    data: Bytes, starts: Ints32, stops: Ints32, written: Bytes, place: int, offsets: Ints64, out: Bytes
) -> None:
    """Write spans, one after another, starting at `place`; those that NLTK rewrites become `` or ''."""
    for k in range(len(starts)):
        offsets[k] = place
        if written[k]:
            out[place] = out[place + 1] = BACKTICK if written[k] == OPEN else APOSTROPHE
            place += 2
        else:
            place = copy_bytes(data, starts[k], stops[k], place, out)
