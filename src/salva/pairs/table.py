"""Pairs as columns of flags, and the numbers that every score of pairs has, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from salva._types import Bools, Ints, Ints64
from salva.pairs.codes import Cells
from salva.pairs.drops import mean_percent
from salva.stats import Estimate, mcnemar, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    """What is known about each pair; a row stands for as many equal pairs as `counts` says.

    Pairs with the same number in `clusters` are not independent, so their intervals are bootstraps over
    clusters. Without clusters, rates have Wilson's interval, and drops a bootstrap over pairs.
    """

    answered: Bools  # on both sides
    labelled: Bools  # and the right answer is known
    right_before: Bools
    right_after: Bools
    same: Bools  # right or not
    counts: Ints
    clusters: Ints | None = None
    seed: int = 0
    resamples: int = 10_000

    @classmethod
    def of(cls, cells: Cells, **columns: Any) -> Self:
        """Return the table of labels and answers; `columns` are further fields."""
        answered = (cells.before >= 0) & (cells.after >= 0)
        return cls(
            answered=answered,
            labelled=answered & (cells.labels >= 0),
            right_before=cells.before == cells.labels,
            right_after=cells.after == cells.labels,
            same=cells.before == cells.after,
            counts=cells.counts,
            **columns,
        )

    def where(self, rows: Bools) -> Self:
        """Return some of the rows."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        columns: dict[str, Any] = {k: v[rows] for k, v in values.items() if isinstance(v, np.ndarray)}
        return replace(self, **columns)

    def count(self, rows: Bools) -> int:
        """Return the number of pairs in some rows."""
        return int(self.counts[rows].sum())

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
    def p(self) -> float | None:
        """McNemar's exact test of the flips; None if there are no pairs."""
        return mcnemar(self.right_to_wrong, self.wrong_to_right) if self.n else None

    def rate(self, hits: Bools, among: Bools) -> Estimate:
        """Return the share of hits among some pairs, in percent."""
        if self.clusters is None:
            return wilson(self.count(hits & among), self.count(among))
        return self._mean(hits.astype(np.int64), among, least=0)

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
        """Return how often both answers are the same; this needs no label."""
        return self.rate(self.same, self.answered)

    def drop(self) -> Estimate:
        """Return the accuracy before less that after, in points."""
        return self._mean(self.right_before.astype(np.int64) - self.right_after, self.labelled, least=-1)

    def _mean(self, values: Ints64, among: Bools, *, least: int) -> Estimate:
        """Return the mean in percent, with an interval over clusters; those that are alike are counted."""
        draws: dict[str, Any] = {"least": least, "seed": self.seed, "resamples": self.resamples}
        values, counts = values[among], self.counts[among]
        if self.clusters is None:
            return mean_percent(values, np.ones(len(values)), counts, **draws)
        _, places = np.unique(self.clusters[among], return_inverse=True)
        sums, sizes = np.bincount(places, values * counts), np.bincount(places, counts)
        return mean_percent(sums, sizes, np.ones(len(sizes)), **draws)
