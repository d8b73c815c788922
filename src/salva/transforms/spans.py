"""Labelled spans of a column: where they are in the twins, and how many of them the edits touched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import BadRowError
from salva.edits.alignment import Alignment
from salva.edits.projection import Projected, RowSpan, project
from salva.errors import UsageError
from salva.rows.columns import Place, dump_spans, load_spans, move_spans, read_places, span_places


class SpanCounts(NamedTuple):
    """How many spans there were, how many have edits, and of those: cut by an edit, or left without text."""

    spans: int = 0
    edited: int = 0
    partly_edited: int = 0
    lost: int = 0

    def plus(self, other: SpanCounts) -> SpanCounts:
        """Return the counts of both."""
        return SpanCounts(*(a + b for a, b in zip(self, other, strict=True)))


class MovedSpans(NamedTuple):
    """The spans of each row in its twin, and what became of all of them."""

    rows: list[Any]
    counts: SpanCounts


def project_rows(rows: Sequence[Any], after: Sequence[str | None], alignment: Alignment) -> MovedSpans:
    """Return spans, which were checked, in the twins; a row whose spans stay keeps the very same list.

    A span that has no text left in the twin is left out.
    """
    places = [span_places(values) for values in rows]
    sizes = [len(own) for own in places]
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(places)), np.int64).reshape(-1, 2)
    row = np.repeat(np.arange(len(rows)), sizes)
    found = project(RowSpan(row, flat[:, 0], flat[:, 1]), alignment)
    moved = list(rows)
    ends = np.cumsum([0, *sizes]).tolist()
    changed = (found.start != flat[:, 0]) | (found.end != flat[:, 1]) | found.edited
    for number in np.unique(row[changed]).tolist():
        own = slice(ends[number], ends[number + 1])
        moved[number] = move_spans(rows[number], _new_places(found, own), after[number] or "")
    return MovedSpans(moved, count_spans(found))


def project_column(column: pa.Array, after: pa.Array, alignment: Alignment) -> tuple[pa.Array, SpanCounts]:
    """Return a column of spans, in its own type, as it is for the twins of the texts."""
    values = load_spans(column)
    rows, counts = project_rows(values, after.to_pylist(), alignment)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        cells = zip(column.to_pylist(), values, rows, strict=True)
        rows = [cell if new is old else dump_spans(new) for cell, old, new in cells]
    return pa.array(rows, column.type), counts


def count_spans(found: Projected) -> SpanCounts:
    """Return what became of spans."""
    flags = (found.edited, found.partly & ~found.lost, found.lost)
    return SpanCounts(len(found.start), *(int(flag.sum()) for flag in flags))


def check_rows(rows: Sequence[Any], texts: Sequence[str | None]) -> None:
    """Refuse spans that are not spans of their texts."""
    if len(rows) != len(texts):
        raise UsageError(f"there are spans for {len(rows)} texts, not {len(texts)}; give a list per text")
    for number, (values, text) in enumerate(zip(rows, texts, strict=True)):
        try:
            read_places(values, text or "")
        except ValueError as error:
            raise BadRowError(number, str(error)) from None


def _new_places(found: Projected, own: slice) -> list[Place | None]:
    places = zip(found.start[own].tolist(), found.end[own].tolist(), strict=True)
    return [Place(start, end) if start < end else None for start, end in places]
