"""Replies that are more than right or wrong: how many are unparsed, and what the mean score becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._types import Bools, Floats, Ints, Ints64
from salva.pairs.codes import as_clusters, refuse_lengths
from salva.pairs.statistics import Statistic
from salva.stats import Estimate, bootstrap_rows, wilson

UNPARSED, UNJUDGED = -2, -3


@brief
@dataclass(frozen=True, slots=True)
class ReplyScore:
    """Replies to the questions of a task; rates and scores in percent, the drop in points.

    An unparsed reply is an answer to no question: its pair is in no other number of the condition.
    """

    unparsed_before: Annotated[
        Estimate, Statistic("replies to the clean questions that have no answer", "unparsed|before")
    ]
    unparsed_after: Annotated[Estimate, Statistic("the same for the twins", "unparsed|after")]
    score_before: Annotated[float | None, Statistic("mean score of the clean answers", "score|before")]
    score_after: Annotated[float | None, Statistic("mean score of the twins' answers", "score|after")]
    score_drop: Annotated[Estimate, Statistic("mean score before minus after", "score|drop")]


def score_replies(
    before: ArrayLike,
    after: ArrayLike,
    *,
    scores_before: ArrayLike | None = None,
    scores_after: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 1_000,
) -> ReplyScore:
    """Return the numbers for pairs of replies, given as codes: -1 means no reply, -2 an unparsed one.

    Scores are from 0 to 1, NaN for none; pairs with two scores are compared, by a paired bootstrap. Pairs
    with the same number in `clusters` are drawn together.

    >>> score_replies([0, -2, 1, -1], [0, 1, -2, 0]).unparsed_before.value
    33.333333333333336
    """
    first, second = np.asarray(before), np.asarray(after)
    refuse_lengths({"before": first, "after": second})
    change = _compare(scores_before, scores_after, as_clusters(clusters, len(first)), seed, resamples)
    return ReplyScore(_rate(first), _rate(second), *change)


@brief
@dataclass(frozen=True, slots=True)
class JudgedScore:
    """Replies that a judge had to grade and gave no verdict on; rates in percent of all replies.

    The pair of such a reply is in no other number of the condition.
    """

    unjudged_before: Annotated[
        Estimate, Statistic("replies to the clean questions without a verdict", "unjudged|before")
    ]
    unjudged_after: Annotated[Estimate, Statistic("the same for the twins", "unjudged|after")]


def score_judged(before: ArrayLike, after: ArrayLike) -> JudgedScore:
    """Return how many replies have no verdict; codes as for `score_replies`, and -3 for these.

    >>> score_judged([0, -3, 1, -1], [0, 1, 0, 0]).unjudged_before.value
    33.333333333333336
    """
    first, second = np.asarray(before), np.asarray(after)
    refuse_lengths({"before": first, "after": second})
    return JudgedScore(_rate(first, UNJUDGED), _rate(second, UNJUDGED))


def is_unparsed(before: Ints, after: Ints) -> Bools:
    """Return which pairs have two replies, at least one of them unparsed."""
    unparsed: Bools = (before == UNPARSED) | (after == UNPARSED)
    return unparsed & _has_reply(before) & _has_reply(after)


def is_unjudged(before: Ints, after: Ints) -> Bools:
    """Return which pairs have two replies with answers, at least one of them without a verdict."""
    unjudged: Bools = (before == UNJUDGED) | (after == UNJUDGED)
    return unjudged & _has_reply(before) & _has_reply(after) & ~is_unparsed(before, after)


def _has_reply(codes: Ints) -> Bools:
    replied: Bools = (codes >= 0) | (codes == UNPARSED) | (codes == UNJUDGED)
    return replied


def _rate(codes: Ints, code: int = UNPARSED) -> Estimate:
    return wilson(int((codes == code).sum()), int(_has_reply(codes).sum()))


def _compare(
    before: ArrayLike | None, after: ArrayLike | None, clusters: Ints64 | None, seed: int, resamples: int
) -> tuple[float | None, float | None, Estimate]:
    if before is None or after is None:
        return None, None, Estimate()
    table: Floats = 100 * np.stack([np.asarray(before, np.float64), np.asarray(after, np.float64)])
    whole = ~np.isnan(table).any(axis=0)
    first, second = table[:, whole]
    if not len(first):
        return None, None, Estimate()
    drops = first - second
    drop = bootstrap_rows(
        len(drops),
        lambda rows: float(drops[rows].mean()),
        clusters=None if clusters is None else clusters[whole],
        resamples=resamples,
        seed=seed,
    )
    return float(first.mean()), float(second.mean()), drop
