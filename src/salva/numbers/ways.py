"""Items that are asked about in several ways: the worst case, the spread, and how consistent answers are.

Labels, answers and clusters are codes as for `score`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._types import Bools, Floats, Ints, Ints64
from salva.numbers.intervals import DROP_CLUSTERS, Estimate, clustered_mean, sum_clusters
from salva.numbers.pair_scores import as_clusters, as_codes

SPREAD = "spread"


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


@dataclass(frozen=True, slots=True)
class VariantDifference:
    """A number of a `VariantScore`: that of model `b` minus that of model `a` in points, over `n` items.

    Models are given by their places. The spread has no interval, and so has its difference.
    """

    number: str
    a: int
    b: int
    n: int
    value: Estimate


@dataclass(frozen=True, slots=True)
class SeveralVariants:
    """The numbers of every model, and the differences of every two."""

    scores: tuple[VariantScore, ...]
    differences: tuple[VariantDifference, ...]


def score_variants(
    labels: ArrayLike,
    answers: Sequence[ArrayLike],
    *,
    asked: Sequence[Bools | None] | None = None,
    scores: Sequence[Floats | None] | None = None,
    clusters: ArrayLike | None = None,
) -> VariantScore:
    """Return the numbers over all ways in which items were asked: one column of answers per way.

    `asked` says which items are asked in each way, by default all. Sensitivity is that of `scores` from 0
    to 1 if there are any, otherwise of right and wrong.

    >>> found = score_variants([0, 0], [[0, 0], [0, 1], [0, 0]])
    >>> found.worst_case.value, found.spread, round(found.consistency_rate.value, 1)
    (50.0, 50.0, 66.7)
    """
    graded = None if scores is None else [scores]
    return score_several_variants(labels, [answers], asked=asked, scores=graded, clusters=clusters).scores[0]


def score_several_variants(
    labels: ArrayLike,
    answers: Sequence[Sequence[ArrayLike]],
    *,
    asked: Sequence[Bools | None] | None = None,
    scores: Sequence[Sequence[Floats | None]] | None = None,
    clusters: ArrayLike | None = None,
) -> SeveralVariants:
    """Return the numbers of several models, given the answers of each in every way.

    Everything is computed over the items that all models answered in all their ways, so that a difference is
    the number of one model less that of the other. The other arguments are as for `score_variants`; `scores`
    has one sequence per model.

    >>> found = score_several_variants([0, 0], [[[0, 0], [0, 1]], [[0, 0], [0, 0]]])
    >>> [(one.number, one.value.value) for one in found.differences][:2]
    [('spread', -50.0), ('mean', 25.0)]
    """
    named = {f"answers {k}, {way}": codes for k, own in enumerate(answers) for way, codes in enumerate(own)}
    label, *columns = as_codes(labels=labels, **named)
    ways, rows = len(answers[0]), len(label)
    table = np.stack(columns).reshape(len(answers), ways, rows)
    masks = np.stack([np.ones(rows, np.bool_) if one is None else one for one in asked or [None] * ways])
    whole = ((table >= 0) | ~masks).all(axis=(0, 1))
    grouped = as_clusters(clusters, rows)
    groups = np.arange(rows) if grouped is None else grouped
    models = [
        _Items(label, np.where(whole, codes, -1), masks, None if scores is None else scores[k], groups)
        for k, codes in enumerate(table)
    ]
    found = tuple(model.score() for model in models)
    return SeveralVariants(found, tuple(_subtract(models, found)))


_MEASURED = ("mean", "worst_case", "consistency_rate", "prompt_sensitivity")


class _Measured(NamedTuple):
    """A number of single items, from 0 to 1, and the items that have it."""

    values: Floats
    among: Bools


class _Items:
    """The items of one model, with one line of codes per way: which of them count, and their numbers."""

    def __init__(
        self,
        label: Ints,
        codes: Ints,
        asked: Bools,
        scores: Sequence[Floats | None] | None,
        groups: Ints64,
    ) -> None:
        self._codes, self._asked, self._groups = codes, asked, groups
        self._several = asked.sum(axis=0) > 1
        self._whole = self._several & ((codes >= 0) | ~asked).all(axis=0)
        self._known = self._whole & (label >= 0)
        self._right: Bools = codes == label
        graded = [one for one in scores or () if one is not None]
        self._scores = np.nan_to_num(np.stack(graded)) if len(graded) == len(codes) else self._right

    def score(self) -> VariantScore:
        """Return the numbers over all items."""
        among = self._asked & self._known
        accuracies = [
            100 * int((one & some).sum()) / int(some.sum()) if some.any() else None
            for one, some in zip(self._right, among, strict=True)
        ]
        known = [value for value in accuracies if value is not None]
        return VariantScore(
            n=int(self._known.sum()),
            n_unlabelled=int((self._whole & ~self._known).sum()),
            n_out=int((self._several & ~self._whole).sum()),
            accuracies=tuple(accuracies),
            spread=max(known) - min(known) if known else None,
            **{name: self.mean(self.measure(name)) for name in _MEASURED},
        )

    def measure(self, name: str) -> _Measured:
        """Return the numbers of single items whose mean is a number of a `VariantScore`."""
        if name == "mean":
            times = np.maximum(self._asked.sum(axis=0), 1)
            means: Floats = (self._right & self._asked).sum(axis=0) / times
            return _Measured(means, self._known)
        if name == "worst_case":
            always = np.array((self._right | ~self._asked).all(axis=0), np.float64)
            return _Measured(always, self._known)
        if name == "consistency_rate":
            return _Measured(self._over_pairs(self._codes, np.equal), self._whole)
        return _Measured(self._over_pairs(self._scores, _apart), self._known)

    def mean(self, measured: _Measured, **scale: Any) -> Estimate:
        """Return the mean over items in percent, with its interval; `scale` is as in `clustered_mean`."""
        among = measured.among
        return clustered_mean(*sum_clusters(self._groups[among], measured.values[among]), **scale)

    def _over_pairs(self, table: Any, compare: Callable[[Any, Any], Any]) -> Floats:
        """Return the mean over all pairs of ways in which an item is asked."""
        total, times = np.zeros((2, len(self._known)))
        for a, b in combinations(range(len(self._codes)), 2):
            both = self._asked[a] & self._asked[b]
            total += np.where(both, compare(table[a], table[b]), 0.0)
            times += both
        mean: Floats = total / np.maximum(times, 1)
        return mean


def _apart(a: Any, b: Any) -> Any:
    """Return how far scores are apart: for right and wrong, 1 or 0."""
    return a != b if a.dtype == np.bool_ else np.abs(a - b)


def _subtract(models: Sequence[_Items], scores: Sequence[VariantScore]) -> Iterator[VariantDifference]:
    for a, b in combinations(range(len(models)), 2):
        first, second = scores[a].spread, scores[b].spread
        apart = None if first is None or second is None else second - first
        yield VariantDifference(SPREAD, a, b, scores[a].n, Estimate(apart))
        for name in _MEASURED:
            one = models[a].measure(name)
            less = _Measured(models[b].measure(name).values - one.values, one.among)
            value = models[a].mean(less, least=-1, extra=DROP_CLUSTERS)
            yield VariantDifference(name, a, b, int(one.among.sum()), value)
