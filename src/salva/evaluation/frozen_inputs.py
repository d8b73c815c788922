"""The inputs of a run over a suite: its twins and contrasts are looked up, and none is made again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import as_strings
from salva.evaluation.conditions import Condition, Contrast
from salva.evaluation.contrast_twins import ContrastMaker, ContrastTwins, make_row_twins
from salva.evaluation.frozen import twin_column
from salva.evaluation.inputs import RowTwins, TwinMaker
from salva.evaluation.settings import EvaluationSettings
from salva.runs import RowGroup, RunRows
from salva.suites import FrozenEdit
from salva.tasks import Expected
from salva.tasks.choices import Row
from salva.transforms import Protected, Transform, Twins
from salva.transforms.twins import EDIT_COLUMNS, Summary


@dataclass(frozen=True, eq=False, repr=False)
class FrozenTwins(Twins):
    """Twins that were read, with their edits."""

    table: pa.Table

    @cached_property
    def edits(self) -> pa.Table:
        """The edits, in code points."""
        return self.table


class _Packed(NamedTuple):
    """Twins of some rows as a run keeps them: their texts by column, their edits, their new right answers."""

    texts: list[dict[str, str | None]]
    edits: list[list[FrozenEdit]]
    targets: list[tuple[str, ...]]

    @classmethod
    def of(cls, group: RowGroup, condition: str) -> _Packed:
        """Return the twins of rows under a condition or a contrast."""
        cells = [json.loads(one or "[{}, []]") for one in group.columns[twin_column(condition)]]
        return cls(
            [texts for texts, *_ in cells],
            [[FrozenEdit(*edit) for edit in edits] for _, edits, *_ in cells],
            [tuple(targets[0]) if targets else () for _, _, *targets in cells],
        )

    def list_columns(self, numbers: Sequence[int], counts: Summary) -> Iterator[Twins]:
        """Yield the columns with these numbers; the counts of all come with the first."""
        names = list(self.texts[0]) if self.texts else []
        for k, number in enumerate(numbers):
            name = names[number] if names else ""
            column = as_strings([texts.get(name) for texts in self.texts]).array
            summary = Summary() if k else counts
            yield FrozenTwins(None, column, (), "", summary, None, list, _table(self.edits, name))


def _count_edits(transform: Transform, condition: str, group: RowGroup) -> Summary:
    """Return the counts of a condition over all rows with the first group, and none with the others."""
    counts = transform.as_dict()["frozen"]["counts"]
    return Summary.from_dict(counts[condition]) if group.first == 0 else Summary()


class FrozenMaker(TwinMaker):
    """Has the face of a `TwinMaker`; the twins come from columns of the rows."""

    def __init__(self, rows: RunRows, settings: EvaluationSettings) -> None:
        super().__init__(rows, settings)
        self._hidden = set(settings.frozen_columns)

    def _rewrite(
        self,
        condition: Condition,
        group: RowGroup,
        protected: dict[str | None, list[Protected]],
        threads: int | None,
    ) -> RowTwins:
        """Return the twins of rows under a condition; paraphrases are columns already."""
        rewriting = condition.rewriting
        if rewriting is None:
            return super()._rewrite(condition, group, protected, threads)
        counts = _count_edits(rewriting.transform, rewriting.name, group)
        return make_row_twins(list(_Packed.of(group, rewriting.name).list_columns(self._columns, counts)))

    def _task_rows(self, group: RowGroup, columns: Sequence[pa.Array]) -> Iterator[Row]:
        """Yield rows as the task sees them, without their twins."""
        kept = {name: values for name, values in group.columns.items() if name not in self._hidden}
        return super()._task_rows(replace(group, columns=kept), columns)


class FrozenContrasts(ContrastMaker):
    """Has the face of a `ContrastMaker`; texts and new right answers come from columns of the rows."""

    def make(self, contrast: Contrast, group: RowGroup) -> ContrastTwins:
        """Return some rows under a contrast."""
        packed = _Packed.of(group, contrast.name)
        counts = _count_edits(contrast.transform, contrast.name, group)
        twins = make_row_twins(list(packed.list_columns(self._columns, counts)))
        labels = [targets[0] if targets else None for targets in packed.targets]
        clean = self.maker.find_keys(group)
        keys = [] if clean is None else list(map(_change_targets, clean, packed.targets))
        return ContrastTwins(twins, np.array([bool(some) for some in packed.edits], np.bool_), keys, labels)


def _change_targets(key: Expected, targets: tuple[str, ...]) -> Expected | None:
    """Return a key with the new right answers; None if they are not known."""
    return key._replace(targets=targets) if targets else None


def _table(edits: Sequence[Sequence[FrozenEdit]], column: str) -> pa.Table:
    """Return the edits of one column, with the numbers of their rows."""
    listed = [(row, *edit[1:]) for row, some in enumerate(edits) for edit in some if edit.column == column]
    values = list(zip(*listed, strict=True)) or [()] * len(EDIT_COLUMNS)
    return pa.table(dict(zip(EDIT_COLUMNS, map(list, values), strict=True)))


def make_maker(rows: RunRows, settings: EvaluationSettings, threads: int | None) -> TwinMaker:
    """Return what makes the inputs of a run, or looks them up if it is a run over a suite."""
    return TwinMaker(rows, settings, threads) if settings.suite is None else FrozenMaker(rows, settings)


def make_contrasts(maker: TwinMaker, settings: EvaluationSettings) -> ContrastMaker:
    """Return what makes the contrasts of a run, or looks them up if it is a run over a suite."""
    return ContrastMaker(maker, settings) if settings.suite is None else FrozenContrasts(maker, settings)
