"""The inputs of a model: rows as they are, and under every condition.

Without a task, an input is a text or a pair of texts, one of which is rewritten. With a task, it is the
filled prompt, and every column that the task lets edit is rewritten. A variant then asks in another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import add
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_numbers, as_strings
from salva.evaluation.axes import Variant
from salva.evaluation.conditions import Condition
from salva.evaluation.results import Edit
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.shown import Moves, ShownTwin, list_edits, show_question
from salva.models import Text, as_text
from salva.runs import RowGroup, RunRows, question_id
from salva.tasks import Expected, Question
from salva.tasks.choices import Row
from salva.transforms import Protected, RowSpans, Twins
from salva.transforms.twins import Summary


class RowTwins(NamedTuple):
    """Some rows under one condition: the edited columns, which are `columns` if they were rewritten.

    A row without a value there has no question under this condition.
    """

    texts: tuple[pa.Array, ...]
    columns: tuple[Twins, ...]
    variant: Variant | None = None

    @property
    def summary(self) -> Summary:
        """The counts of all columns together."""
        return reduce(add, (twins.summary for twins in self.columns), Summary())

    @property
    def time(self) -> int:
        """How often the same was asked before."""
        return 0 if self.variant is None else self.variant.time


class TwinMaker:
    """Makes the inputs of the model: the texts of the rows, clean and under every condition."""

    def __init__(self, rows: RunRows, settings: EvaluationSettings, threads: int | None = None) -> None:
        self.rows, self.conditions, self._threads = rows, settings.conditions, threads
        self._task, self._columns = settings.task, settings.rewritten_columns

    def make_twins(self, group: RowGroup) -> Iterator[RowTwins]:
        """Yield some rows, one condition at a time."""
        protected: dict[str | None, list[Protected]] = {}
        for condition in self.conditions:
            yield self._rewrite(condition, group, protected, self._threads)

    def twins_of(self, condition: Condition, group: RowGroup) -> RowTwins:
        """Return a few rows under one condition."""
        return self._rewrite(condition, group, {}, 1)

    def _rewrite(
        self,
        condition: Condition,
        group: RowGroup,
        protected: dict[str | None, list[Protected]],
        threads: int | None,
    ) -> RowTwins:
        """Return rows under a condition; `protected` has what must not change, by the column of a variant."""
        variant, rewriting = condition.variant, condition.rewriting
        column = None if variant is None else variant.column
        texts = self._edited(group, column)
        if rewriting is None:
            return RowTwins(tuple(text.array for text in texts), (), variant)
        if column not in protected:
            protected[column] = self._protected(group, texts)
        twins = tuple(
            rewriting.make_twins(text, protected=spans, threads=threads)
            for text, spans in zip(texts, protected[column], strict=True)
        )
        return RowTwins(tuple(one.column for one in twins), twins, variant)

    def _edited(self, group: RowGroup, column: str | None) -> list[Strings]:
        """Return the columns to rewrite; a column of paraphrases takes the place of the first."""
        own = [group.texts[number] for number in self._columns]
        if column is None:
            return own
        values = [value if value and value.strip() else None for value in group.columns[column]]
        return [as_strings(values), *own[1:]]

    def _protected(self, group: RowGroup, texts: Sequence[Strings]) -> list[Protected]:
        """Return what must not change in each of the rewritten columns."""
        if self._task is None:
            return [None]
        rows = list(self._task_rows(group, [text.array for text in texts]))
        return [
            RowSpans.of(text, [self._task.protected(name, row) for row in rows])
            for name, text in zip(self._task.edit, texts, strict=True)
        ]

    def clean_inputs(self, group: RowGroup) -> list[Text | None]:
        """Return rows as model inputs; None if a text is missing."""
        return self._inputs(group, [text.array for text in group.texts], [None] * len(group))

    def twin_inputs(self, group: RowGroup, twins: RowTwins) -> list[Text | None]:
        """Return rows as model inputs under a condition; None if a row is not asked about there."""
        return self._inputs(group, self._replaced(group, twins.texts), [twins.variant] * len(group))

    def changed_inputs(
        self, group: RowGroup, values: Sequence[Sequence[str]], variants: Sequence[Variant | None]
    ) -> list[Text | None]:
        """Return rows as model inputs, with other values of the rewritten columns, and a variant for each."""
        columns = [as_strings(column).array for column in zip(*values, strict=True)]
        return self._inputs(group, self._replaced(group, columns), variants)

    def _replaced(self, group: RowGroup, columns: Sequence[pa.Array]) -> list[pa.Array]:
        arrays = [text.array for text in group.texts]
        for column, array in zip(self._columns, columns, strict=True):
            arrays[column] = array
        return arrays

    def _inputs(
        self, group: RowGroup, columns: Sequence[pa.Array], variants: Sequence[Variant | None]
    ) -> list[Text | None]:
        if self._task is None:
            return _join(columns)
        return [question and question.prompt for question in self._questions(group, columns, variants)]

    def _questions(
        self, group: RowGroup, columns: Sequence[pa.Array], variants: Iterable[Variant | None]
    ) -> Iterator[Question | None]:
        """Yield the questions of a task about rows, each asked in the way of its variant."""
        assert self._task is not None  # noqa: S101
        rows = zip(self._task_rows(group, columns), self._clean_rows(group), variants, strict=True)
        for row, clean, variant in rows:
            yield self._task.fill(row) if variant is None else variant.ask(self._task, row, clean)

    def _clean_rows(self, group: RowGroup) -> Iterator[Row]:
        return self._task_rows(group, [text.array for text in group.texts])

    def _task_rows(self, group: RowGroup, columns: Sequence[pa.Array]) -> Iterator[Row]:
        """Yield rows as the task sees them, with these columns of texts."""
        edit = self._task.edit if self._task else ()
        named = dict(zip(edit, (column.to_pylist() for column in columns), strict=True)) | group.columns
        return (dict(zip(named, cells, strict=True)) for cells in zip(*named.values(), strict=True))

    def list_rows(self, group: RowGroup) -> list[Row]:
        """Return rows as the task sees them; none if there is no task."""
        if self._task is None:
            return []
        return list(self._task_rows(group, [text.array for text in group.texts]))

    def find_keys(self, group: RowGroup) -> list[Expected] | None:
        """Return what the answers to rows are checked against; None if there is no task."""
        return self.variant_keys(group, [None] * len(group))

    def variant_keys(self, group: RowGroup, variants: Sequence[Variant | None]) -> list[Expected] | None:
        """Return the same for rows that are asked in the way of a variant each."""
        task = self._task
        if task is None:
            return None
        rows = zip(self._clean_rows(group), variants, strict=True)
        return [task.expect(row) if own is None else own.find_key(task, row) for row, own in rows]

    def take(self, numbers: Sequence[int]) -> RowGroup:
        """Return the rows with these numbers, in any order and as often as they are named."""
        ascending = sorted(set(numbers))
        group, places = self.rows.rows(ascending), {row: place for place, row in enumerate(ascending)}
        some = [places[row] for row in numbers]
        taken = as_numbers(np.array(some, np.int64))
        return RowGroup(
            0,
            [group.ids[k] for k in some],
            tuple(as_strings(text.array.take(taken)) for text in group.texts),
            [group.labels[k] for k in some],
            {name: [values[k] for k in some] for name, values in group.columns.items()},
        )

    def show(self, group: RowGroup, twins: RowTwins) -> list[ShownTwin]:
        """Return rows under a condition as people see them: the rewritten text, or the whole question.

        All of them must be asked about there.
        """
        values = zip(*(column.to_pylist() for column in twins.texts), strict=True)
        edits = [list_edits(one, len(group)) for one in twins.columns] or [[()] * len(group)] * len(
            twins.texts
        )
        shown = list(self._show(group, twins, list(values), list(zip(*edits, strict=True))))
        if twins.variant is None:
            return shown
        return [one.beside(text) for one, text in zip(shown, self._show_clean(group), strict=True)]

    def _show_clean(self, group: RowGroup) -> list[str]:
        if self._task is None:
            texts: list[str] = group.texts[self._columns[0]].array.to_pylist()
            return texts
        return [as_text(text or "") for text in self.clean_inputs(group)]

    def _show(
        self,
        group: RowGroup,
        twins: RowTwins,
        values: Sequence[tuple[str, ...]],
        edits: Sequence[tuple[tuple[Edit, ...], ...]],
    ) -> Iterator[ShownTwin]:
        if self._task is None:
            for own, (mine,) in zip(values, edits, strict=True):
                yield ShownTwin(own[0], mine, own, ((0, 0),) * len(mine))
            return
        variants = [twins.variant] * len(group)
        questions = self._questions(group, self._replaced(group, twins.texts), variants)
        rows = zip(questions, self._clean_rows(group), values, edits, strict=True)
        for question, clean, own, some in rows:
            if question is not None:
                moves = [
                    self._moves(twins.variant, clean, *one) for one in zip(self._task.edit, own, strict=True)
                ]
                yield show_question(question, own, some, self._task.edit, moves)

    def _moves(self, variant: Variant | None, clean: Row, column: str, value: str) -> Moves:
        """Return how a variant moves the parts of an edited value: only if it has the options in it."""
        source = None if self._task is None else self._task.options
        if self._task is None or source is None or variant is None or column != source.column:
            return ()
        places = variant.find_places(self._task, clean)
        return () if places is None else source.moved_by(value, places)

    def distinct_texts(self) -> Iterator[Text]:
        """Yield every text as often as the model is asked about it; not those asked to find the blame."""
        seen: set[bytes] = set()
        for group in self.rows:
            twins = ((one.time, self.twin_inputs(group, one)) for one in self.make_twins(group))
            for time, texts in chain([(0, self.clean_inputs(group))], twins):
                for text in texts:
                    if text is not None and (name := question_id(text, time)) not in seen:
                        seen.add(name)
                        yield text


def _join(columns: Sequence[pa.LargeStringArray]) -> list[Text | None]:
    if len(columns) == 1:
        texts: list[Text | None] = columns[0].to_pylist()
        return texts
    pairs = zip(*(column.to_pylist() for column in columns), strict=True)
    return [None if None in pair else pair for pair in pairs]
