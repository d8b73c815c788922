"""Texts with edits applied: spliced into the original, or as tokens joined by blanks."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.gaps import OPEN
from salva._kernels.jit import kernel
from salva._kernels.lanes import copy_bytes
from salva._kernels.letters import bytes_in
from salva._kernels.spans import APOSTROPHE, BACKTICK
from salva._kernels.ties import CONTINUES, GLUED
from salva._types import Bytes, Ints32, Ints64

BLANK = ord(" ")
LEANING = bytes_in(".?!,")


class Edited(NamedTuple):
    """Edits of some rows: row `i` has edits `rows[i]` to `rows[i + 1]`, in order of their tokens.

    Edit `k` replaces token `tokens[k]` with `new[offsets[k]:offsets[k + 1]]`.
    """

    rows: Ints64
    tokens: Ints64
    offsets: Ints64
    new: Bytes


@kernel
def splice(
    data: Bytes,
    row_starts: Ints64,
    starts: Ints32,
    stops: Ints32,
    edited: Edited,
    places: Ints64,
    offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the texts with the edits applied, and where in `out` every edit begins and ends."""
    size = 0
    for row in range(len(row_starts) - 1):
        offsets[row] = size
        i = row_starts[row]
        for k in range(edited.rows[row], edited.rows[row + 1]):
            token = edited.tokens[k]
            size = copy_bytes(data, i, starts[token], size, out)
            places[2 * k] = size
            size = copy_bytes(edited.new, edited.offsets[k], edited.offsets[k + 1], size, out)
            places[2 * k + 1] = size
            i = stops[token]
        size = copy_bytes(data, i, row_starts[row + 1], size, out)
    offsets[len(row_starts) - 1] = size


@kernel
def join_by_blanks(
    data: Bytes,
    rows: Ints64,
    starts: Ints32,
    stops: Ints32,
    written: Bytes,
    ties: Bytes,
    leaning: bool,
    edited: Edited,
    places: Ints64,
    offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the tokens with the edits applied and blanks between them; marks may follow without a blank.

    Between two tied tokens, the text between them is copied.
    """
    size = 0
    for row in range(len(rows) - 1):
        offsets[row] = size
        k = edited.rows[row]
        for token in range(rows[row], rows[row + 1]):
            if ties[token] & (GLUED | CONTINUES):
                size = copy_bytes(data, stops[token - 1], starts[token], size, out)
            elif token > rows[row] and not (leaning and LEANING[data[starts[token]]]):
                out[size] = BLANK
                size += 1
            if k < edited.rows[row + 1] and edited.tokens[k] == token:
                places[2 * k] = size
                size = copy_bytes(edited.new, edited.offsets[k], edited.offsets[k + 1], size, out)
                places[2 * k + 1] = size
                k += 1
            elif written[token]:
                out[size] = out[size + 1] = BACKTICK if written[token] == OPEN else APOSTROPHE
                size += 2
            else:
                size = copy_bytes(data, starts[token], stops[token], size, out)
    offsets[len(rows) - 1] = size


@kernel
def replace_words(
    words: Bytes,
    word_offsets: Ints64,
    data: Bytes,
    starts: Ints32,
    stops: Ints32,
    ties: Bytes,
    edited: Edited,
    offsets: Ints64,
    out: Bytes,
) -> None:
    """Write the words, one after another, with the edits applied.

    A word that continues the previous one begins with the text between the two.
    """
    size = k = 0
    for word in range(len(word_offsets) - 1):
        offsets[word] = size
        if k < len(edited.tokens) and edited.tokens[k] == word:
            size = copy_bytes(edited.new, edited.offsets[k], edited.offsets[k + 1], size, out)
            k += 1
            continue
        if ties[word] & CONTINUES:
            size = copy_bytes(data, stops[word - 1], starts[word], size, out)
        size = copy_bytes(words, word_offsets[word], word_offsets[word + 1], size, out)
    offsets[len(word_offsets) - 1] = size
