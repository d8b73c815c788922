"""Several models on the same rows: their scores, every difference of two drops, and which rows they lose.

Everything is computed over the rows that have a label and all answers of all models, so that the difference
of two drops is the drop of one model less that of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Bools
from salva.pairs.codes import as_clusters, as_codes
from salva.pairs.score import Difference, PairScore, compare, score


@dataclass(frozen=True, slots=True)
class SeveralScores:
    """What was found about several models; `lost` has one line per model and one column per row.

    `differences` are those of every two models, in the order of `itertools.combinations`. A row is lost if it
    is right before and wrong after.
    """

    n: int  # rows with a label and all answers
    n_out: int  # the others
    scores: tuple[PairScore, ...]
    differences: tuple[Difference, ...]
    lost: Bools

    def lost_alone(self, model: int) -> Bools:
        """Return which rows only this model loses."""
        alone: Bools = self.lost[model] & (self.lost.sum(axis=0) == 1)
        return alone

    def lost_by_all(self) -> Bools:
        """Return which rows all models lose."""
        by_all: Bools = np.logical_and.reduce(self.lost)
        return by_all


def score_several(
    labels: ArrayLike,
    befores: Sequence[ArrayLike],
    afters: Sequence[ArrayLike],
    *,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 10_000,
) -> SeveralScores:
    """Return the numbers of several models, given the answers of each before and after, as codes.

    Rows with the same number in `clusters` are not independent; by default, all rows are.

    >>> found = score_several([1, 1, 1], [[1, 1, 1], [1, 1, 0]], [[0, 0, 1], [0, 1, 1]])
    >>> [one.drop.value for one in found.scores], found.lost_alone(0).tolist()
    ([66.66666666666667, 0.0], [False, True, False])
    """
    sides = {
        f"{side} {k}": codes
        for side, some in (("before", befores), ("after", afters))
        for k, codes in enumerate(some)
    }
    table = np.stack(as_codes(labels=labels, **sides))
    whole = np.logical_and.reduce(table >= 0)
    rows = table[:, whole]
    label, before, after = rows[0], rows[1 : len(befores) + 1], rows[len(befores) + 1 :]
    grouped = as_clusters(clusters, len(whole))
    draws: dict[str, Any] = {"seed": seed, "resamples": resamples}
    draws["clusters"] = None if grouped is None else grouped[whole]
    lost = np.zeros((len(befores), len(whole)), np.bool_)
    lost[:, whole] = (before == label) & (after != label)
    return SeveralScores(
        n=rows.shape[1],
        n_out=len(whole) - rows.shape[1],
        scores=tuple(score(label, *pair, **draws) for pair in zip(before, after, strict=True)),
        differences=tuple(
            compare(label, before[a], after[a], before[b], after[b], **draws)
            for a, b in combinations(range(len(befores)), 2)
        ),
        lost=lost,
    )
