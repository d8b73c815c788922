"""Several models asked in the same ways: the numbers of each, and how much those of two models differ.

Everything is computed over the items that all models answered in all their ways, so that a difference is the
number of one model less that of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Bools, Floats
from salva.pairs.codes import as_codes
from salva.pairs.variants import Items, Measured, VariantScore, as_masks
from salva.stats import Estimate
from salva.stats.clusters import DROP_CLUSTERS

SPREAD = "spread"


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


def score_several_variants(
    labels: ArrayLike,
    answers: Sequence[Sequence[ArrayLike]],
    *,
    asked: Sequence[Bools | None] | None = None,
    scores: Sequence[Sequence[Floats | None]] | None = None,
    clusters: ArrayLike | None = None,
) -> SeveralVariants:
    """Return the numbers of several models, given the answers of each in every way, as codes.

    The other arguments are as for `score_variants`; `scores` has one sequence per model.

    >>> found = score_several_variants([0, 0], [[[0, 0], [0, 1]], [[0, 0], [0, 0]]])
    >>> [(one.number, one.value.value) for one in found.differences][:2]
    [('spread', -50.0), ('mean', 25.0)]
    """
    named = {f"answers {k}, {way}": codes for k, own in enumerate(answers) for way, codes in enumerate(own)}
    label, *columns = as_codes(labels=labels, **named)
    ways, rows = len(answers[0]), len(label)
    table = np.stack(columns).astype(np.int64).reshape(len(answers), ways, rows)
    masks = as_masks(asked, ways, rows)
    whole = ((table >= 0) | ~masks).all(axis=(0, 1))
    models = [
        Items(
            label.astype(np.int64),
            np.where(whole, codes, -1),
            masks,
            scores=None if scores is None else scores[k],
            clusters=clusters,
        )
        for k, codes in enumerate(table)
    ]
    found = tuple(model.score() for model in models)
    return SeveralVariants(found, tuple(_subtract(models, found)))


def _subtract(models: Sequence[Items], scores: Sequence[VariantScore]) -> Iterator[VariantDifference]:
    measured = [model.measure() for model in models]
    for a, b in combinations(range(len(models)), 2):
        first, second = scores[a].spread, scores[b].spread
        apart = None if first is None or second is None else second - first
        yield VariantDifference(SPREAD, a, b, scores[a].n, Estimate(apart))
        for name, one in measured[a].items():
            less = Measured(measured[b][name].values - one.values, one.among)
            value = models[a].mean(less, least=-1, extra=DROP_CLUSTERS)
            yield VariantDifference(name, a, b, int(one.among.sum()), value)
