"""Items that were asked about in several ways: the worst case, the spread, and how consistent answers are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

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


class Measured(NamedTuple):
    """A number of single items, from 0 to 1, and the items that have it."""

    values: Floats
    among: Bools


class Items:
    """Items asked in several ways, given as codes of one line per way: which of them count, and numbers."""

    def __init__(
        self,
        label: Ints64,
        codes: Ints64,
        asked: Bools,
        *,
        scores: Sequence[Floats | None] | None = None,
        clusters: ArrayLike | None = None,
    ) -> None:
        self.label, self.codes, self.asked = label, codes, asked
        self.several = asked.sum(axis=0) > 1
        self.whole = self.several & ((codes >= 0) | ~asked).all(axis=0)
        self.known = self.whole & (label >= 0)
        graded = [one for one in scores or () if one is not None]
        self._right = (codes == label).astype(np.float64)
        self._scores = np.nan_to_num(np.stack(graded)) if len(graded) == len(codes) else self._right
        groups = as_clusters(clusters, len(label))
        self._groups = np.arange(len(label)) if groups is None else groups

    def score(self) -> VariantScore:
        """Return the numbers over all items."""
        accuracies = self._accuracies()
        measured = [value for value in accuracies if value is not None]
        return VariantScore(
            n=int(self.known.sum()),
            n_unlabelled=int((self.whole & ~self.known).sum()),
            n_out=int((self.several & ~self.whole).sum()),
            accuracies=tuple(accuracies),
            spread=max(measured) - min(measured) if measured else None,
            **{name: self.mean(one) for name, one in self.measure().items()},
        )

    def measure(self) -> dict[str, Measured]:
        """Return the numbers of single items whose means are those of a `VariantScore`, by name."""
        times = np.maximum(self.asked.sum(axis=0), 1)
        return {
            "mean": Measured((self._right * self.asked).sum(axis=0) / times, self.known),
            "worst_case": Measured(np.where(self.asked, self._right, 1.0).min(axis=0), self.known),
            "consistency_rate": Measured(self._over_pairs(self.codes, np.equal), self.whole),
            "prompt_sensitivity": Measured(
                self._over_pairs(self._scores, lambda a, b: np.abs(a - b)), self.known
            ),
        }

    def mean(self, measured: Measured, **scale: Any) -> Estimate:
        """Return the mean over items in percent, with its interval; `scale` is as in `clustered_mean`."""
        groups, some = self._groups[measured.among], measured.values[measured.among]
        sizes = np.bincount(groups)
        sums = np.bincount(groups, some, len(sizes))
        return clustered_mean(sums[sizes > 0], sizes[sizes > 0], **scale)

    def _accuracies(self) -> list[float | None]:
        """Return the share of right answers in each way."""
        among = self.asked & self.known
        return [
            100 * float(one[some].mean()) if some.any() else None
            for one, some in zip(self._right, among, strict=True)
        ]

    def _over_pairs(self, table: Any, compare: Callable[[Any, Any], Any]) -> Floats:
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
    masks = as_masks(asked, len(columns), len(label))
    codes = np.stack(columns).astype(np.int64)
    return Items(label.astype(np.int64), codes, masks, scores=scores, clusters=clusters).score()


def as_masks(asked: Sequence[Bools | None] | None, ways: int, rows: int) -> Bools:
    """Return which items are asked in each way, one line per way; None means all."""
    return np.stack([np.ones(rows, np.bool_) if one is None else one for one in asked or [None] * ways])
