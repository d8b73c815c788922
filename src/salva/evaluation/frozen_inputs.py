"""The inputs of a run over a suite: its twins are looked up, and none is made again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from salva._arrow import as_strings
from salva.evaluation.conditions import Condition
from salva.evaluation.frozen import twin_column
from salva.evaluation.inputs import RowTwins, TwinMaker
from salva.evaluation.settings import EvaluationSettings
from salva.runs import RowGroup, RunRows
from salva.suites import FrozenEdit
from salva.tasks.options import Row
from salva.transforms import Protected, Twins
from salva.transforms.twins import EDIT_COLUMNS, Summary


@dataclass(frozen=True, eq=False, repr=False)
class FrozenTwins(Twins):
    """Twins that were read, with their edits."""

    table: pa.Table

    @cached_property
    def edits(self) -> pa.Table:
        """The edits, in code points."""
        return self.table


class FrozenMaker(TwinMaker):
    """Has the face of a `TwinMaker`; the twins come from columns of the rows."""

    def __init__(self, rows: RunRows, settings: EvaluationSettings) -> None:
        super().__init__(rows, settings)
        self._presets: dict[str, Any] = dict(settings.transforms)
        self._hidden = {twin_column(condition.name) for condition in self.conditions}

    def _rewrite(
        self,
        condition: Condition,
        group: RowGroup,
        protected: dict[str | None, list[Protected]],
        threads: int | None,
    ) -> RowTwins:
        """Return the twins of rows under a condition; the counts of all come with the first group."""
        assert condition.rewriting is not None  # noqa: S101
        packed = [json.loads(one or "[{}, []]") for one in group.columns[twin_column(condition.name)]]
        about = self._presets[condition.rewriting.preset].about["frozen"]
        counts = Summary.from_dict(about["counts"][condition.name]) if group.first == 0 else Summary()
        names = list(packed[0][0]) if packed else []
        columns = []
        for k, number in enumerate(self._columns):
            name = names[number] if names else ""
            column = as_strings([texts.get(name) for texts, _ in packed]).array
            edits = _table([[FrozenEdit(*edit) for edit in some] for _, some in packed], name)
            summary = Summary() if k else counts
            columns.append(FrozenTwins(None, column, (), "", summary, None, list, edits))
        return RowTwins(tuple(one.column for one in columns), tuple(columns), condition.variant)

    def _task_rows(self, group: RowGroup, columns: Sequence[pa.Array]) -> Iterator[Row]:
        """Yield rows as the task sees them, without their twins."""
        kept = {name: values for name, values in group.columns.items() if name not in self._hidden}
        return super()._task_rows(replace(group, columns=kept), columns)


def _table(edits: Sequence[Sequence[FrozenEdit]], column: str) -> pa.Table:
    """Return the edits of one column, with the numbers of their rows."""
    listed = [(row, *edit[1:]) for row, some in enumerate(edits) for edit in some if edit.column == column]
    values = list(zip(*listed, strict=True)) or [()] * len(EDIT_COLUMNS)
    return pa.table(dict(zip(EDIT_COLUMNS, map(list, values), strict=True)))


def make_maker(rows: RunRows, settings: EvaluationSettings, threads: int | None) -> TwinMaker:
    """Return what makes the inputs of a run, or looks them up if it is a run over a suite."""
    return TwinMaker(rows, settings, threads) if settings.suite is None else FrozenMaker(rows, settings)
