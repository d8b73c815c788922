"""What is known about rows besides their answers: equal texts, lengths, and the values of some columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from salva._arrow import ints, valid_rows
from salva._types import Ints, Ints64
from salva.evaluation.details import Duplicates
from salva.evaluation.results import Clusters, ConditionResult
from salva.runs import RowGroup


class RowFacts:
    """Facts about all rows, added group by group; rows are clusters by their text, or by a column."""

    def __init__(
        self,
        rows: int,
        group_column: str | None = None,
        *,
        columns: Sequence[str] = (),
        text_column: int = 0,
    ) -> None:
        self.texts: Ints64 = np.zeros(rows, np.int64)  # equal for rows with the same text
        self.lengths: Ints64 = np.full(rows, -1, np.int64)  # in characters; -1 for no text
        groups = [] if group_column is None else [group_column]
        self.columns: dict[str, list[str | None]] = {name: [] for name in [*groups, *columns]}
        self._group_column, self._text_column = group_column, text_column
        self._numbers: dict[Hashable, int] = {}

    def add(self, group: RowGroup, ids: Sequence[bytes | None]) -> None:
        """Add the next rows, with the ids of their clean texts."""
        place = slice(group.first, group.first + len(group))
        self.texts[place] = _number((name or b"" for name in ids), self._numbers, len(group))
        lengths = pc.utf8_length(group.texts[self._text_column].array)
        self.lengths[place] = np.where(valid_rows(lengths), ints(lengths), -1)
        for name, values in self.columns.items():
            values.extend(group.columns[name])

    @cached_property
    def clusters(self) -> Ints64:
        """The cluster of every row, once all are added: rows of one cluster are not independent."""
        if self._group_column is None:
            return self.texts
        # A row without a value is a group of its own.
        values = enumerate(self.columns[self._group_column])
        return _number(((row,) if value is None else value for row, value in values), {}, len(self.texts))

    def describe_clusters(self, conditions: Sequence[ConditionResult]) -> Clusters:
        """Return how many clusters there are, and how much they widen the intervals of conditions."""
        sizes = np.bincount(self.clusters)
        effects = [condition.score.design_effect for condition in conditions]
        return Clusters(
            column=self._group_column,
            number=int((sizes > 0).sum()),
            largest=int(sizes.max()),
            repeated_rows=int(sizes[sizes > 1].sum()),
            design_effect=max((effect for effect in effects if effect is not None), default=None),
        )

    def count_duplicates(self, labels: Ints) -> Duplicates:
        """Return how many rows repeat a text, and how many of them have a text with several labels."""
        known = self.lengths >= 0
        times = np.bincount(self.texts[known], minlength=len(self.texts))
        labelled = known & (labels >= 0)
        pairs = np.unique(np.stack([self.texts[labelled], labels[labelled]]), axis=1)
        several = np.bincount(pairs[0], minlength=len(times)) > 1
        return Duplicates(
            texts=int((times > 1).sum()),
            rows=int(times[times > 1].sum()),
            contradictory_texts=int(several.sum()),
            contradictory_rows=int(times[several].sum()),
        )


def _number(keys: Iterable[Hashable], known: dict[Hashable, int], rows: int) -> Ints64:
    """Return the numbers of keys, in order of first occurrence."""
    return np.fromiter((known.setdefault(key, len(known)) for key in keys), np.int64, rows)
