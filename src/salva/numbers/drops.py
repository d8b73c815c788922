"""Scores of several answers per item: curves over severities, differences of drops, several ways to ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._types import Bools, Floats, Ints, Ints64
from salva.numbers.intervals import (
    DROP_CLUSTERS,
    Estimate,
    clustered_mean,
    mean_drop,
    newcombe,
    sign_flip,
    sign_flip_clusters,
    sum_clusters,
)
from salva.numbers.pair_scores import PairScore, as_clusters, as_codes, score


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The drop in points at a severity."""

    severity: float
    drop: Estimate


@dataclass(frozen=True, slots=True)
class Curve:
    """Drops by ascending severity, and the severity at which each level is first reached, or None."""

    points: tuple[CurvePoint, ...]
    reached: dict[str, float | None]


def curve(
    labels: ArrayLike,
    before: ArrayLike,
    afters: Mapping[float, Sequence[ArrayLike]],
    *,
    clusters: ArrayLike | None = None,
    levels: Sequence[float] = (1, 5, 10),
    seed: int = 0,
    resamples: int = 10_000,
) -> Curve:
    """Return the curve of the drops at severities, each with one array of answers per replicate.

    A row's drop is the mean over its replicates that have an answer. Rows are resampled, not replicates:
    replicates of a row are not independent. A row without any answer is left out.

    >>> curve([1, 1], [1, 1], {0.5: [[1, 0]]}, levels=[10]).reached
    {'10': 0.1}
    """
    draws: dict[str, Any] = {"clusters": clusters, "seed": seed, "resamples": resamples}
    points = tuple(
        CurvePoint(float(severity), _mean_over_replicates(labels, before, afters[severity], **draws))
        for severity in sorted(afters)
    )
    return Curve(points, {f"{level:g}": _reached(points, level) for level in levels})


