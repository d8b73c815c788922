"""Pairs of answers, to a text and to its twin: how often they are right and the same, and how sure that is.

Labels and answers are codes, whole numbers from 0: -1 means none, -2 an unparsed reply, -3 one without a
verdict of the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._show import p_value
from salva._types import Bools, Ints, Ints64
from salva.errors import UsageError
from salva.numbers.intervals import (
    DROP_CLUSTERS,
    ClusterSums,
    Estimate,
    clustered_mean,
    design_effect,
    mcnemar,
    mean_drop,
    sign_flip_clusters,
    sum_clusters,
    wilson,
)
from salva.numbers.statistics import Statistic

UNPARSED, UNJUDGED = -2, -3

_SPARSE = 4  # times as many codes as rows; above this, only those that occur are numbered


def refuse_lengths(columns: Mapping[str, Sized]) -> None:
    """Raise if the columns differ in length."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise UsageError(f"columns of different lengths: {listed}; give one entry per pair")


def as_codes(**columns: ArrayLike) -> list[Ints]:
    """Return columns of codes as arrays; refuse columns of other types or of different lengths.

    Arrays of 32 bits stay so: a million rows and some columns are tens of megabytes.

    >>> as_codes(labels=[0, 1], before=[1, -2])
    [array([0, 1]), array([ 1, -1])]
    """
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    for name, array in arrays.items():
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
            described = f"shape {array.shape} and type {array.dtype}"
            raise UsageError(f"{name} has {described}; expected one whole number per pair")
    refuse_lengths(arrays)
    wide = {
        name: array if array.dtype == np.int32 else array.astype(np.int64) for name, array in arrays.items()
    }
    return [np.maximum(array, -1) if array.min(initial=0) < -1 else array for array in wide.values()]


def as_clusters(clusters: ArrayLike | None, rows: int, among: Bools | None = None) -> Ints64 | None:
    """Return the cluster of every row, or of those among them, as a number from 0.

    None if every row is a cluster of its own.
    """
    if clusters is None:
        return None
    codes = _number(as_codes(clusters=clusters, rows=np.zeros(rows, np.int32))[0])
    if not (np.bincount(codes) > 1).any():
        return None
    return codes if among is None else codes[among]


def _number(codes: Ints) -> Ints64:
    """Return codes as numbers from 0, so few that they can be counted in a table."""
    if len(codes) and 0 <= int(codes.min()) <= int(codes.max()) < _SPARSE * len(codes):
        return codes.astype(np.int64, copy=False)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def has_reply(codes: Ints) -> Bools:
    """Return which codes stand for a reply, whether or not it is parsed and judged."""
    replied: Bools = (codes >= 0) | (codes == UNPARSED) | (codes == UNJUDGED)
    return replied


def is_unparsed(before: Ints, after: Ints) -> Bools:
    """Return which pairs have two replies, at least one of them unparsed."""
    unparsed: Bools = (before == UNPARSED) | (after == UNPARSED)
    return unparsed & has_reply(before) & has_reply(after)


