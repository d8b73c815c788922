"""Which of two drops is larger, row by row: two presets on one model, or two models on the same rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from salva.pairs.codes import as_codes
from salva.pairs.drops import mean_drop
from salva.stats import Estimate, sign_flip


@dataclass(frozen=True, slots=True)
class Difference:
    """The drop of b minus the drop of a in points, over the same rows; above 0 means that b drops more."""

    n: int  # rows with a label and all answers
    n_out: int  # the others
    value: Estimate
    p: float | None
    p_holm: float | None  # set by `with_holm`


def compare(
    labels: ArrayLike,
    before_a: ArrayLike,
    after_a: ArrayLike,
    before_b: ArrayLike,
    after_b: ArrayLike,
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> Difference:
    """Return the difference of two drops over the rows that have a label and all answers, as codes.

    The test flips signs: if a and b did not differ, each row's difference of drops would be as likely to have
    the opposite sign. If the answers before are the same, differences are -1, 0 and 1: McNemar's exact test.

    >>> compare([1, 1, 1], [1, 1, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]).value.value
    66.66666666666667
    """
    columns = as_codes(labels=labels, before_a=before_a, after_a=after_a, before_b=before_b, after_b=after_b)
    table = np.stack(columns)
    whole = np.logical_and.reduce(table >= 0)
    table = table[:, whole]
    right = (table[1:] == table[0]).astype(np.int64)
    differences = (right[2] - right[3]) - (right[0] - right[1])
    counts = np.bincount(differences + 2, minlength=5)
    ones, twos = int(counts[1] + counts[3]), int(counts[0] + counts[4])
    n = int(counts.sum())
    return Difference(
        n=n,
        n_out=len(whole) - n,
        value=mean_drop([-2, -1, 0, 1, 2], counts, seed=seed, resamples=resamples),
        p=sign_flip(int(differences.sum()), ones=ones, twos=twos) if n else None,
        p_holm=None,
    )
