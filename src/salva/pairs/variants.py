"""Items that were asked about in several ways: the worst case, the spread, and how consistent answers are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._types import Bools, Floats, Ints64
from salva.pairs.codes import as_clusters, as_codes
from salva.stats import Estimate, clustered_mean


@brief
@dataclass(frozen=True, slots=True)
class VariantScore:
    """Answers to items in several ways, the clean one first; in percent, the spread in points.

    An item counts if it is asked in two ways or more and has an answer in all of them: `n` items with a
    label, and `n_unlabelled` for consistency alone. `n_out` others lack an answer, or have an unparsed one.
    """

    n: int
    n_unlabelled: int
    n_out: int
    accuracies: tuple[float | None, ...]  # one per way, over the items that are asked so
    mean: Estimate  # of the accuracies
    spread: float | None  # the highest accuracy minus the lowest
    worst_case: Estimate  # items that are right in every way
    consistency_rate: Estimate  # equal answers among all pairs of ways
    prompt_sensitivity: Estimate  # how much the scores of two ways differ


class _Items:
    """The items that count, and means over them."""

    def __init__(self, label: Ints64, codes: Ints64, asked: Bools, clusters: ArrayLike | None) -> None:
        self.label, self.codes, self.asked = label, codes, asked
        self.several = asked.sum(axis=0) > 1
        self.whole = self.several & ((codes >= 0) | ~asked).all(axis=0)
        self.known = self.whole & (label >= 0)
        groups = as_clusters(clusters, len(label))
        self._groups = np.arange(len(label)) if groups is None else groups

    def accuracies(self) -> list[float | None]:
        """Return the share of right answers in each way."""
        right = self.codes == self.label
        among = self.asked & self.known
        return [
            100 * float(one[some].mean()) if some.any() else None
            for one, some in zip(right, among, strict=True)
        ]

    def mean(self, values: Floats, among: Bools) -> Estimate:
        """Return the mean of some items in percent, with its interval."""
        groups, some = self._groups[among], values[among]
        sizes = np.bincount(groups)
        sums = np.bincount(groups, some, len(sizes))
        return clustered_mean(sums[sizes > 0], sizes[sizes > 0])

    def over_pairs(self, table: Any, compare: Callable[[Any, Any], Any]) -> Floats:
        """Return the mean over all pairs of ways in which an item is asked."""
        total, times = np.zeros(len(self.label)), np.zeros(len(self.label))
        for a, b in combinations(range(len(self.codes)), 2):
            both = self.asked[a] & self.asked[b]
            total += np.where(both, compare(table[a], table[b]), 0.0)
            times += both
        mean: Floats = total / np.maximum(times, 1)
        return mean


def score_variants(
    labels: ArrayLike,
    answers: Sequence[ArrayLike],
    *,
    asked: Sequence[Bools | None] | None = None,
    scores: Sequence[Floats | None] | None = None,
    clusters: ArrayLike | None = None,
) -> VariantScore:
    """Return the numbers over all ways in which items were asked, given as codes: below 0 means none.

    `asked` says which items are asked in each way, by default all. Sensitivity is that of `scores` from 0
    to 1 if there are any, otherwise of right and wrong. Items with the same number in `clusters` are not
    independent.

    >>> found = score_variants([0, 0], [[0, 0], [0, 1], [0, 0]])
    >>> found.worst_case.value, found.spread, round(found.consistency_rate.value, 1)
    (50.0, 50.0, 66.7)
    """
    named = {f"answers {number}": column for number, column in enumerate(answers)}
    label, *columns = as_codes(labels=labels, **named)
    masks = [np.ones(len(label), np.bool_) if one is None else one for one in asked or [None] * len(columns)]
    items = _Items(label.astype(np.int64), np.stack(columns).astype(np.int64), np.stack(masks), clusters)
    right = (items.codes == items.label).astype(np.float64)
    graded = [one for one in scores or () if one is not None]
    table = np.nan_to_num(np.stack(graded)) if len(graded) == len(columns) else right
    measured = [value for value in items.accuracies() if value is not None]
    times = np.maximum(items.asked.sum(axis=0), 1)
    return VariantScore(
        n=int(items.known.sum()),
        n_unlabelled=int((items.whole & ~items.known).sum()),
        n_out=int((items.several & ~items.whole).sum()),
        accuracies=tuple(items.accuracies()),
        mean=items.mean((right * items.asked).sum(axis=0) / times, items.known),
        spread=max(measured) - min(measured) if measured else None,
        worst_case=items.mean(np.where(items.asked, right, 1.0).min(axis=0), items.known),
        consistency_rate=items.mean(items.over_pairs(items.codes, np.equal), items.whole),
        prompt_sensitivity=items.mean(items.over_pairs(table, lambda a, b: np.abs(a - b)), items.known),
    )
