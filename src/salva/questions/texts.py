"""Questions about texts or pairs of texts: as they are, rewritten, once more, or in words of the user's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import Strings, as_numbers, as_strings, ints, valid_rows
from salva.errors import UsageError
from salva.questions.items import Items
from salva.questions.options import Data
from salva.questions.rewriting import Rewriting, Rewritten
from salva.questions.table import (
    CHANGE,
    CLEAN,
    MEASURE,
    NO_EDIT,
    NO_TEXT,
    NO_VALUE,
    STAY,
    Condition,
    as_keys,
    key_of,
    make_block,
)
from salva.transforms import Summary

AXIS = "axis"  # the family of conditions that ask in another way


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Another way to ask: the same once more (`time`), or a column of paraphrases in place of the text."""

    axis: str
    value: str
    column: str | None = None
    time: int = 0

    @property
    def name(self) -> str:
        """Its name as a condition."""
        return f"{self.axis}={self.value}"


@dataclass(frozen=True, slots=True)
class _Plan:
    """A condition: a rewriting, another way to ask, or both."""

    rewriting: Rewriting | None = None
    way: Way | None = None

    def describe(self) -> Condition:
        about: dict[str, Any] = {} if self.rewriting is None else self.rewriting.describe()
        if self.way is not None:
            name = " x ".join([*([about["name"]] if about else []), self.way.name])
            about |= {"name": name, "family": AXIS, "axis": self.way.axis, "value": self.way.value}
        return Condition(**{"name": CLEAN, **about})


class TextMaker:
    """Makes the questions about items, group by group."""

    def __init__(
        self,
        data: Data,
        rewritings: Sequence[Rewriting],
        ways: Sequence[Way] = (),
        *,
        cross: bool = False,
        opposites: Mapping[str, str],
        share_answers: bool = True,
        threads: int | None = None,
    ) -> None:
        self._data, self._opposites, self._shares, self._threads = data, opposites, share_answers, threads
        crossed = [
            _Plan(one, way)
            for way in ways
            for one in rewritings
            if cross and one.severity is not None and one.must == STAY
        ]
        self._plans = [_Plan(), *map(_Plan, rewritings), *(_Plan(None, way) for way in ways), *crossed]
        self.conditions = tuple(plan.describe() for plan in self._plans)
        self.summaries = {one.name: Summary() for one in self.conditions if one.preset is not None}
        self.rewritten_part = 0

    def make(self, items: Items, columns: Sequence[str]) -> pa.Table:
        """Return the questions about some items; `columns` are those of the texts."""
        self.rewritten_part = _find_column(columns, self._data.rewrite)
        clean = _Asked(items, self._data, items.texts, self.rewritten_part)
        keys = clean.keys()
        expected = [None if label is None else [label] for label in items.labels]
        blocks = [clean.block(CLEAN, keys, expected=expected, **self._describe_items(items))]
        for plan, condition in zip(self._plans[1:], self.conditions[1:], strict=True):
            blocks.append(self._ask(items, plan, condition, keys, expected))
        return pa.concat_tables(blocks)

    def _describe_items(self, items: Items) -> dict[str, Any]:
        text = items.texts[self.rewritten_part].array
        return {"facts": list_facts(items, self._data.slice_by), "characters": pc.utf8_length(text)}

    def _ask(
        self,
        items: Items,
        plan: _Plan,
        condition: Condition,
        clean: Sequence[bytes | None],
        expected: list[list[str] | None],
    ) -> pa.Table:
        """Return the questions under a condition; `clean` has the keys of the clean questions."""
        text, rewritten = self._text(items, plan.way), None
        if plan.rewriting is not None:
            rewritten = plan.rewriting.rewrite(text, threads=self._threads)
            self.summaries[condition.name] += rewritten.summary
            text = as_strings(rewritten.column)
        texts = (*items.texts[: self.rewritten_part], text, *items.texts[self.rewritten_part + 1 :])
        asked = _Asked(items, self._data, texts, self.rewritten_part)
        if condition.must == CHANGE:
            assert rewritten is not None  # noqa: S101
            return self._ask_contrast(asked, plan, condition, rewritten)
        time = 0 if plan.way is None else plan.way.time
        keys = asked.keys(time)
        same = None
        if plan.rewriting is not None and not time:
            same = [key is not None and key == other for key, other in zip(keys, clean, strict=True)]
            if not self._shares:
                keys = asked.keys(time, condition.name)
        edits = None if rewritten is None else place_edits(rewritten.edits, self.rewritten_part)
        why = None
        if plan.way is not None and plan.way.column is not None:
            # A row without a paraphrase is not asked; one without a text fails, as it does everywhere.
            why = [
                NO_VALUE if key is None and other is not None else None
                for key, other in zip(keys, clean, strict=True)
            ]
        return asked.block(condition.name, keys, why, expected=expected, edits=edits, unchanged=same)

    def _ask_contrast(
        self, asked: _Asked, plan: _Plan, condition: Condition, rewritten: Rewritten
    ) -> pa.Table:
        turned = self._opposites if plan.rewriting is not None and plan.rewriting.turns_answers else {}
        labels = (None if label is None else turned.get(label) for label in asked.items.labels)
        expected = [None if label is None else [label] for label in labels]
        edited = ints(pc.list_value_length(rewritten.edits)) > 0
        why = [None if done else NO_EDIT for done in edited.tolist()]
        edits = place_edits(rewritten.edits, self.rewritten_part)
        return asked.block(condition.name, asked.keys(), why, must=CHANGE, expected=expected, edits=edits)

    def _text(self, items: Items, way: Way | None) -> Strings:
        if way is None or way.column is None:
            return items.texts[self.rewritten_part]
        return read_paraphrases(items, way.column)


