"""Spans of texts in their twins: where they are after the edits, and which of them an edit cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._types import Bools, Ints64
from salva.edits.alignment import Alignment


class RowSpan(NamedTuple):
    """Spans in code points, with the row of each; in any order."""

    row: Ints64
    start: Ints64
    end: Ints64


class Projected(NamedTuple):
    """Where spans are in the twins, in code points, and what became of them.

    `edited`: something in the span changed. `partly`: the span began or ended inside a stretch that changed,
    and now has all of it. `lost`: nothing of the span is left.
    """

    start: Ints64
    end: Ints64
    edited: Bools
    partly: Bools

    @property
    def lost(self) -> Bools:
        """Which spans have no character in the twin."""
        empty: Bools = self.start == self.end
        return empty


def project(spans: RowSpan, alignment: Alignment) -> Projected:
    """Return where spans are in the twins: around everything that their characters became.

    A character that is the same in the twin became itself; one of a stretch that changed became all of the
    new stretch, because a replacement cannot be split. What was inserted at an end of a span is outside.
    """
    if not len(alignment.row):
        nothing = np.zeros(len(spans.row), np.bool_)
        return Projected(spans.start, spans.end, nothing, nothing)
    # Positions of all rows on one line, so that one search finds them all.
    width = 1 + max(int(places.max(initial=0)) for places in (*spans[1:], alignment.start, alignment.end))
    lines = RowSpan(spans.row, spans.row * width + spans.start, spans.row * width + spans.end)
    starts, ends = (alignment.row * width + places for places in (alignment.start, alignment.end))
    shift = np.concatenate([[0], alignment.new_end - alignment.end])
    row = np.concatenate([[-1], alignment.row, [-1]])

    first = np.searchsorted(ends, lines.start, side="right")  # the first stretch that ends behind the start
    last = np.searchsorted(starts, lines.end, side="left") - 1  # the last that begins before the end
    edited = first <= last
    begins_in = edited & (starts[np.minimum(first, len(starts) - 1)] <= lines.start)
    ends_in = edited & (ends[last] >= lines.end)
    start = spans.start + np.where(row[first] == spans.row, shift[first], 0)
    end = spans.end + np.where(row[last + 1] == spans.row, shift[last + 1], 0)
    new_start = np.where(begins_in, alignment.new_start[np.minimum(first, len(starts) - 1)], start)
    new_end = np.where(ends_in, alignment.new_end[last], end)
    partly = begins_in & (starts[np.minimum(first, len(starts) - 1)] < lines.start)
    partly |= ends_in & (ends[last] > lines.end)
    return Projected(new_start, new_end, edited, partly)
