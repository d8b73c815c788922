"""Pairs whose answer must change: how often it does, and how often it becomes the right one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva.pairs.clusters import ClusteredPairs
from salva.pairs.codes import as_clusters, as_codes
from salva.pairs.graded import is_unparsed
from salva.pairs.statistics import Statistic
from salva.pairs.table import PairTable
from salva.stats import Estimate

Sensitivity: TypeAlias = Annotated[
    Estimate,
    Statistic(
        "how often the answer changed, as it must",
        "sensitivity",
        "sensitivity",
        strong=True,
        show_interval=True,
    ),
]


@brief
@dataclass(frozen=True, slots=True)
class ContrastScore:
    """What edits that must change the answer did to a model's answers; rates in percent.

    `n`, `n_failed`, `n_unparsed` and `n_unedited` add up to all rows. Rows without an edit are in no other
    number.
    """

    n: Annotated[int, Statistic("edited pairs with two answers", "n", "n")]
    sensitivity: Sensitivity
    unchanged: Annotated[
        int, Statistic("pairs whose answer stayed, although it must change", "unchanged", "unchanged")
    ]
    n_targets: Annotated[int, Statistic("pairs whose new right answer is known", "new answer|known")]
    on_target: Annotated[
        Estimate,
        Statistic("how often the answer to the twin is the new right one", "right|after", "right after"),
    ]
    both_on_target: Annotated[
        Estimate, Statistic("how often the answers to both texts are right", "both|right", "both right")
    ]
    n_failed: Annotated[int, Statistic("edited pairs without an answer on one side or both", "failed")]
    n_unedited: Annotated[int, Statistic("rows in which nothing could be edited", "not|edited")]
    n_unparsed: Annotated[int, Statistic("edited pairs with two replies, one or both unparsed")] = 0


def score_contrast(
    before: ArrayLike,
    after: ArrayLike,
    *,
    edited: ArrayLike,
    known: ArrayLike,
    right_before: ArrayLike,
    right_after: ArrayLike,
    clusters: ArrayLike | None = None,
) -> ContrastScore:
    """Return the numbers for pairs of answers, given as codes: -1 means no answer, -2 an unparsed reply.

    The other columns are flags: which rows were edited, for which of them the new right answer is `known`,
    and which answers are right. Pairs with the same number in `clusters` are not independent.

    >>> flags = [False] * 3
    >>> score_contrast([0, 0, 1], [1, 0, 1], edited=[True, True, False], known=flags, right_before=flags,
    ...     right_after=flags).sensitivity.value
    50.0
    """
    first, second = as_codes(before=before, after=after)
    touched, flagged = np.asarray(edited, np.bool_), np.asarray(known, np.bool_)
    answered = touched & (first >= 0) & (second >= 0)
    grouped = as_clusters(clusters, len(first))
    columns = {
        "answered": answered,
        "labelled": answered & flagged,
        "right_before": np.asarray(right_before, np.bool_),
        "right_after": np.asarray(right_after, np.bool_),
        "same": first == second,
        "counts": np.ones(len(first), np.int64),
    }
    table = PairTable(**columns) if grouped is None else ClusteredPairs(**columns, clusters=grouped)
    unparsed = int((touched & is_unparsed(first, second)).sum())
    return ContrastScore(
        n=table.count(answered),
        sensitivity=table.rate(~table.same, answered),
        unchanged=table.count(answered & table.same),
        n_targets=table.n,
        on_target=table.accuracy_after(),
        both_on_target=table.both_right(),
        n_failed=int((touched & ~answered).sum()) - unparsed,
        n_unedited=int((~touched).sum()),
        n_unparsed=unparsed,
    )