def _mean_over_replicates(
    labels: ArrayLike,
    before: ArrayLike,
    replicates: Sequence[ArrayLike],
    *,
    clusters: ArrayLike | None,
    seed: int,
    resamples: int,
) -> Estimate:
    named = {f"replicate {number}": after for number, after in enumerate(replicates)}
    label, first, *rest = as_codes(labels=labels, before=before, **named)
    after = np.array(rest, dtype=np.int64).reshape(len(rest), len(label))
    counted = (after >= 0) & (first >= 0) & (label >= 0)
    drops = (first == label).astype(np.int64) - (after == label)
    times, total = counted.sum(axis=0), (drops * counted).sum(axis=0)
    some = times > 0
    grouped = as_clusters(clusters, len(label), some)
    if grouped is not None:
        sums = np.bincount(grouped, total[some] / times[some])
        return clustered_mean(sums, np.bincount(grouped), least=-1, extra=DROP_CLUSTERS)
    width = 2 * len(rest) + 1
    outcomes, counts = np.unique((times * width + total + len(rest))[some], return_counts=True)
    values = (outcomes % width - len(rest)) / (outcomes // width)
    return mean_drop(values, counts, seed=seed, resamples=resamples)


def _reached(points: Sequence[CurvePoint], level: float) -> float | None:
    measured = [(point.severity, point.drop.value) for point in points if point.drop.value is not None]
    steps = pairwise([(0.0, 0.0), *measured])  # severity 0 changes nothing
    crossed = (
        start + (end - start) * (level - less) / (more - less)
        for (start, less), (end, more) in steps
        if less < level <= more
    )
    return next(crossed, None)


@dataclass(frozen=True, slots=True)
class UnpairedDrop:
    """A drop in points between two samples that are treated as independent."""

    drop: Estimate
    effective: bool | None
    surely_effective: bool | None
    method: Literal["unpaired (Newcombe)"] = "unpaired (Newcombe)"


def unpaired(
    n_right_before: int, n_before: int, n_right_after: int, n_after: int, *, effective_over: float = 4.0
) -> UnpairedDrop:
    """Return the drop between two accuracies.

    If both samples are the same rows, the true interval is narrower; by how much cannot be known.

    >>> unpaired(23063, 25000, 21644, 25000).drop.value
    5.676
    """
    drop = newcombe(n_right_before, n_before, n_right_after, n_after)
    return UnpairedDrop(
        drop,
        effective=None if drop.value is None else drop.value > effective_over,
        surely_effective=None if drop.low is None else drop.low > effective_over,
    )


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
    clusters: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 10_000,
) -> Difference:
    """Return the difference of two drops over the rows that have a label and all answers.

    The test flips signs: if a and b did not differ, each row's difference of drops would be as likely to have
    the opposite sign. If the answers before are the same, differences are -1, 0 and 1: McNemar's exact test.
    Rows of one cluster have one sign.

    >>> compare([1, 1, 1], [1, 1, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]).value.value
    66.66666666666667
    """
    columns = as_codes(labels=labels, before_a=before_a, after_a=after_a, before_b=before_b, after_b=after_b)
    label, whole = columns[0], np.logical_and.reduce([one >= 0 for one in columns])
    # 8 bits hold every difference; of a million rows, 64 bits would take 40 megabytes.
    right = [(one == label)[whole].astype(np.int8) for one in columns[1:]]
    differences = (right[2] - right[3]) - (right[0] - right[1])
    n, grouped = len(differences), as_clusters(clusters, len(whole), whole)
    if grouped is None:
        counts = np.bincount(differences.astype(np.int64) + 2, minlength=5)
        value = mean_drop([-2, -1, 0, 1, 2], counts, seed=seed, resamples=resamples)
        ones, twos = int(counts[1] + counts[3]), int(counts[0] + counts[4])
        p = sign_flip(int(differences.sum(dtype=np.int64)), ones=ones, twos=twos)
    else:
        sums, sizes = sum_clusters(grouped, differences)
        half = clustered_mean(sums / 2, sizes, least=-1, extra=DROP_CLUSTERS)  # from -2 to 2: on a scale to 1
        value = Estimate(*(None if end is None else 2 * end for end in (half.value, half.low, half.high)))
        p = sign_flip_clusters(sums)
    return Difference(n, len(whole) - n, value, p if n else None, p_holm=None)


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
    """Return the numbers of several models, given the answers of each before and after.

    Everything is computed over the rows that have a label and all answers of all models, so that the
    difference of two drops is the drop of one model less that of the other.

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
    grouped = as_clusters(clusters, len(whole), whole)
    draws: dict[str, Any] = {"clusters": grouped, "seed": seed, "resamples": resamples}
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


def rank(values: Sequence[float]) -> tuple[int, ...]:
    """Return the rank of every value: 1 for the largest; equal values have the same rank.

    >>> rank([90.0, 95.0, 90.0, 80.0])
    (2, 1, 2, 4)
    """
    return tuple(1 + sum(other > value for other in values) for value in values)


def kendall_tau_b(a: ArrayLike, b: ArrayLike) -> float | None:
    """Return how far two orders of the same things agree (Kendall 1945), from -1 to 1, corrected for ties.

    Every two things are compared, so the time grows with the square of their number. None if all values on
    one side are equal: then there is no order.

    >>> kendall_tau_b([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    left, right = (np.sign(np.subtract.outer(side, side)) for side in (np.asarray(a), np.asarray(b)))
    untied = float((left**2).sum()) * float((right**2).sum())
    if untied == 0:
        return None
    return min(1.0, max(-1.0, float((left * right).sum()) / math.sqrt(untied)))


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


class _Measured(NamedTuple):
    """A number of single items, from 0 to 1, and the items that have it."""

    values: Floats
    among: Bools


class _Items:
    """The items of one model, with one line of codes per way: which of them count, and their numbers.

    `measured` are the numbers of single items whose means are numbers of a `VariantScore`, by name.
    """

    def __init__(
        self,
        label: Ints,
        codes: Ints,
        asked: Bools,
        scores: Sequence[Floats | None] | None,
        groups: Ints64,
    ) -> None:
        self._asked, self._groups = asked, groups
        self._several = asked.sum(axis=0) > 1
        self._whole = self._several & ((codes >= 0) | ~asked).all(axis=0)
        self._known = self._whole & (label >= 0)
        self._right: Bools = codes == label
        graded = [one for one in scores or () if one is not None]
        points = np.nan_to_num(np.stack(graded)) if len(graded) == len(codes) else self._right * 1.0
        right = (self._right & asked).sum(axis=0) / np.maximum(asked.sum(axis=0), 1)
        always = np.array((self._right | ~asked).all(axis=0), np.float64)
        self.measured = {
            "mean": _Measured(right, self._known),
            "worst_case": _Measured(always, self._known),
            "consistency_rate": _Measured(self._over_pairs(codes, np.equal), self._whole),
            "prompt_sensitivity": _Measured(
                self._over_pairs(points, lambda a, b: np.abs(a - b)), self._known
            ),
        }

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
            **{name: self.mean(measured) for name, measured in self.measured.items()},
        )

    def mean(self, measured: _Measured, **scale: Any) -> Estimate:
        """Return the mean over items in percent, with its interval; `scale` is as in `clustered_mean`."""
        among = measured.among
        return clustered_mean(*sum_clusters(self._groups[among], measured.values[among]), **scale)

    def _over_pairs(self, table: Any, compare: Callable[[Any, Any], Any]) -> Floats:
        """Return the mean over all pairs of ways in which an item is asked."""
        total, times = np.zeros((2, len(self._known)))
        for a, b in combinations(range(len(table)), 2):
            both = self._asked[a] & self._asked[b]
            total += np.where(both, compare(table[a], table[b]), 0.0)
            times += both
        return np.asarray(total / np.maximum(times, 1), np.float64)


def _subtract(models: Sequence[_Items], scores: Sequence[VariantScore]) -> Iterator[VariantDifference]:
    for a, b in combinations(range(len(models)), 2):
        first, second = scores[a].spread, scores[b].spread
        apart = None if first is None or second is None else second - first
        yield VariantDifference("spread", a, b, scores[a].n, Estimate(apart))
        for name, one in models[a].measured.items():
            less = _Measured(models[b].measured[name].values - one.values, one.among)
            value = models[a].mean(less, least=-1, extra=DROP_CLUSTERS)
            yield VariantDifference(name, a, b, int(one.among.sum()), value)
