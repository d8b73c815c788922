"""One contrast per text: which of the possible edits of a row are made, the same at every severity.

Severity decides which rows get their edit. Edits with the same unit in a row, such as all mentions of one
name, are made together.
"""

from __future__ import annotations

import numpy as np

from salva._kernels import fill_draws, threshold
from salva._kernels.constants import CONTRAST_KEEP, CONTRAST_RANK
from salva._types import Bools, Ints64, Uints64
from salva.edits.chunk import Chunk, Edits
from salva.edits.merge import keep_edits

_S11 = np.uint64(11)


def choose_edits(chunk: Chunk, edits: Edits, units: Ints64, *, severity: float, most: int) -> Edits:
    """Return the edits of `most` units in every row that the severity keeps."""
    rows = np.repeat(np.arange(len(edits.rows) - 1), np.diff(edits.rows))
    kept = _keeps_rows(chunk, severity)[rows] & _are_first(chunk, edits, rows, units, most)
    return keep_edits(edits, kept)


def _keeps_rows(chunk: Chunk, severity: float) -> Bools:
    draws = _draw(chunk.keys, np.zeros(len(chunk.keys), np.int64), CONTRAST_KEEP)
    kept: Bools = (draws >> _S11) < threshold(severity)
    return kept


def _are_first(chunk: Chunk, edits: Edits, rows: Ints64, units: Ints64, most: int) -> Bools:
    """Return which edits belong to the `most` units of their rows with the lowest draws."""
    _, leaders, unit_of = np.unique((rows << 32) + units, return_index=True, return_inverse=True)
    own = rows[leaders]
    places = edits.tokens[leaders] - chunk.cuts.rows[own]
    draws = _draw(chunk.keys[own], places, CONTRAST_RANK)
    order = np.lexsort((places, draws, own))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.searchsorted(own[order], own[order])
    chosen: Bools = (ranks < most)[unit_of.ravel()]
    return chosen


def _draw(keys: Uints64, places: Ints64, stage: int) -> Uints64:
    out = np.empty(len(places), np.uint64)
    fill_draws(keys, places, stage, out)
    return out
