"""Pairs that are not independent, such as those with the same text: intervals and tests over clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Bools, Ints64
from salva.pairs.codes import Cells, ClusterSums, as_codes, sum_clusters
from salva.pairs.table import PairTable
from salva.stats import Estimate, clustered_mean, design_effect, sign_flip_clusters
from salva.stats.clusters import DROP_CLUSTERS, RATE_CLUSTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredPairs(PairTable):
    """Pairs with a row each, in `clusters`, which are numbers from 0."""

    @property
    def p(self) -> float | None:
        """The sign-flip test of the drops of clusters; None if there are no pairs."""
        return sign_flip_clusters(self._sum(self._drops(), self.labelled).sums) if self.n else None

    @property
    def design_effect(self) -> float | None:
        """How many times larger the clusters make the variance of the drop."""
        drops = self._drops()
        squares = float((drops[self.labelled] ** 2).sum())
        return design_effect(*self._sum(drops, self.labelled), squares)

    def rate(self, hits: Bools, among: Bools) -> Estimate:
        """Return the share of hits among some pairs, in percent."""
        return clustered_mean(*self._sum(hits.astype(np.int64), among), extra=RATE_CLUSTERS)

    def drop(self) -> Estimate:
        """Return the accuracy before less that after, in points."""
        return clustered_mean(*self._sum(self._drops(), self.labelled), least=-1, extra=DROP_CLUSTERS)

    def _drops(self) -> Ints64:
        return self.right_before.astype(np.int64) - self.right_after

    def _sum(self, values: Ints64, among: Bools) -> ClusterSums:
        assert self.clusters is not None  # noqa: S101
        return sum_clusters(self.clusters[among].astype(np.int64), values[among])


def pair_rows(labels: ArrayLike, before: ArrayLike, after: ArrayLike, clusters: Ints64) -> ClusteredPairs:
    """Return the pairs of answers to rows, given as codes, with the cluster of every row."""
    label, first, second = as_codes(labels=labels, before=before, after=after)
    rows = Cells(label, first, second, np.ones(len(label), np.int64))
    return ClusteredPairs.of(rows, clusters=clusters)
