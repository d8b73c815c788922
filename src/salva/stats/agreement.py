"""Agreement of annotators who choose among categories: observed, and above chance.

All functions take counts, one unit per row and one category per column: how many annotators chose it. Units
with fewer than two answers say nothing about agreement and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Floats, Ints, Ints64
from salva.errors import UsageError
from salva.stats.bootstrap import bootstrap_rows
from salva.stats.rates import Estimate, wilson


def tally(annotators: Sequence[Sequence[Hashable | None]]) -> Ints64:
    """Return the counts of answers, given one sequence per annotator; None is a missing answer.

    There is one column per distinct answer, in order of first appearance.

    >>> tally([["a", "b", None], ["a", "a", "b"]])
    array([[2, 0],
           [1, 1],
           [0, 1]])
    """
    lengths = {len(answers) for answers in annotators}
    if len(lengths) > 1:
        raise UsageError(f"annotators have {sorted(lengths)!r} answers; give None for a missing one")
    seen = dict.fromkeys(answer for answers in annotators for answer in answers if answer is not None)
    columns = {answer: i for i, answer in enumerate(seen)}
    counts = np.zeros((max(lengths, default=0), len(columns)), dtype=np.int64)
    for answers in annotators:
        for unit, answer in enumerate(answers):
            if answer is not None:
                counts[unit, columns[answer]] += 1
    return counts


def pairwise_agreement(counts: ArrayLike) -> float | None:
    """Return how often two annotators of a unit agree, in percent, as the mean over units (Fleiss 1971).

    >>> pairwise_agreement([[2, 0], [1, 1]])
    50.0
    """
    return pairwise_interval(counts).value


def pairwise_interval(counts: ArrayLike) -> Estimate:
    """Return pairwise agreement with its interval: Wilson's over units, each of which counts as a share.

    With two annotators, it is the interval of the share of units on which they agree. A bootstrap of few
    units, or of units that all agree equally, would be too narrow.

    >>> pairwise_interval([[2, 0], [0, 2]]).low > 30
    True
    """
    paired, answers = _pairable(counts)
    shares = (paired * (paired - 1)).sum(axis=1) / (answers * (answers - 1))
    return wilson(float(shares.sum()), len(shares))


def above_guessing(agreement: float, q: int = 9) -> float:
    """Return an agreement in percent, rescaled so that guessing among `q` categories is 0 and perfect is 1.

    >>> above_guessing(100.0), above_guessing(0.0, q=2)
    (1.0, -1.0)
    """
    return (agreement / 100 - 1 / q) / (1 - 1 / q)


def free_marginal_kappa(counts: ArrayLike, q: int = 9) -> float | None:
    """Return the agreement above that of annotators who each draw one of `q` categories (Randolph 2005).

    >>> free_marginal_kappa([[3, 0], [3, 0]], q=2)
    1.0
    """
    if q < 2 or q < _used(counts):
        raise UsageError(f"q={q!r} is too small; the answers have {_used(counts)} categories")
    agreement = pairwise_agreement(counts)
    return None if agreement is None else above_guessing(agreement, q)


def krippendorff_alpha(counts: ArrayLike) -> float | None:
    """Return Krippendorff's alpha for nominal data; not every annotator needs to answer every unit.

    None if nothing could differ: no unit has two answers, or all answers are the same category.

    >>> krippendorff_alpha(tally([["a", "b", "a", "b"], ["a", "b", "a", None]]))
    1.0
    """
    paired, answers = _pairable(counts)
    n = float(answers.sum())
    totals = paired.sum(axis=0)
    expected = n * n - float((totals * totals).sum())
    if expected == 0:
        return None
    disagreeing = (answers * answers - (paired * paired).sum(axis=1)) / (answers - 1)
    return float(1 - (n - 1) * disagreeing.sum() / expected)


def alpha_interval(counts: ArrayLike) -> Estimate:
    """Return Krippendorff's alpha with a bootstrap over units; no interval if all resamples are equal.

    >>> alpha_interval([[2, 0], [0, 2]])
    Estimate(value=1.0, low=None, high=None)
    """
    table = np.asarray(counts)

    def statistic(rows: Ints) -> float:
        value = krippendorff_alpha(table[rows])
        return math.nan if value is None else value

    alpha = bootstrap_rows(len(table), statistic)
    return Estimate(alpha.value) if alpha.low == alpha.high else alpha


def _pairable(counts: ArrayLike) -> tuple[Floats, Floats]:
    """Return the units with two or more answers, and how many each has."""
    table = np.asarray(counts, dtype=np.float64)
    answers = table.sum(axis=-1)
    return table[answers >= 2], answers[answers >= 2]


def _used(counts: ArrayLike) -> int:
    return int(np.count_nonzero(np.asarray(counts).sum(axis=0)))
