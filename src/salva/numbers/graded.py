"""Answers that are more than right or wrong: graded replies, entities, and a metric of the user's own.

Each is measured before and after, with an interval from a paired bootstrap of rows. Rows of one cluster are
drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from salva._crashes import place_of
from salva._results import brief
from salva._types import Bools, Floats, Ints
from salva.errors import UsageError
from salva.numbers.intervals import Estimate, bootstrap_rows, wilson
from salva.numbers.pair_scores import UNJUDGED, UNPARSED, PairTable, as_clusters, has_reply, refuse_lengths
from salva.numbers.statistics import Statistic

Metric: TypeAlias = Callable[[list[str], list[str]], float]
Entities: TypeAlias = Collection[Hashable] | None


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


@dataclass(frozen=True, slots=True)
class WordsScore:
    """Pairs of answers that are compared word by word."""

    among_incorrect: Annotated[
        Estimate, Statistic("how often both answers are the same, if one or both are wrong", "same|if wrong")
    ]
    empty_twice: Annotated[int, Statistic("pairs with two empty answers")]


def score_words(table: PairTable, before: ArrayLike, empty: int) -> WordsScore:
    """Return what is known about answers that are words; `empty` is the code of an answer without any."""
    wrong = table.labelled & ~(table.right_before & table.right_after)
    twice = table.same & table.answered & (np.asarray(before) == empty)
    return WordsScore(table.rate(table.same, wrong), table.count(twice))


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

    Scores are from 0 to 1, NaN for none; pairs with two scores are compared.

    >>> score_replies([0, -2, 1, -1], [0, 1, -2, 0]).unparsed_before.value
    33.333333333333336
    """
    unparsed = _rate_replies(before, after, UNPARSED)
    scores = [] if scores_before is None or scores_after is None else [scores_before, scores_after]
    table: Floats = 100 * np.array(scores, np.float64).reshape(2, -1)
    whole: Bools = np.logical_and.reduce(~np.isnan(table))
    first, second = table[:, whole]
    if not len(first):
        return ReplyScore(*unparsed, None, None, Estimate())
    drops = first - second
    return ReplyScore(
        *unparsed,
        float(first.mean()),
        float(second.mean()),
        bootstrap_rows(
            len(drops),
            lambda rows: float(drops[rows].mean()),
            clusters=as_clusters(clusters, len(whole), whole),
            resamples=resamples,
            seed=seed,
        ),
    )


def score_judged(before: ArrayLike, after: ArrayLike) -> JudgedScore:
    """Return how many replies have no verdict; codes as for `score_replies`, and -3 for these.

    >>> score_judged([0, -3, 1, -1], [0, 1, 0, 0]).unjudged_before.value
    33.333333333333336
    """
    return JudgedScore(*_rate_replies(before, after, UNJUDGED))


def _rate_replies(before: ArrayLike, after: ArrayLike, code: int) -> tuple[Estimate, Estimate]:
    """Return how many of all replies have a code, before and after."""
    sides = np.asarray(before), np.asarray(after)
    refuse_lengths({"before": sides[0], "after": sides[1]})
    first, second = (wilson(int((codes == code).sum()), int(has_reply(codes).sum())) for codes in sides)
    return first, second


@brief
@dataclass(frozen=True, slots=True)
class EntityScore:
    """Entities of all rows together, in percent; the drop is in points of F1.

    As in the CoNLL evaluation, precision, recall and F1 are over all entities, and an entity is right if its
    span and its label are. Rows without a target or an answer on one side are in no number.
    """

    precision_before: Annotated[float | None, Statistic("right entities, of those found in the clean texts")]
    precision_after: Annotated[float | None, Statistic("the same for the twins")]
    recall_before: Annotated[float | None, Statistic("entities of the clean texts that were found")]
    recall_after: Annotated[float | None, Statistic("the same for the twins")]
    f1_before: Annotated[float | None, Statistic("harmonic mean of the two, clean texts", "entity F1|before")]
    f1_after: Annotated[float | None, Statistic("the same for the twins", "entity F1|after")]
    f1_drop: Annotated[Estimate, Statistic("entity F1 before minus after", "entity F1|drop")]
    support: Annotated[int | None, Statistic("entities of the targets")] = None


