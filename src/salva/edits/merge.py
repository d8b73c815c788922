"""Edits of several plans of the same rows as one: those that clash with an earlier plan are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from salva._arrow import Strings
from salva._kernels import EditPlaces, find_free
from salva._types import Bools, Ints64
from salva.edits.chunk import Edits, Tally, count_parts
from salva.text.words import load_characters


def leave_alone(texts: Strings, edits: Edits, plans: Iterable[Edits]) -> Edits:
    """Return the edits that share no word with those of other plans; as many words as before are eligible."""
    for taken in plans:
        free = np.empty(len(edits.starts), np.bool_)
        find_free(load_characters(), texts.data, texts.offsets, _places(edits), _places(taken), free)
        edits = keep_edits(edits, free)
    return edits


def keep_edits(edits: Edits, kept: Bools) -> Edits:
    """Return the edits that are kept; as many words as before are eligible."""
    chosen = np.flatnonzero(kept)
    return _take(edits, chosen, np.searchsorted(chosen, edits.rows))


def merge_edits(plans: Sequence[Edits]) -> Edits:
    """Return the edits of all plans, in the order of the text.

    A word that two plans could have edited counts as two eligible words, but as one word.
    """
    rows = np.concatenate([np.repeat(np.arange(len(own.rows) - 1), np.diff(own.rows)) for own in plans])
    begins = np.cumsum([0, *(len(own.new) for own in plans)])
    joined = Edits(
        tokens=np.concatenate([own.tokens for own in plans]),
        starts=np.concatenate([own.starts for own in plans]),
        stops=np.concatenate([own.stops for own in plans]),
        rules=np.concatenate([own.rules for own in plans]),
        offsets=np.concatenate([[0], *(own.offsets[1:] + begins[k] for k, own in enumerate(plans))]),
        new=np.concatenate([own.new for own in plans]),
        tally=_add_tallies([own.tally for own in plans]),
        rows=plans[0].rows,
        parts=np.concatenate([own.parts for own in plans]),
    )
    order = np.lexsort((joined.stops, joined.starts, rows))
    return _take(joined, order, np.searchsorted(rows[order], np.arange(len(plans[0].rows))))


def _places(edits: Edits) -> EditPlaces:
    return EditPlaces(edits.rows, edits.starts, edits.stops)


def _add_tallies(tallies: Sequence[Tally]) -> Tally:
    """Return the sums; words are those of the plan that knows most, since all plans see the same."""
    total = Tally(*(np.sum(counts, axis=0) for counts in zip(*tallies, strict=True)))
    total.parts[:, 0] = np.max([own.parts[:, 0] for own in tallies], axis=0)
    return total


def _take(edits: Edits, chosen: Ints64, rows: Ints64) -> Edits:
    """Return chosen edits in this order; `rows` says which of them are in which row."""
    sizes = np.diff(edits.offsets)[chosen]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    moves = edits.offsets[chosen] - offsets[:-1]
    new = edits.new[np.arange(offsets[-1]) + np.repeat(moves, sizes)]
    counts = edits.tally.parts.copy()
    counts[:, 2] = count_parts(edits.parts[chosen])
    return edits._replace(
        tokens=edits.tokens[chosen],
        starts=edits.starts[chosen],
        stops=edits.stops[chosen],
        rules=edits.rules[chosen],
        offsets=offsets,
        new=new,
        tally=edits.tally._replace(parts=counts),
        rows=rows,
        parts=edits.parts[chosen],
    )
