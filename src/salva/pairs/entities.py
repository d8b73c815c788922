"""Entities before and after: precision, recall and F1 over all entities, as the CoNLL evaluation has them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from salva._results import brief
from salva._types import Ints
from salva.pairs.codes import as_clusters, refuse_lengths
from salva.pairs.statistics import Statistic
from salva.stats import Estimate, bootstrap_rows

Spans = Collection[Hashable] | None


@brief
@dataclass(frozen=True, slots=True)
class EntityScore:
    """Entities of all rows together, in percent; the drop is in points of F1.

    An entity is right if its span and its label are. Rows without a target or an answer on one side are in
    no number.
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
    targets: Sequence[Spans],
    before: Sequence[Spans],
    after: Sequence[Spans],
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
    grouped = as_clusters(clusters, len(rows))
    drop = bootstrap_rows(
        len(counts),
        lambda chosen: _drop(counts, chosen),
        clusters=None if grouped is None else grouped[whole],
        resamples=resamples,
        seed=seed,
    )
    gold, hits, found, hits_after, found_after = counts.sum(axis=0).tolist()
    first, second = _rates(gold, hits, found), _rates(gold, hits_after, found_after)
    return EntityScore(first[0], second[0], first[1], second[1], first[2], second[2], drop, gold)


def _count(targets: Spans, before: Spans, after: Spans) -> tuple[int, ...]:
    gold, first, second = set(targets or ()), set(before or ()), set(after or ())
    return len(gold), len(gold & first), len(first), len(gold & second), len(second)


def _rates(gold: int, hits: int, found: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 in percent; 0 if there is nothing to divide by, as conlleval has it."""
    precision, recall = 100 * hits / found if found else 0.0, 100 * hits / gold if gold else 0.0
    return precision, recall, 200 * hits / (gold + found) if gold + found else 0.0


def _drop(counts: Ints, chosen: Ints) -> float:
    gold, hits, found, hits_after, found_after = counts[chosen].sum(axis=0).tolist()
    return _rates(gold, hits, found)[2] - _rates(gold, hits_after, found_after)[2]
