"""Questions of a task: filled prompts about rows as they are, rewritten, or asked in another way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, ints
from salva.questions.conditions import Recipe, Rewriting
from salva.questions.items import Items
from salva.questions.options import Data
from salva.questions.table import (
    CHANGE,
    MEASURE,
    NO_EDIT,
    NO_ORDER,
    NO_VALUE,
    STAY,
    Condition,
    key_of,
    make_block,
)
from salva.questions.texts import describe_items, read_paraphrases
from salva.tasks import Expected, Question, Task
from salva.tasks.choices import Places, Row, as_rows
from salva.tasks.labelled_spans import Spans
from salva.transforms import RowSpans, Summary

Edit = dict[str, Any]
_SHOWN = ("key", "parts", "options", "expected", "edits", "why_not_asked", "unchanged")


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
        recipes: Sequence[Recipe],
        *,
        shares: bool = True,
        threads: int | None = None,
    ) -> None:
        self._task, self._data, self._recipes = task, data, recipes
        self._shares, self._threads = shares, threads
        self.conditions = tuple(recipe.describe() for recipe in recipes)
        self.rewritten_part = 0
        self._facts = tuple(dict.fromkeys([*task.edit, *task.kept_columns, *data.slice_by]))

    def make(self, items: Items, columns: Sequence[str], summaries: dict[str, Summary]) -> pa.Table:
        """Return the questions about some items.

        What was done to the words is added to `summaries`, by condition.
        """
        group = _Group(self._task, self._threads, items, summaries)
        clean: list[bytes | None] = []
        blocks = []
        for recipe, condition in zip(self._recipes, self.conditions, strict=True):
            asked = group.ask(recipe, condition)
            about = describe_items(items, self._data)
            if condition.is_clean:
                clean = [one.get("key") for one in asked]
                about["facts"] = [
                    [(name, value) for name in self._facts if (value := row.get(name)) is not None]
                    for row in group.rows
                ]
                about["characters"] = [len(row[self._task.edit[0]] or "") for row in group.rows]
            elif recipe.rewriting is not None and condition.must == STAY and not recipe.way.time:
                for one, key in zip(asked, clean, strict=True):
                    one["unchanged"] = key is not None and one.get("key") == key
                    if not self._shares and one.get("key"):
                        one["key"] = key_of(one["prompt"], manner=condition.name)
            about |= {name: [one.get(name) for one in asked] for name in _SHOWN}
            about |= {"condition": condition.name, "purpose": MEASURE, "must": condition.must}
            blocks.append(make_block(len(items), **about))
        return pa.concat_tables(blocks)


class _Group:
    """Some items of a task, and what was found out about them."""

    def __init__(
        self,
        task: Task,
        threads: int | None,
        items: Items,
        summaries: dict[str, Summary],
    ) -> None:
        self._task, self._threads, self._items, self._summaries = task, threads, items, summaries
        self.rows = _list_rows(task, items, items.texts)
        self._starts = [_find_starts(task.fill(row)) for row in self.rows]
        self._exact = isinstance(task.answer, Spans)
        self._protected: dict[str | None, list[RowSpans]] = {}  # by the column of paraphrases

    def ask(self, recipe: Recipe, condition: Condition) -> list[dict[str, Any]]:
        """Return the questions under a condition, as cells by column; each with its prompt."""
        twins = self._rewrite(recipe, condition)
        return [
            self._fill(recipe, condition, row, twin, expected=right, starts=starts)
            for row, twin, right, starts in zip(
                self.rows, twins, self._items.expected, self._starts, strict=True
            )
        ]

    def _rewrite(self, recipe: Recipe, condition: Condition) -> list[_Twin]:
        """Return the edited columns of all rows as they are under a condition."""
        texts, column, names = list(self._items.texts), recipe.way.column, self._task.edit
        if column is not None:
            texts[0] = read_paraphrases(self._items, column)
        if recipe.rewriting is None:
            return [_Twin(values, {}) for values in _by_row(names, [text.array for text in texts])]
        if condition.must == CHANGE:
            rewritten = self._contrast(recipe.rewriting, texts)
        else:
            if column not in self._protected:
                shown = _list_rows(self._task, self._items, texts) if column else self.rows
                self._protected[column] = [
                    RowSpans.of(text, [self._task.protected(name, row) for row in shown])
                    for name, text in zip(names, texts, strict=True)
                ]
            rewritten = [
                recipe.rewriting.rewrite(text, protected=spans, exact=self._exact, threads=self._threads)
                for text, spans in zip(texts, self._protected[column], strict=True)
            ]
        for one in rewritten:
            self._summaries[condition.name] = self._summaries.get(condition.name, Summary()) + one.summary
        values = _by_row(names, [one.column for one in rewritten])
        return list(map(_Twin, values, _by_row(names, [one.edits for one in rewritten])))

    def _contrast(self, rewriting: Rewriting, texts: Sequence[Strings]) -> list[Any]:
        """Return columns with one edit per row: a row with an edit in one column keeps the others."""
        edited = np.zeros(len(self.rows), np.bool_)
        found = []
        for name, text in zip(self._task.edit, texts, strict=True):
            spans = [
                [(0, len(value or ""))] if done else self._task.contrast_protected(name, row)
                for row, value, done in zip(self.rows, text.array.to_pylist(), edited.tolist(), strict=True)
            ]
            found.append(rewriting.rewrite(text, protected=RowSpans.of(text, spans), threads=self._threads))
            edited |= np.diff(ints(found[-1].edits.offsets)) > 0
        return found

    def _fill(
        self,
        recipe: Recipe,
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
        way, row, places = recipe.way, {**clean, **twin.values}, None
        if way.order is not None:
            places = self._task.find_order(way.order, clean)
            moved = self._task.options and places and self._task.options.reorder(row, places)
            if not places or not moved:
                return {"why_not_asked": NO_ORDER}
            row, expected = moved, expected.reorder(places)
        question = (way.task or self._task).fill(row)
        if question is None:
            return {"why_not_asked": NO_VALUE}
        edits = self._place_edits(question, twin, places, starts)
        shown = {
            "parts": [message.content for message in question.prompt.messages],
            "options": [
                {"name": name, "text": text, "means": expected.names.get(name, name)}
                for name, text in expected.options.items()
            ]
            or None,
            "expected": list(expected.targets) or None,
            "edits": edits or None,
            "prompt": question.prompt,
        }
        if condition.must == CHANGE:
            if not edits:
                return {**shown, "why_not_asked": NO_EDIT}
            shown["expected"] = self._find_targets(recipe.rewriting, clean, twin)
        return {**shown, "key": key_of(question.prompt, way.time)}

    def _find_targets(self, rewriting: Rewriting | None, clean: Row, twin: _Twin) -> list[str] | None:
        """Return the new right answers after a contrast; none if they do not follow from the edit."""
        if rewriting is not None and rewriting.turns_answers and self._task.contrast.opposites:
            found = self._task.expect_opposite(clean)
        else:
            name, edits = next((name, own) for name, own in twin.edits.items() if own)
            places = [(one["old_start"], one["old_start"] + len(one["old"]), one["new"]) for one in edits]
            found = self._task.expect_edited(name, clean, places)
        return None if found is None else list(found.targets) or None

    def _place_edits(
        self, question: Question, twin: _Twin, places: Places | None, clean: Mapping[str, int]
    ) -> list[Edit]:
        """Return the edits of the rewritten columns where they are in the messages of a question."""
        found, messages = [], question.prompt.places
        own, source = _find_starts(question), self._task.options
        for name, edits in twin.edits.items():
            if not edits:
                continue
            part = sum(start <= question.starts[name] for start in messages) - 1
            moves: list[tuple[int, int]] = []  # how far another order moves what follows each option
            if places is not None and source is not None and name == source.column:
                moves = source.moved_by(twin.values[name] or "", places)[::-1]
            for edit in edits:
                by = own[name] + next((by for start, by in moves if start <= edit["start"]), 0)
                moved = {"part": part, "start": edit["start"] + by, "end": edit["end"] + by}
                found.append({**edit, **moved, "old_start": edit["old_start"] + clean.get(name, 0)})
        return sorted(found, key=lambda edit: (edit["part"], edit["start"]))


def _list_rows(task: Task, items: Items, texts: Sequence[Strings]) -> list[dict[str, str | None]]:
    """Return items as the task sees them."""
    named = dict(zip(task.edit, (text.array.to_pylist() for text in texts), strict=True))
    return as_rows({**items.columns, **named})


def _by_row(names: Sequence[str], columns: Iterable[pa.Array]) -> list[dict[str, Any]]:
    return as_rows({name: column.to_pylist() for name, column in zip(names, columns, strict=True)})


def _find_starts(question: Question | None) -> dict[str, int]:
    """Return where the columns begin in their messages."""
    if question is None:
        return {}
    places = question.prompt.places
    return {
        name: start - max(place for place in places if place <= start)
        for name, start in question.starts.items()
    }
