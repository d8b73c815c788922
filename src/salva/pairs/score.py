"""The numbers of one condition, and which of two conditions or models drops more on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._show import p_value
from salva._types import Ints64
from salva.pairs.clusters import ClusteredPairs, pair_rows
from salva.pairs.codes import as_clusters, as_codes, count_cells, macro_f1, sum_clusters
from salva.pairs.drops import mean_drop
from salva.pairs.graded import is_unjudged, is_unparsed
from salva.pairs.statistics import Statistic
from salva.pairs.table import PairTable
from salva.stats import Estimate, clustered_mean, sign_flip, sign_flip_clusters
from salva.stats.clusters import DROP_CLUSTERS


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
    over the `n` pairs, except `consistency` and `changed`, which need no label and use `n + n_unlabelled`.
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


def score(
    labels: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    effective_over: float = 4.0,
    seed: int = 0,
    resamples: int = 10_000,
) -> PairScore:
    """Return the numbers for pairs of answers, given as codes: -1 means no label or no answer.

    -2 means an unparsed reply, -3 one without a verdict; its pair is counted, and is in no other number.

    Pairs with the same number in `clusters` are not independent; by default, all pairs are.

    >>> score([0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, -1]).drop.value
    33.333333333333336
    """
    cells = count_cells(labels, before, after)
    grouped = as_clusters(clusters, cells.size())
    table: PairTable
    if grouped is None:
        table = PairTable.of(cells, seed=seed, resamples=resamples)
    else:
        table = pair_rows(labels, before, after, grouped)
    codes = np.asarray(before), np.asarray(after)
    n_unparsed, n_unjudged = int(is_unparsed(*codes).sum()), int(is_unjudged(*codes).sum())
    pairs, drop = cells.where((cells.labels >= 0) & (cells.before >= 0) & (cells.after >= 0)), table.drop()
    return PairScore(
        n=table.n,
        n_failed=table.n_failed - n_unparsed - n_unjudged,
        n_unlabelled=table.n_unlabelled,
        accuracy_before=table.accuracy_before(),
        accuracy_after=table.accuracy_after(),
        macro_f1_before=macro_f1(pairs.labels, pairs.before, pairs.counts),
        macro_f1_after=macro_f1(pairs.labels, pairs.after, pairs.counts),
        drop=drop,
        consistency=table.consistency(),
        right_to_wrong=table.right_to_wrong,
        wrong_to_right=table.wrong_to_right,
        changed=table.count(table.answered & ~table.same),
        both_right=table.both_right(),
        p=table.p,
        p_holm=None,
        effective=None if drop.value is None else drop.value > effective_over,
        surely_effective=None if drop.low is None else drop.low > effective_over,
        design_effect=table.design_effect if isinstance(table, ClusteredPairs) else None,
        n_unparsed=n_unparsed,
        n_unjudged=n_unjudged,
        performance_drop_rate=_drop_rate(table.accuracy_before(), drop),
    )


def _drop_rate(before: Estimate, drop: Estimate) -> float | None:
    return 100 * drop.value / before.value if before.value and drop.value is not None else None


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
    """Return the difference of two drops over the rows that have a label and all answers, as codes.

    The test flips signs: if a and b did not differ, each row's difference of drops would be as likely to have
    the opposite sign. If the answers before are the same, differences are -1, 0 and 1: McNemar's exact test.
    Rows with the same number in `clusters` are not independent, and have one sign.

    >>> compare([1, 1, 1], [1, 1, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]).value.value
    66.66666666666667
    """
    columns = as_codes(labels=labels, before_a=before_a, after_a=after_a, before_b=before_b, after_b=after_b)
    table = np.stack(columns)
    whole = np.logical_and.reduce(table >= 0)
    table = table[:, whole]
    right = (table[1:] == table[0]).astype(np.int64)
    differences = (right[2] - right[3]) - (right[0] - right[1])
    grouped = as_clusters(clusters, len(whole))
    if grouped is not None:
        return _compare_clusters(differences, grouped[whole], n_out=int((~whole).sum()))
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


def _compare_clusters(differences: Ints64, clusters: Ints64, *, n_out: int) -> Difference:
    sums, sizes = sum_clusters(clusters, differences)
    half = clustered_mean(sums / 2, sizes, least=-1, extra=DROP_CLUSTERS)  # from -2 to 2: on a scale to 1
    ends = (None if end is None else 2 * end for end in (half.value, half.low, half.high))
    n = len(differences)
    return Difference(n, n_out, Estimate(*ends), sign_flip_clusters(sums) if n else None, p_holm=None)