def read_paraphrases(items: Items, column: str) -> Strings:
    """Return a column of paraphrases; an empty one is none."""
    return as_strings([value if value and value.strip() else None for value in items.columns[column]])


def list_facts(items: Items, names: Sequence[str]) -> list[list[tuple[str, str]]] | None:
    """Return some columns as facts about every item; a missing value is no fact."""
    if not names:
        return None
    cells = zip(*(items.columns[name] for name in names), strict=True)
    return [
        [(name, value) for name, value in zip(names, row, strict=True) if value is not None] for row in cells
    ]


def describe_items(items: Items, data: Data) -> dict[str, Any]:
    """Return what the questions about some items have in common, whatever the condition is."""
    numbers = as_numbers(np.arange(items.first, items.first + len(items)))
    groups = None if data.group is None else items.columns[data.group]
    return {"item": numbers, "id": items.ids, "group": groups}


def place_edits(edits: pa.ListArray, part: int) -> pa.ListArray:
    """Return edits in a part."""
    if not part:
        return edits
    flat = edits.values
    numbers = as_numbers(np.full(len(flat), part, np.int16))
    columns = [numbers, *(flat.field(k) for k in range(1, flat.type.num_fields))]
    moved = pa.StructArray.from_arrays(columns, fields=list(flat.type))
    return pa.ListArray.from_arrays(edits.offsets, moved)


def _find_column(columns: Sequence[str], wanted: str | None) -> int:
    if wanted is None:
        return 0
    if wanted not in columns:
        named = ", ".join(map(repr, columns))
        raise UsageError(f"rewrite={wanted!r} must be one of the text columns ({named})")
    return list(columns).index(wanted)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Texts of items as they are asked under one condition."""

    items: Items
    data: Data
    texts: Sequence[Strings]
    rewritten_part: int

    def keys(self, time: int = 0, manner: str = "") -> list[bytes | None]:
        """Return the keys of the questions; None for an item without a text."""
        if len(self.texts) == 1:
            texts = self.texts[0].array.to_pylist()
            return [None if text is None else key_of(text, time, manner) for text in texts]
        pairs = zip(*(text.array.to_pylist() for text in self.texts), strict=True)
        return [None if None in pair else key_of(pair, time, manner) for pair in pairs]

    def block(
        self,
        condition: str,
        keys: Sequence[bytes | None],
        why: list[str | None] | None = None,
        must: str = STAY,
        **columns: Any,
    ) -> pa.Table:
        """Return the questions as rows of the table."""
        width, size = len(self.texts), len(self.items)
        if width == 1:
            values = self.texts[0].array
        else:
            order = np.arange(width * size).reshape(width, size).T.ravel()
            values = pa.concat_arrays([text.array for text in self.texts]).take(as_numbers(order))
        offsets = as_numbers(np.arange(0, width * size + 1, width).astype(np.int32))
        present = np.logical_and.reduce([valid_rows(text.array) for text in self.texts])
        reasons = [
            reason or (None if there else NO_TEXT)
            for there, reason in zip(present.tolist(), why or [None] * size, strict=True)
        ]
        asked = [None if reason else key for key, reason in zip(keys, reasons, strict=True)]
        return make_block(
            size,
            key=as_keys(asked),
            condition=condition,
            purpose=MEASURE,
            must=must,
            parts=pa.ListArray.from_arrays(offsets, values),
            why_not_asked=None if not any(reasons) else reasons,
            **describe_items(self.items, self.data),
            **columns,
        )
