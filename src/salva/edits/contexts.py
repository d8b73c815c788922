"""The sentence around an edit, with and without it: what a model is asked, to judge the edit by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from salva.edits.chunk import Chunk, Edits

BEFORE, AFTER = 160, 80  # the most bytes of a sentence on each side of an edit
_ENDS = frozenset({b".", b"!", b"?", b"..."})


class Rewording(NamedTuple):
    """A sentence, or the part of it around an edit, in the original text and with the edit alone."""

    before: str
    after: str


def rewordings(chunk: Chunk, edits: Edits, chosen: Iterable[int]) -> list[Rewording]:
    """Return the sentences of chosen edits."""
    data, tokens, rows = chunk.cuts.texts.data, chunk.cuts, chunk.cuts.rows
    found = []
    for edit in chosen:
        first = int(edits.tokens[edit])
        start, stop = int(edits.starts[edit]), int(edits.stops[edit])
        row = int(np.searchsorted(edits.rows, edit, "right")) - 1
        last = int(np.searchsorted(tokens.stops[first : rows[row + 1]], stop)) + first
        begin, end = _sentence(chunk, int(rows[row]), first, last, int(rows[row + 1]))
        left, right = (data[begin:start].tobytes(), data[stop:end].tobytes())
        new = edits.new[edits.offsets[edit] : edits.offsets[edit + 1]].tobytes()
        texts = (left + own + right for own in (data[start:stop].tobytes(), new))
        found.append(Rewording(*(text.decode("utf-8", "replace") for text in texts)))
    return found


def _sentence(chunk: Chunk, row_first: int, first: int, last: int, row_last: int) -> tuple[int, int]:
    """Return where the sentence of tokens `first` to `last` begins and ends; markup ends a sentence too."""
    data, starts, stops = chunk.cuts.texts.data, chunk.cuts.starts, chunk.cuts.stops
    begin, end = first, last
    while begin > row_first and starts[first] - starts[begin - 1] <= BEFORE:
        word = data[starts[begin - 1] : stops[begin - 1]].tobytes()
        if word in _ENDS or word[:1] == b"<":
            break
        begin -= 1
    while end + 1 < row_last and stops[end + 1] - stops[last] <= AFTER:
        word = data[starts[end + 1] : stops[end + 1]].tobytes()
        end += word[:1] != b"<"
        if word in _ENDS or word[:1] == b"<":
            break
    return int(starts[begin]), int(stops[end])
