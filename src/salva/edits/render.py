"""Texts with their edits: spliced into the original, joined by spaces, or rebuilt as NLTK does it."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from salva._kernels import PlannedEdits, join_by_blanks, replace_words, splice
from salva._kernels.constants import CONTINUES, GLUED
from salva._types import Bytes, Ints64
from salva.edits.chunk import Chunk, Edits
from salva.text.detokenize import join_rows
from salva.text.spans import sized

Render = Literal["splice", "spaces", "treebank"]
RENDERS: tuple[Render, ...] = get_args(Render)


class Rendered(NamedTuple):
    """Texts end to end, how many bytes come before each, and where the edits begin and end in them.

    The edits of row `i` are `rows[i]` to `rows[i + 1]`.
    """

    data: Bytes
    offsets: Ints64
    places: Ints64
    rows: Ints64


def render(chunk: Chunk, edits: Edits, how: Render, *, leaning: bool = False) -> Rendered:
    """Put the edits of a chunk into its texts; `leaning` drops the space before `.`, `?`, `!` and `,`."""
    cuts, rows, count = chunk.cuts, edits.rows, len(chunk.cuts.texts)
    edited = PlannedEdits(rows, edits.tokens, edits.offsets, edits.new)
    old = int(edits.stops.sum(dtype=np.int64) - edits.starts.sum(dtype=np.int64))
    grown = int(edits.offsets[-1]) - old
    places, offsets = np.empty(2 * len(edits.tokens), np.int64), np.empty(count + 1, np.int64)
    if how == "splice":
        out = np.empty(len(cuts.texts.data) + grown, np.uint8)
        texts = cuts.texts
        splice(texts.data, texts.offsets, edits.starts, edits.stops, edited, places, offsets, out)
        return Rendered(out, offsets, places, rows)
    between = bytes_between(chunk)
    if how == "spaces":
        out = np.empty(sized(cuts).size + len(cuts.starts) + int(edits.offsets[-1]) + between, np.uint8)
        spans = cuts.rows, cuts.starts, cuts.stops, cuts.written, chunk.ties
        join_by_blanks(cuts.texts.data, *spans, leaning, edited, places, offsets, out)
        return Rendered(out[: offsets[-1]].copy(), offsets, places, rows)
    words = chunk.words
    word_offsets = np.empty(len(words) + 1, np.int64)
    data = np.empty(len(words.data) + int(edits.offsets[-1]) + between, np.uint8)
    in_text = cuts.texts.data, cuts.starts, cuts.stops, chunk.ties
    replace_words(words.data, words.offsets, *in_text, edited, word_offsets, data)
    joined = join_rows(data[: word_offsets[-1]], word_offsets, cuts.rows, chunk.ties, edits.tokens)
    return Rendered(joined.data, joined.offsets, joined.places, rows)


def bytes_between(chunk: Chunk) -> int:
    """Return how many bytes of text there are between tied tokens."""
    tied = np.flatnonzero(chunk.ties & (GLUED | CONTINUES))
    cuts = chunk.cuts
    return int((cuts.starts[tied] - cuts.stops[tied - 1]).sum())
