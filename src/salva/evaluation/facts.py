"""What is known about rows besides their answers: which have the same text, and which belong to one group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from salva._types import Ints64
from salva.evaluation.results import Clusters, ConditionResult
from salva.models import Text, text_id
from salva.runs import RowGroup


class RowFacts:
    """Facts about all rows, added group by group; rows are clusters by their text, or by a column."""

    def __init__(self, rows: int, group_column: str | None = None) -> None:
        self.texts: Ints64 = np.zeros(rows, np.int64)  # equal for rows with the same text
        self._groups: Ints64 = np.zeros(rows, np.int64)
        self._group_column = group_column
        self._text_numbers: dict[Hashable, int] = {}
        self._group_numbers: dict[Hashable, int] = {}

    def add(self, group: RowGroup, inputs: Sequence[Text | None]) -> None:
        """Add some rows with the clean inputs of the model."""
        place = slice(group.first, group.first + len(group))
        ids = (b"" if text is None else text_id(text) for text in inputs)
        self.texts[place] = _number(ids, self._text_numbers, len(group))
        if self._group_column is not None:
            # A row without a value is a group of its own.
            values = enumerate(group.columns[self._group_column], group.first)
            keys = ((row,) if value is None else value for row, value in values)
            self._groups[place] = _number(keys, self._group_numbers, len(group))

    @property
    def clusters(self) -> Ints64:
        """The cluster of every row: rows of one cluster are not independent."""
        return self.texts if self._group_column is None else self._groups

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


def _number(keys: Iterable[Hashable], known: dict[Hashable, int], rows: int) -> Ints64:
    """Return the numbers of keys, in order of first occurrence."""
    return np.fromiter((known.setdefault(key, len(known)) for key in keys), np.int64, rows)
