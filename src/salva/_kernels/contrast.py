"""What the plans of contrast presets share: draws for candidates, and sentences that already have a word."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.jit import kernel, step
from salva._kernels.rng import draw
from salva._types import Bools, Bytes, Ints32, Ints64, Uints64

STOP = 1  # the flag of tokens that end a sentence; other flags are up to the caller


class Candidates(NamedTuple):
    """Possible edits: their first tokens, places in bytes, and which flags their sentences must not have."""

    tokens: Ints64
    starts: Ints32
    stops: Ints32
    barred: Bytes


@kernel
def fill_draws(keys: Uints64, places: Ints64, stage: int, out: Uints64) -> None:
    """Fill a draw for every place, each with a key of its own."""
    for k in range(len(places)):
        out[k] = draw(keys[k], places[k], stage)


@step
def number_sentences(flags: Bytes, first: int, last: int, out: Ints32) -> int:
    """Fill the number of the sentence of every token of a row, from 0; return how many there are."""
    sentence = 0
    for token in range(first, last):
        out[token - first] = sentence
        sentence += (flags[token] & STOP) != 0
    return sentence + 1


@kernel
def find_clear(
    rows: Ints64,
    starts: Ints32,
    flags: Bytes,
    candidates: Candidates,
    sentences: Ints32,
    counts: Ints32,
    out: Bools,
) -> None:
    """Fill whether the sentence of a candidate has none of its barred flags outside the candidate itself.

    `sentences` and `counts` (eight per sentence, one per flag) are room for the longest row.
    """
    edit = 0
    for row in range(len(rows) - 1):
        first, last = rows[row], rows[row + 1]
        most = number_sentences(flags, first, last, sentences)
        counts[: 8 * most] = 0
        for token in range(first, last):
            for bit in range(8):
                counts[8 * sentences[token - first] + bit] += (flags[token] >> bit) & 1
        while edit < len(candidates.tokens) and candidates.tokens[edit] < last:
            token = candidates.tokens[edit]
            sentence = sentences[token - first]
            clear = True
            for bit in range(8):
                if (candidates.barred[edit] >> bit) & 1:
                    own = 0
                    at = token
                    while at < last and starts[at] < candidates.stops[edit]:
                        own += (flags[at] >> bit) & 1
                        at += 1
                    clear &= counts[8 * sentence + bit] == own
            out[edit] = clear
            edit += 1
