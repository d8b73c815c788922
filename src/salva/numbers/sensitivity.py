"""Pairs whose answer must change: how often it does, and how often it becomes the right one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva.numbers.intervals import Estimate
from salva.numbers.pair_scores import PairTable, as_clusters, as_codes, is_unparsed
from salva.numbers.statistics import Statistic

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
    stayed: Annotated[
        int, Statistic("pairs whose answer stayed, although it must change", "stayed", "stayed")
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
    """Return the numbers for pairs whose answer must change, given as codes as for `score`.

    The other columns are flags: which rows were edited, for which of them the new right answer is `known`,
    and which answers are right. Pairs with the same number in `clusters` are not independent.

    >>> flags = [False] * 3
    >>> score_contrast([0, 0, 1], [1, 0, 1], edited=[True, True, False], known=flags, right_before=flags,
    ...     right_after=flags).sensitivity.value
    50.0
    """
    first, second = as_codes(before=before, after=after)
    replies = np.asarray(before), np.asarray(after)
    touched = np.asarray(edited, np.bool_)
    answered = touched & (first >= 0) & (second >= 0)
    table = PairTable(
        answered=answered,
        labelled=answered & np.asarray(known, np.bool_),
        right_before=np.asarray(right_before, np.bool_),
        right_after=np.asarray(right_after, np.bool_),
        same=first == second,
        clusters=as_clusters(clusters, len(first)),
    )
    n_unparsed = table.count(touched & is_unparsed(*replies))
    return ContrastScore(
        n=table.count(answered),
        sensitivity=table.rate(~table.same, answered),
        stayed=table.count(answered & table.same),
        n_targets=table.n,
        on_target=table.accuracy_after(),
        both_on_target=table.both_right(),
        n_failed=table.count(touched & ~answered) - n_unparsed,
        n_unedited=table.count(~touched),
        n_unparsed=n_unparsed,
    )
