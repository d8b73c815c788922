"""In which stretches a text and its twin differ; all other characters are the same.

After a splice, they are the edits. A render that rebuilds the text also changes what is between tokens, so
the text is rendered once more, and every token is followed to where it comes out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from salva._arrow import Strings
from salva._kernels import (
    Differences,
    PlannedEdits,
    RowTexts,
    code_points,
    find_differences,
    join_by_blanks,
    replace_words,
    trim,
)
from salva._kernels.constants import CONTINUES
from salva._types import Bytes, Ints64
from salva.edits.chunk import Chunk, Edits
from salva.edits.render import Render, Rendered, bytes_between
from salva.text.detokenize import join_rows
from salva.text.words import load_characters


class Alignment(NamedTuple):
    """The stretches that differ, in code points: the row, and where they are in the text and in its twin.

    They are in order and do not overlap. Marks that stay at the ends of a changed word are not part of it:
    in "Paris," → "Pariss,", the comma is the same. One that is empty in the text was inserted, one that is
    empty in the twin was left out.
    """

    row: Ints64
    start: Ints64
    end: Ints64
    new_start: Ints64
    new_end: Ints64

    @classmethod
    def joined(cls, parts: Iterable[Alignment], rows: Iterable[int]) -> Alignment:
        """Return the alignment of the rows of all parts, each of which has so many rows."""
        placed = [cls(*np.empty((5, 0), np.int64))]
        first = 0
        for part, count in zip(parts, rows, strict=True):
            placed.append(part._replace(row=part.row + first))
            first += count
        return cls(*map(np.concatenate, zip(*placed, strict=True)))

    def reversed(self) -> Alignment:
        """Return the alignment of the twins with their texts."""
        return Alignment(self.row, self.new_start, self.new_end, self.start, self.end)


def align(chunk: Chunk, edits: Edits, how: Render, rendered: Rendered, *, leaning: bool = False) -> Alignment:
    """Return where the texts of a chunk differ from what a render that is not a splice made of them."""
    before = chunk.cuts.texts
    after = Strings.of(rendered.data, rendered.offsets)
    places = _token_places(chunk, edits, how, leaning=leaning)
    most = 2 * len(chunk.cuts.starts) + len(before)
    rows, (old, new) = np.empty(len(before) + 1, np.int64), np.empty((2, 2 * most), np.int64)
    count = find_differences(
        RowTexts(before.data, before.offsets),
        RowTexts(after.data, after.offsets),
        chunk.cuts.rows,
        chunk.cuts.starts,
        chunk.cuts.stops,
        places,
        Differences(rows, old, new),
    )
    return _in_code_points(before, after, rows, old[: 2 * count], new[: 2 * count])


def align_splices(before: Strings, after: Strings, rows: Ints64, old: Ints64, new: Ints64) -> Alignment:
    """Return where texts differ from their spliced twins, given where the edits begin and end in both."""
    return _in_code_points(before, after, rows, old.copy(), new.copy())


def _token_places(chunk: Chunk, edits: Edits, how: Render, *, leaning: bool) -> Ints64:
    """Return where every token begins and ends in the rendered texts."""
    cuts, ties = chunk.cuts, chunk.ties
    all_tokens = np.arange(len(cuts.starts))
    if how == "treebank":
        data, offsets = _written(chunk, edits, ties)
        places = join_rows(data, offsets, cuts.rows, ties, all_tokens).places
        # A token that continues the one before is written with the text between the two.
        behind = np.setdiff1d(np.flatnonzero(ties & CONTINUES), edits.tokens)
        places[2 * behind] += cuts.starts[behind] - cuts.stops[behind - 1]
        return places
    data, offsets = _written(chunk, edits, np.zeros_like(ties))
    edited = PlannedEdits(cuts.rows, all_tokens, offsets, data)
    places = np.empty(2 * len(all_tokens), np.int64)
    out = np.empty(len(data) + len(all_tokens) + bytes_between(chunk), np.uint8)
    spans = cuts.rows, cuts.starts, cuts.stops, cuts.written, ties
    join_by_blanks(cuts.texts.data, *spans, leaning, edited, places, np.empty_like(cuts.rows), out)
    return places


def _written(chunk: Chunk, edits: Edits, ties: Bytes) -> tuple[Bytes, Ints64]:
    """Return all tokens as they are written, end to end."""
    cuts, words = chunk.cuts, chunk.words
    edited = PlannedEdits(edits.rows, edits.tokens, edits.offsets, edits.new)
    offsets = np.empty(len(words) + 1, np.int64)
    data = np.empty(len(words.data) + int(edits.offsets[-1]) + bytes_between(chunk), np.uint8)
    in_text = cuts.texts.data, cuts.starts, cuts.stops, ties
    replace_words(words.data, words.offsets, *in_text, edited, offsets, data)
    return data[: offsets[-1]], offsets


def _in_code_points(before: Strings, after: Strings, rows: Ints64, old: Ints64, new: Ints64) -> Alignment:
    both = RowTexts(before.data, before.offsets), RowTexts(after.data, after.offsets)
    trim(load_characters(), *both, Differences(rows, old, new))
    ends, columns = 2 * rows, []
    for texts, places in ((before, old), (after, new)):
        points = np.empty(len(places), np.int64)
        code_points(texts.data, texts.offsets, ends, places, points)
        columns += [points[::2], points[1::2]]
    return Alignment(np.repeat(np.arange(len(before)), np.diff(rows)), *columns)
