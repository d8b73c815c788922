"""Spans of twins as spans of their original texts: the way back, for what models find in twins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from salva.edits.alignment import Alignment
from salva.edits.projection import RowSpan, project
from salva.rows.columns import Entity

PART = "part"  # ends a span that no span of the original becomes


def align_rows(alignment: Alignment, rows: int) -> list[Alignment]:
    """Return the alignment of each row on its own."""
    bounds = np.searchsorted(alignment.row, np.arange(rows + 1)).tolist()
    parts = [Alignment(*(column[first:last] for column in alignment)) for first, last in pairwise(bounds)]
    return [part._replace(row=np.zeros_like(part.row)) for part in parts]


def move_back(
    alignment: Alignment, targets: Sequence[Entity], spans: Sequence[Entity]
) -> list[tuple[object, ...]]:
    """Return spans of a twin as spans of its original; one that no span there becomes is marked as a part.

    A span that a target becomes is this target. A target of which nothing is left in the twin counts as
    found, because nobody could find it.
    """
    wanted = project(_places(targets), alignment)
    by_place: dict[tuple[int, int, str], list[Entity]] = {}
    for target, start, end in zip(targets, wanted.start.tolist(), wanted.end.tolist(), strict=True):
        by_place.setdefault((start, end, target.label), []).append(target)
    moved: list[tuple[object, ...]] = [one for one, lost in zip(targets, wanted.lost, strict=True) if lost]
    moved += [target for span in spans for target in by_place.get(span, ())]
    others = [span for span in spans if span not in by_place]
    back = project(_places(others), alignment.reversed())
    again = project(RowSpan(np.zeros(len(others), np.int64), back.start, back.end), alignment)
    places = zip(*(ends.tolist() for ends in (back.start, back.end, again.start, again.end)), strict=True)
    for span, (start, end, first, last) in zip(others, places, strict=True):
        is_whole = start < end and (first, last) == span[:2]
        moved.append((start, end, span.label) if is_whole else (start, end, span.label, PART))
    return moved


def _places(spans: Sequence[Entity]) -> RowSpan:
    starts, ends = np.array([span[:2] for span in spans], np.int64).reshape(-1, 2).T
    return RowSpan(np.zeros(len(spans), np.int64), starts, ends)