def is_unjudged(before: Ints, after: Ints) -> Bools:
    """Return which pairs have two replies with answers, at least one of them without a verdict."""
    unjudged: Bools = (before == UNJUDGED) | (after == UNJUDGED)
    return unjudged & has_reply(before) & has_reply(after) & ~is_unparsed(before, after)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    """What is known about each pair, and the numbers that every score of pairs has, with their intervals.

    Pairs with the same number in `clusters`, such as those with the same text, are not independent: rates and
    drops are means over clusters, and the test flips the signs of clusters. Without clusters, rates have
    Wilson's interval, drops a bootstrap over pairs, and the test is McNemar's.
    """

    answered: Bools  # on both sides
    labelled: Bools  # and the right answer is known
    right_before: Bools
    right_after: Bools
    same: Bools  # right or not
    changed: Bools | None = None  # whether the twin differs from its original; None: all do
    clusters: Ints64 | None = None  # from 0
    seed: int = 0
    resamples: int = 10_000

    @classmethod
    def of(
        cls,
        labels: ArrayLike,
        before: ArrayLike,
        after: ArrayLike,
        *,
        labels_after: ArrayLike | None = None,
        changed: ArrayLike | None = None,
        clusters: Ints64 | None = None,
        seed: int = 0,
        resamples: int = 10_000,
    ) -> PairTable:
        """Return the table of labels and answers, given as codes; twins may have labels of their own."""
        given = {"labels_after": labels_after, "changed": changed}
        further = {name: column for name, column in given.items() if column is not None}
        label, first, second, *rest = as_codes(labels=labels, before=before, after=after, **further)
        own = dict(zip(further, rest, strict=True))
        other, edited = own.get("labels_after", label), own.get("changed")
        answered = (first >= 0) & (second >= 0)
        return cls(
            answered=answered,
            labelled=answered & (label >= 0) & (other >= 0),
            right_before=first == label,
            right_after=second == other,
            same=first == second,
            changed=None if edited is None else edited > 0,
            clusters=clusters,
            seed=seed,
            resamples=resamples,
        )

    def where(self, rows: Bools) -> PairTable:
        """Return some of the pairs."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        columns: dict[str, Any] = {k: v[rows] for k, v in values.items() if isinstance(v, np.ndarray)}
        return replace(self, **columns)

    def count(self, rows: Bools) -> int:
        """Return the number of some pairs."""
        return int(np.count_nonzero(rows))

    @property
    def n(self) -> int:
        """Pairs with a label and two answers."""
        return self.count(self.labelled)

    @property
    def n_failed(self) -> int:
        """Pairs without an answer on one side or both."""
        return self.count(~self.answered)

    @property
    def n_unlabelled(self) -> int:
        """Pairs with two answers and no label."""
        return self.count(self.answered & ~self.labelled)

    @property
    def right_to_wrong(self) -> int:
        """Pairs that are right before and wrong after."""
        return self.count(self.labelled & self.right_before & ~self.right_after)

    @property
    def wrong_to_right(self) -> int:
        """Pairs that are wrong before and right after."""
        return self.count(self.labelled & self.right_after & ~self.right_before)

    @property
    def compared(self) -> Bools:
        """Which pairs have two answers that may differ, because the twin differs from its original."""
        return self.answered if self.changed is None else self.answered & self.changed

    @property
    def p(self) -> float | None:
        """The exact test of no drop; None if there are no pairs."""
        if not self.n:
            return None
        if self.clusters is None:
            return mcnemar(self.right_to_wrong, self.wrong_to_right)
        return sign_flip_clusters(self._sum(self._drops(), self.labelled).sums)

    @property
    def design_effect(self) -> float | None:
        """How many times larger clusters make the variance of the drop; None without clusters."""
        if self.clusters is None:
            return None
        drops = self._drops()
        return design_effect(*self._sum(drops, self.labelled), float(np.abs(drops[self.labelled]).sum()))

    def rate(self, hits: Bools, among: Bools) -> Estimate:
        """Return the share of hits among some pairs, in percent."""
        if self.clusters is None:
            return wilson(self.count(hits & among), self.count(among))
        return clustered_mean(*self._sum(hits, among))

    def accuracy_before(self) -> Estimate:
        """Return how often the first answer is right."""
        return self.rate(self.right_before, self.labelled)

    def accuracy_after(self) -> Estimate:
        """Return how often the second answer is right."""
        return self.rate(self.right_after, self.labelled)

    def both_right(self) -> Estimate:
        """Return how often both answers are right."""
        return self.rate(self.right_before & self.right_after, self.labelled)

    def consistency(self) -> Estimate:
        """Return how often both answers to changed texts are the same; this needs no label."""
        return self.rate(self.same, self.compared)

    def drop(self) -> Estimate:
        """Return the accuracy before less that after, in points."""
        drops = self._drops()
        if self.clusters is not None:
            return clustered_mean(*self._sum(drops, self.labelled), least=-1, extra=DROP_CLUSTERS)
        counts = np.bincount(drops[self.labelled] + 1, minlength=3)
        return mean_drop([-1, 0, 1], counts, seed=self.seed, resamples=self.resamples)

    def _drops(self) -> Ints:
        return self.right_before.astype(np.int8) - self.right_after

    def _sum(self, values: Bools | Ints, among: Bools) -> ClusterSums:
        assert self.clusters is not None  # noqa: S101
        if among.all():
            return sum_clusters(self.clusters, values)
        return sum_clusters(self.clusters[among], values[among])


def _show_p_holm(score: PairScore) -> str:
    return p_value(score.p_holm)


def _show_p(score: PairScore) -> str:
    return f"p {p_value(score.p)}"


def _show_verdict(score: PairScore) -> str:
    return "certainly" if score.surely_effective else "probably" if score.effective else "no"


@brief
@dataclass(frozen=True, slots=True)
class PairScore:
    """What a change of texts did to a model's answers; rates in percent, the drop in points.

    `n`, `n_failed`, `n_unlabelled`, `n_unparsed` and `n_unjudged` add up to all pairs. Everything is computed
    over the `n` pairs, except `consistency` and `changed`, which need no label and leave out texts that did
    not change: they use `n + n_unlabelled - unchanged`.
    """

    n: Annotated[int, Statistic("pairs with a label and two answers", "n")]
    n_failed: Annotated[int, Statistic("pairs without an answer on one side or both", "failed")]
    n_unlabelled: Annotated[int, Statistic("pairs with two answers and no label")]
    accuracy_before: Annotated[
        Estimate, Statistic("right answers to the clean texts", "accuracy|before", "before")
    ]
    accuracy_after: Annotated[Estimate, Statistic("right answers to the twins", "accuracy|after", "after")]
    macro_f1_before: Annotated[float | None, Statistic("mean F1 of the classes", "macro-F1|before")]
    macro_f1_after: Annotated[float | None, Statistic("the same for the twins", "macro-F1|after")]
    drop: Annotated[
        Estimate,
        Statistic("accuracy before minus after", "drop", "drop", strong=True, show_interval=True),
    ]
    p: Annotated[float | None, Statistic("exact McNemar, or of the sums of clusters")]
    p_holm: Annotated[
        float | None,
        Statistic(
            "p, corrected over all conditions; set by `with_holm`",
            "p (Holm)",
            "p (Holm)",
            form=_show_p_holm,
            below=_show_p,
        ),
    ]
    consistency: Annotated[
        Estimate, Statistic("how often both answers are the same, right or not", "consistency", "same")
    ]
    effective: Annotated[
        bool | None,
        Statistic("the drop is over the limit", "drop over|limit", "over limit", form=_show_verdict),
    ]
    surely_effective: Annotated[bool | None, Statistic("so is the lower end of its interval")]
    both_right: Annotated[Estimate, Statistic("pairs with two right answers", "both|right")]
    right_to_wrong: Annotated[int, Statistic("pairs that got worse", "right →|wrong")]
    wrong_to_right: Annotated[int, Statistic("pairs that got better", "wrong →|right")]
    changed: Annotated[int, Statistic("pairs whose answers differ, right or not")]
    design_effect: Annotated[
        float | None,
        Statistic("how many times larger clusters make the variance of the drop; None without clusters"),
    ] = None
    n_unparsed: Annotated[int, Statistic("pairs with two replies, one of them or both unparsed")] = 0
    n_unjudged: Annotated[int, Statistic("pairs of replies, one of them or both without a verdict")] = 0
    performance_drop_rate: Annotated[
        float | None, Statistic("drop divided by the accuracy before, in percent", "drop|rate")
    ] = None
    unchanged: Annotated[
        int, Statistic("twins equal to their original, which are not counted as consistent")
    ] = 0


def score(
    labels: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    *,
    labels_after: ArrayLike | None = None,
    changed: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    effective_over: float = 4.0,
    seed: int = 0,
    resamples: int = 10_000,
) -> PairScore:
    """Return the numbers for pairs of answers, given as codes: -1 means no label or no answer.

    -2 means an unparsed reply, -3 one without a verdict; its pair is counted, and is in no other number.

    Twins that differ from their original are true in `changed`, by default all. The others say nothing about
    consistency, and are counted in `unchanged`. Pairs with the same number in `clusters` are not independent;
    by default, all pairs are. Twins may have labels of their own, `labels_after`.

    >>> score([0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, -1]).drop.value
    33.333333333333336
    """
    table = PairTable.of(
        labels,
        before,
        after,
        labels_after=labels_after,
        changed=changed,
        seed=seed,
        resamples=resamples,
    )
    table = replace(table, clusters=as_clusters(clusters, len(table.same)))
    label, first, second = np.asarray(labels), np.asarray(before), np.asarray(after)
    other = label if labels_after is None else np.asarray(labels_after)
    n_unparsed, n_unjudged = table.count(is_unparsed(first, second)), table.count(is_unjudged(first, second))
    among, accuracy, drop = table.labelled, table.accuracy_before(), table.drop()
    return PairScore(
        n=table.n,
        n_failed=table.n_failed - n_unparsed - n_unjudged,
        n_unlabelled=table.n_unlabelled,
        accuracy_before=accuracy,
        accuracy_after=table.accuracy_after(),
        macro_f1_before=_macro_f1(label[among], first[among]),
        macro_f1_after=_macro_f1(other[among], second[among]),
        drop=drop,
        consistency=table.consistency(),
        right_to_wrong=table.right_to_wrong,
        wrong_to_right=table.wrong_to_right,
        changed=table.count(table.compared & ~table.same),
        both_right=table.both_right(),
        p=table.p,
        p_holm=None,
        effective=None if drop.value is None else drop.value > effective_over,
        surely_effective=None if drop.low is None else drop.low > effective_over,
        design_effect=table.design_effect,
        n_unparsed=n_unparsed,
        n_unjudged=n_unjudged,
        performance_drop_rate=(
            100 * drop.value / accuracy.value if accuracy.value and drop.value is not None else None
        ),
        unchanged=table.count(table.answered & ~table.compared),
    )


def _macro_f1(labels: Ints, answers: Ints) -> float | None:
    """Return the mean F1 score of the classes in percent, over the classes that occur in labels or answers.

    A class that is never predicted correctly scores 0, as in scikit-learn's `f1_score(average="macro",
    zero_division=0)`.
    """
    if not len(labels):
        return None
    numbers = _number(np.concatenate([labels, answers]))
    named = np.bincount(numbers)
    hits = np.bincount(numbers[: len(labels)][labels == answers], minlength=len(named))
    return float(100 * np.mean((2 * hits / np.maximum(named, 1))[named > 0]))
