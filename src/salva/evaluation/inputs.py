"""The inputs of a model: rows as they are, and their twins under every condition.

Without a task, an input is a text or a pair of texts, one of which is rewritten. With a task, it is the
filled prompt, and every column that the task lets edit is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import add
from typing import NamedTuple

import pyarrow as pa

from salva._arrow import as_strings
from salva.evaluation.results import Edit
from salva.evaluation.settings import Condition, EvaluationSettings
from salva.models import Text, text_id
from salva.runs import RowGroup, RunRows
from salva.tasks import Key, Question
from salva.transforms import Protected, RowSpans, Twins
from salva.transforms.twins import Summary


class RowTwins(NamedTuple):
    """Some rows and their twins under one condition, column by column."""

    columns: tuple[Twins, ...]

    @property
    def summary(self) -> Summary:
        """The counts of all columns together."""
        return reduce(add, (twins.summary for twins in self.columns))


class ShownTwin(NamedTuple):
    """A twin as people see it, with its edits; `places` has the column of each edit and where that begins.

    `values` are the rewritten columns themselves.
    """

    text: str
    edits: tuple[Edit, ...]
    values: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


class TwinMaker:
    """Makes the inputs of the model: the texts of the rows, and their twins under every condition."""

    def __init__(self, rows: RunRows, settings: EvaluationSettings, threads: int | None = None) -> None:
        self.rows, self.conditions, self._threads = rows, settings.conditions, threads
        self._task, self._columns = settings.task, settings.rewritten_columns

    def make_twins(self, group: RowGroup) -> Iterator[RowTwins]:
        """Yield the twins of some rows, one condition at a time."""
        protected = self._protected(group)
        for condition in self.conditions:
            yield self._rewrite(condition, group, protected, self._threads)

    def twins_of(self, condition: Condition, group: RowGroup) -> RowTwins:
        """Return the twins of a few rows under one condition."""
        return self._rewrite(condition, group, self._protected(group), 1)

    def _rewrite(
        self, condition: Condition, group: RowGroup, protected: Sequence[Protected], threads: int | None
    ) -> RowTwins:
        return RowTwins(
            tuple(
                condition.make_twins(group.texts[column], protected=spans, threads=threads)
                for column, spans in zip(self._columns, protected, strict=True)
            )
        )

    def _protected(self, group: RowGroup) -> list[Protected]:
        """Return what must not change in each of the rewritten columns."""
        if self._task is None:
            return [None]
        rows = list(self._task_rows(group, [text.array for text in group.texts]))
        return [
            RowSpans.of(
                group.texts[column], [self._task.protected(self._task.edit[column], row) for row in rows]
            )
            for column in self._columns
        ]

    def clean_inputs(self, group: RowGroup) -> list[Text | None]:
        """Return rows as model inputs; None if a text is missing."""
        return self._inputs(group, [text.array for text in group.texts])

    def twin_inputs(self, group: RowGroup, twins: RowTwins) -> list[Text | None]:
        """Return rows as model inputs, with the rewritten columns replaced by their twins."""
        return self._inputs(group, self._replaced(group, [one.column for one in twins.columns]))

    def changed_inputs(self, group: RowGroup, values: Sequence[Sequence[str]]) -> list[Text | None]:
        """Return rows as model inputs, with other values of the rewritten columns, row by row."""
        columns = [pa.array(column, pa.large_string()) for column in zip(*values, strict=True)]
        return self._inputs(group, self._replaced(group, columns))

    def _replaced(self, group: RowGroup, columns: Sequence[pa.Array]) -> list[pa.Array]:
        arrays = [text.array for text in group.texts]
        for column, array in zip(self._columns, columns, strict=True):
            arrays[column] = array
        return arrays

    def _inputs(self, group: RowGroup, columns: Sequence[pa.Array]) -> list[Text | None]:
        if self._task is None:
            return _join(columns)
        return [question and question.prompt for question in self._questions(group, columns)]

    def _questions(self, group: RowGroup, columns: Sequence[pa.Array]) -> Iterator[Question | None]:
        return map(self._task.fill, self._task_rows(group, columns)) if self._task else iter(())

    def _task_rows(self, group: RowGroup, columns: Sequence[pa.Array]) -> Iterator[dict[str, str | None]]:
        """Yield rows as the task sees them, with these columns of texts."""
        edit = self._task.edit if self._task else ()
        named = dict(zip(edit, (column.to_pylist() for column in columns), strict=True)) | group.columns
        return (dict(zip(named, cells, strict=True)) for cells in zip(*named.values(), strict=True))

    def find_keys(self, group: RowGroup) -> list[Key] | None:
        """Return what the answers to rows are checked against; None if there is no task."""
        if self._task is None:
            return None
        return [self._task.find_key(row) for row in self._task_rows(group, [t.array for t in group.texts])]

    def take(self, numbers: Sequence[int]) -> RowGroup:
        """Return the rows with these numbers, in any order and as often as they are named."""
        ascending = sorted(set(numbers))
        group, places = self.rows.rows(ascending), {row: place for place, row in enumerate(ascending)}
        some = [places[row] for row in numbers]
        return RowGroup(
            0,
            [group.ids[k] for k in some],
            tuple(as_strings(text.array.take(pa.array(some, pa.int64()))) for text in group.texts),
            [group.labels[k] for k in some],
            {name: [values[k] for k in some] for name, values in group.columns.items()},
        )

    def show(self, group: RowGroup, twins: RowTwins) -> list[ShownTwin]:
        """Return the twins of rows as people see them: the rewritten text, or the whole question."""
        values = list(zip(*(one.column.to_pylist() for one in twins.columns), strict=True))
        edits = [_list_edits(one, len(group)) for one in twins.columns]
        if self._task is None:
            return [
                ShownTwin(own[0], some, own, ((0, 0),) * len(some))
                for own, some in zip(values, edits[0], strict=True)
            ]
        questions = self._questions(group, self._replaced(group, [one.column for one in twins.columns]))
        return [
            _show(question, own, [some[k] for some in edits], [self._task.edit[c] for c in self._columns])
            for k, (question, own) in enumerate(zip(questions, values, strict=True))
            if question is not None
        ]

    def distinct_texts(self) -> Iterator[Text]:
        """Yield every text that the model is asked about, once; not those asked to find the blame."""
        seen: set[bytes] = set()
        for group in self.rows:
            twins = (self.twin_inputs(group, twins) for twins in self.make_twins(group))
            for text in chain(self.clean_inputs(group), *twins):
                if text is not None and (name := text_id(text)) not in seen:
                    seen.add(name)
                    yield text


def _show(
    question: Question, values: tuple[str, ...], edits: Sequence[tuple[Edit, ...]], names: Sequence[str]
) -> ShownTwin:
    """Return a question with its edits where they are in it, in the order of its text."""
    starts = [question.starts[name] for name in names]
    placed = sorted(
        (edit.start + starts[column], column, edit) for column, some in enumerate(edits) for edit in some
    )
    return ShownTwin(
        question.prompt.text,
        tuple(edit.moved(starts[column]) for _, column, edit in placed),
        values,
        tuple((column, starts[column]) for _, column, _ in placed),
    )


def _list_edits(twins: Twins, rows: int) -> list[tuple[Edit, ...]]:
    by_row: list[list[Edit]] = [[] for _ in range(rows)]
    names = ("row", "new_start", "new_end", "old", "new", "rule")
    for row, start, end, old, new, rule in zip(
        *(twins.edits[name].to_pylist() for name in names), strict=True
    ):
        by_row[row].append(Edit(start, end, old, new, rule, blamed=False))
    return [tuple(edits) for edits in by_row]


def _join(columns: Sequence[pa.LargeStringArray]) -> list[Text | None]:
    if len(columns) == 1:
        texts: list[Text | None] = columns[0].to_pylist()
        return texts
    pairs = zip(*(column.to_pylist() for column in columns), strict=True)
    return [None if None in pair else pair for pair in pairs]