def score_entities(
    targets: Sequence[Entities],
    before: Sequence[Entities],
    after: Sequence[Entities],
    *,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 1_000,
) -> EntityScore:
    """Return the numbers for the entities that each row has and was given; None means none at all.

    >>> gold = [{(0, 5, "PER")}, {(3, 8, "LOC")}]
    >>> score_entities(gold, gold, [gold[0], set()]).f1_after
    66.66666666666667
    """
    refuse_lengths({"targets": targets, "before": before, "after": after})
    rows = list(zip(targets, before, after, strict=True))
    whole = np.array([None not in row for row in rows], np.bool_)
    counts = np.array([_count(*row) for row in rows if None not in row], np.int64).reshape(-1, 5)
    if not counts[:, [0, 2, 4]].any():
        return EntityScore(None, None, None, None, None, None, Estimate(), 0)

    def measure(chosen: Ints) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        gold, hits, found, hits_after, found_after = counts[chosen].sum(axis=0).tolist()
        return _rates(gold, hits, found), _rates(gold, hits_after, found_after)

    def drop_of(chosen: Ints) -> float:
        first, second = measure(chosen)
        return first[2] - second[2]

    grouped = as_clusters(clusters, len(rows), whole)
    first, second = measure(np.arange(len(counts)))
    return EntityScore(
        precision_before=first[0],
        precision_after=second[0],
        recall_before=first[1],
        recall_after=second[1],
        f1_before=first[2],
        f1_after=second[2],
        f1_drop=bootstrap_rows(len(counts), drop_of, clusters=grouped, resamples=resamples, seed=seed),
        support=int(counts[:, 0].sum()),
    )


def _count(targets: Entities, before: Entities, after: Entities) -> tuple[int, ...]:
    gold, first, second = set(targets or ()), set(before or ()), set(after or ())
    return len(gold), len(gold & first), len(first), len(gold & second), len(second)


def _rates(gold: int, hits: int, found: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 in percent; 0 if there is nothing to divide by, as conlleval has it."""
    precision, recall = 100 * hits / found if found else 0.0, 100 * hits / gold if gold else 0.0
    return precision, recall, 200 * hits / (gold + found) if gold + found else 0.0


@dataclass(frozen=True, slots=True)
class MetricChange:
    """A metric in its own units; `change` is after minus before."""

    before: Annotated[float | None, Statistic("for the clean texts", "own metric|before", digits=3)]
    after: Annotated[float | None, Statistic("for the twins", "own metric|after", digits=3)]
    change: Annotated[Estimate, Statistic("after minus before", "change", digits=3)]


def metric_change(
    metric: Metric,
    labels: Sequence[str | None],
    before: Sequence[str | None],
    after: Sequence[str | None],
    *,
    labels_after: Sequence[str | None] | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = 1_000,
    seed: int = 0,
) -> MetricChange:
    """Return `metric(labels, answers)` before and after, over pairs with a label and two answers.

    Resamples for which the metric fails (an error, or not a finite number) are left out; if they are more
    than 5 %, there is no interval. Twins may have labels of their own, `labels_after`.

    >>> def share(labels, answers): return sum(map(str.__eq__, labels, answers)) / len(labels)
    >>> metric_change(share, ["a", "b"], ["a", "b"], ["a", "a"]).change.value
    -0.5
    """
    others = labels if labels_after is None else labels_after
    refuse_lengths({"labels": labels, "before": before, "after": after, "labels_after": others})
    rows = list(zip(labels, before, others, after, strict=True))
    whole = np.array([None not in row for row in rows], np.bool_)
    grouped = as_clusters(clusters, len(rows), whole)
    if not whole.any():
        return MetricChange(None, None, Estimate())
    columns = np.array([row for row in rows if None not in row], dtype=object).T

    def measure(chosen: Ints | slice) -> list[float]:
        target, first, other, second = columns[:, chosen].tolist()
        return [_measure(metric, target, first), _measure(metric, other, second)]

    def change(chosen: Ints) -> float:
        try:
            less, more = measure(chosen)
        except UsageError:
            return math.nan
        return more - less

    start, end = (value if math.isfinite(value) else None for value in measure(slice(None)))
    return MetricChange(
        start, end, bootstrap_rows(columns.shape[1], change, clusters=grouped, resamples=resamples, seed=seed)
    )


def _measure(metric: Metric, labels: list[str], answers: list[str]) -> float:
    try:
        return float(metric(labels, answers))
    except Exception as error:
        name = getattr(metric, "__name__", type(metric).__name__)
        problem = f"{type(error).__name__}: {error}{place_of(error)}"
        raise UsageError(f"metric {name!r} failed: {problem}; it must take labels and answers") from error
