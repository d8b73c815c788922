"""Questions of a task: filled prompts about rows as they are, rewritten, or asked in another way.

A way to ask is another prompt, another order of the options, the same once more, or a column of paraphrases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import Strings, ints
from salva.errors import InputError, UsageError
from salva.models.protocol import Prompt
from salva.questions.items import Items
from salva.questions.options import Conditions, Data
from salva.questions.rewriting import Rewriting
from salva.questions.table import (
    CHANGE,
    CLEAN,
    MEASURE,
    NO_EDIT,
    NO_ORDER,
    NO_VALUE,
    STAY,
    Condition,
    as_keys,
    key_of,
    make_block,
)
from salva.questions.texts import AXIS, describe_items, read_paraphrases
from salva.tasks import Expected, Order, Question, Task, reword
from salva.tasks.choices import Places, Row
from salva.tasks.labelled_spans import Spans
from salva.transforms import RowSpans, Summary

MOST_OPTIONS = 4  # of which all orders are asked: 24
Edit = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWay:
    """A way to ask the questions of a task; what is not given is as in the clean question."""

    axis: str = ""
    value: str = ""
    task: Task
    order: Order | None = None
    column: str | None = None
    time: int = 0

    @property
    def name(self) -> str:
        """Its name as a condition."""
        return f"{self.axis}={self.value}" if self.axis else CLEAN


def list_ways(task: Task, wanted: Conditions, seed: int, orders: int) -> Iterator[TaskWay]:
    """Yield the ways to ask, axis by axis; refuse those that the task cannot have."""
    prompts: Any = wanted.prompts
    for name, template in prompts.items():
        yield TaskWay(axis="prompts", value=name, task=reword(task, name, template))
    if wanted.order:
        _check_order(task)
    for number in range(1, orders + 1):
        order = Order(number, seed, is_drawn=wanted.order != "all")
        yield TaskWay(axis="order", value=str(number), task=task, order=order)
    for time in range(1, int(wanted.repeat) + 1):
        yield TaskWay(axis="repeat", value=str(time), task=task, time=time)
    if wanted.variants and len(task.edit) > 1:
        problem = f"axis 'variants' needs one edited column, and the task edits {', '.join(task.edit)}"
        raise UsageError(f"{problem}; leave one in edit")
    if wanted.variants and isinstance(task.answer, Spans):
        raise UsageError("spans cannot follow a paraphrase, which has no edits; leave out the paraphrases")
    for column in wanted.variants:
        yield TaskWay(axis="variants", value=column, task=task, column=column)


def _check_order(task: Task) -> None:
    if task.options is None:
        raise UsageError(f"axis 'order' needs options, and the task {task.name!r} has none")
    if task.options.pattern and task.options.column in task.edit and "options" not in task.protect:
        raise UsageError("axis 'order' needs options that are not edited; add 'options' to protect")


def count_orders(items: Iterable[Items]) -> int:
    """Return how many orders besides their own the options of some items have at most."""
    most = max((len(one.options) for group in items for one in group.expected), default=0)
    if most > MOST_OPTIONS:
        problem = f"order=all asks in every order of up to {MOST_OPTIONS} options, and a row has {most}"
        raise InputError(f"{problem}; name a number of random orders, such as order=4")
    return math.factorial(most) - 1


@dataclass(frozen=True, slots=True)
class _Plan:
    """A condition: a way to ask, and perhaps a rewriting."""

    way: TaskWay
    rewriting: Rewriting | None = None

    def describe(self) -> Condition:
        about: dict[str, Any] = {"name": CLEAN} if self.rewriting is None else self.rewriting.describe()
        if self.way.axis:
            name = " x ".join([*([about["name"]] if self.rewriting else []), self.way.name])
            about |= {"name": name, "family": AXIS, "axis": self.way.axis, "value": self.way.value}
        task = self.way.task
        replies = task.options.reply if task.options else "name"
        return Condition(**about, roles=tuple(role for role, _ in task.templates), replies=replies)


class _Twin(NamedTuple):
    """The edited values of a row under a rewriting, and the edits in each of them."""

    values: Mapping[str, str | None]
    edits: Mapping[str, Sequence[Edit]]


class PromptMaker:
    """Makes the questions of a task about items, group by group."""

    def __init__(
        self,
        task: Task,
        data: Data,
        rewritings: Sequence[Rewriting],
        ways: Sequence[TaskWay],
        *,
        cross: bool = False,
        share_answers: bool = True,
        threads: int | None = None,
    ) -> None:
        self._task, self._data, self._shares, self._threads = task, data, share_answers, threads
        usual = TaskWay(task=task)
        crossed = [
            _Plan(way, one)
            for way in ways
            for one in rewritings
            if cross and one.severity is not None and one.must == STAY
        ]
        self._plans = [_Plan(usual), *(_Plan(usual, one) for one in rewritings), *map(_Plan, ways), *crossed]
        self.conditions = tuple(plan.describe() for plan in self._plans)
        self.summaries = {one.name: Summary() for one in self.conditions if one.preset is not None}
        self.rewritten_part = 0
        self._finds_spans = isinstance(task.answer, Spans)
        self._facts = tuple(dict.fromkeys([*task.edit, *task.kept_columns, *data.slice_by]))

    def make(self, items: Items, columns: Sequence[str]) -> pa.Table:
        """Return the questions about some items."""
        rows = _list_rows(self._task, items, items.texts)
        usual = [_find_starts(self._task.fill(row)) for row in rows]
        clean: list[bytes | None] = []
        blocks: list[pa.Table] = []
        protected: dict[tuple[str | None, str], list[RowSpans]] = {}
        for plan, condition in zip(self._plans, self.conditions, strict=True):
            twins = self._rewrite(plan, condition, items, rows, protected)
            asked = [
                self._ask(plan, condition, row, twin, expected=right, starts=starts)
                for row, twin, right, starts in zip(rows, twins, items.expected, usual, strict=True)
            ]
            clean = clean if blocks else [one["key"] for one in asked]
            blocks.append(self._block(items, plan, condition, rows=rows, asked=asked, clean=clean))
        return pa.concat_tables(blocks)

    def _rewrite(
        self,
        plan: _Plan,
        condition: Condition,
        items: Items,
        rows: Sequence[Row],
        protected: dict[tuple[str | None, str], list[RowSpans]],
    ) -> list[_Twin]:
        """Return the edited columns of all rows as they are under a condition."""
        texts = list(items.texts)
        if plan.way.column is not None:
            texts[0] = read_paraphrases(items, plan.way.column)
        if plan.rewriting is None:
            return _as_twins(self._task.edit, texts, [])
        if condition.must == CHANGE:
            return self._contrast(plan.rewriting, condition, texts, rows)
        place = plan.way.column, condition.must
        if place not in protected:
            shown = _list_rows(self._task, items, texts) if plan.way.column else rows
            protected[place] = [
                RowSpans.of(text, [self._task.protected(name, row) for row in shown])
                for name, text in zip(self._task.edit, texts, strict=True)
            ]
        found = [
            plan.rewriting.rewrite(text, protected=spans, exact=self._finds_spans, threads=self._threads)
            for text, spans in zip(texts, protected[place], strict=True)
        ]
        for one in found:
            self.summaries[condition.name] += one.summary
        return _as_twins(self._task.edit, [one.column for one in found], [one.edits for one in found])

    def _contrast(
        self, rewriting: Rewriting, condition: Condition, texts: Sequence[Strings], rows: Sequence[Row]
    ) -> list[_Twin]:
        """Return rows with one edit each: a row that has its edit in one column keeps the others."""
        edited = np.zeros(len(rows), np.bool_)
        found = []
        for name, text in zip(self._task.edit, texts, strict=True):
            spans = [
                [(0, len(value or ""))] if done else self._task.contrast_protected(name, row)
                for row, value, done in zip(rows, text.array.to_pylist(), edited.tolist(), strict=True)
            ]
            one = rewriting.rewrite(text, protected=RowSpans.of(text, spans), threads=self._threads)
            edited |= np.diff(ints(one.edits.offsets)) > 0
            self.summaries[condition.name] += one.summary
            found.append(one)
        return _as_twins(self._task.edit, [one.column for one in found], [one.edits for one in found])

    def _ask(
        self,
        plan: _Plan,
        condition: Condition,
        clean: Row,
        twin: _Twin,
        *,
        expected: Expected,
        starts: Mapping[str, int],
    ) -> dict[str, Any]:
        """Return a question about a row under a condition; `clean` and `expected` belong to the row as it is.

        `starts` is where the edited columns begin in their messages of the clean question.
        """
        way, row, places = plan.way, {**clean, **twin.values}, None
        if way.order is not None:
            places = self._task.find_order(way.order, clean)
            moved = self._task.options and places and self._task.options.reorder(row, places)
            if not places or not moved:
                return {"key": None, "why_not_asked": NO_ORDER}
            row, expected = moved, expected.reorder(places)
        question = way.task.fill(row)
        if question is None:
            return {"key": None, "why_not_asked": NO_VALUE}
        edits = self._place_edits(question, twin, places, starts)
        targets = expected.targets
        if condition.must == CHANGE:
            if not edits:
                return {"key": None, "why_not_asked": NO_EDIT, **_show(question, expected, targets, edits)}
            targets = self._find_targets(plan.rewriting, clean, twin)
        shown = _show(question, expected, targets, edits)
        return {"key": key_of(question.prompt, way.time), **shown, "prompt": question.prompt}

    def _find_targets(self, rewriting: Rewriting | None, clean: Row, twin: _Twin) -> tuple[str, ...]:
        """Return the new right answers after a contrast; none if they do not follow from the edit."""
        found: Expected | None = None
        if rewriting is not None and rewriting.turns_answers and self._task.contrast.opposites:
            found = self._task.expect_opposite(clean)
        else:
            name, edits = next((name, own) for name, own in twin.edits.items() if own)
            found = self._task.expect_edited(name, clean, _old_places(edits))
        return () if found is None else found.targets

    def _place_edits(
        self, question: Question, twin: _Twin, places: Places | None, clean: Mapping[str, int]
    ) -> list[Edit]:
        """Return the edits of the rewritten columns where they are in the messages of a question."""
        found, messages = [], question.prompt.places
        own = _find_starts(question)
        for name, edits in twin.edits.items():
            part = sum(start <= question.starts[name] for start in messages) - 1
            moves = self._list_moves(name, twin, places) if edits else ()
            for edit in edits:
                by = own[name] + next((by for start, by in moves if start <= edit["start"]), 0)
                moved = {"part": part, "start": edit["start"] + by, "end": edit["end"] + by}
                old_start = edit["old_start"] + clean.get(name, 0)
                found.append({**edit, **moved, "old_start": old_start})
        return sorted(found, key=lambda edit: (edit["part"], edit["start"]))

    def _list_moves(self, name: str, twin: _Twin, places: Places | None) -> list[tuple[int, int]]:
        """Return how far another order moves what follows each option in an edited value, the last first."""
        source = self._task.options
        if places is None or source is None or name != source.column:
            return []
        return source.moved_by(twin.values[name] or "", places)[::-1]

    def _block(
        self,
        items: Items,
        plan: _Plan,
        condition: Condition,
        *,
        rows: Sequence[Row],
        asked: Sequence[dict[str, Any]],
        clean: Sequence[bytes | None],
    ) -> pa.Table:
        about = describe_items(items, self._data)
        keys = [one["key"] for one in asked]
        if condition.is_clean:
            about["facts"] = [
                [(name, value) for name in self._facts if (value := row.get(name)) is not None]
                for row in rows
            ]
            about["characters"] = [len(row[self._task.edit[0]] or "") for row in rows]
        if plan.rewriting is not None and condition.must == STAY and not plan.way.time:
            same = [key is not None and key == other for key, other in zip(keys, clean, strict=True)]
            about["unchanged"] = same
            if not self._shares:
                prompts: list[Prompt | None] = [one.get("prompt") for one in asked]
                keys = [None if one is None else key_of(one, 0, condition.name) for one in prompts]
        names = ("parts", "options", "expected", "edits", "why_not_asked")
        columns = {name: [one.get(name) for one in asked] for name in names}
        return make_block(
            len(items),
            key=as_keys(keys),
            condition=condition.name,
            purpose=MEASURE,
            must=condition.must,
            **about,
            **columns,
        )


def _list_rows(task: Task, items: Items, texts: Sequence[Strings]) -> list[Row]:
    """Return items as the task sees them."""
    named = dict(zip(task.edit, (text.array.to_pylist() for text in texts), strict=True))
    columns = {**items.columns, **named}
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _as_twins(
    names: Sequence[str], columns: Sequence[Strings | pa.Array], edits: Sequence[pa.ListArray]
) -> list[_Twin]:
    """Return columns and their edits row by row."""
    arrays = [column.array if isinstance(column, Strings) else column for column in columns]
    values = zip(*(array.to_pylist() for array in arrays), strict=True)
    if not edits:
        return [_Twin(dict(zip(names, row, strict=True)), {}) for row in values]
    lists = zip(*(some.to_pylist() for some in edits), strict=True)
    return [
        _Twin(dict(zip(names, row, strict=True)), dict(zip(names, own, strict=True)))
        for row, own in zip(values, lists, strict=True)
    ]


def _old_places(edits: Sequence[Edit]) -> list[tuple[int, int, str]]:
    """Return where edits are in the original, and what they write there."""
    return [(edit["old_start"], edit["old_start"] + len(edit["old"]), edit["new"]) for edit in edits]


def _find_starts(question: Question | None) -> dict[str, int]:
    """Return where the columns begin in their messages."""
    if question is None:
        return {}
    places = question.prompt.places
    return {
        name: start - max(place for place in places if place <= start)
        for name, start in question.starts.items()
    }


def _show(
    question: Question, expected: Expected, targets: Sequence[str], edits: list[Edit]
) -> dict[str, Any]:
    """Return what the table has of a question, as it is shown."""
    return {
        "parts": [message.content for message in question.prompt.messages],
        "options": [
            {"name": name, "text": text, "means": expected.names.get(name, name)}
            for name, text in expected.options.items()
        ]
        or None,
        "expected": list(targets) or None,
        "edits": edits or None,
    }


def need_task(axis: str) -> UsageError:
    """Return the error about an axis that changes the questions of a task, if there is none."""
    return UsageError(f"axis {axis!r} needs a task, whose questions it changes; add {argument('task')}")
