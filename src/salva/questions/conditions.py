"""Conditions: what is done to the words of a question, in which other way it is asked, or both.

A rewriting is a preset at a severity. A way to ask is another prompt, another order of the options, the same
once more, or a column of paraphrases.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import Strings, as_numbers, as_strings, ints
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.questions.items import Items
from salva.questions.options import Conditions
from salva.questions.table import CHANGE, CLEAN, EDIT, STAY, Condition, PresetInfo
from salva.tasks import Order, Task, reword
from salva.tasks.labelled_spans import Spans
from salva.transforms import Summary, Transform, Twins, expand_names
from salva.transforms import preset as make_preset
from salva.transforms.transform import Protected

Presets: TypeAlias = PathLike | Transform | Iterable[PathLike | Transform] | None
DEFAULT_PRESETS = ("natural", "misspellings")
RENDERED = "render"  # the rule of what a render changed between the edits
TURNING = ("negation", "antonyms")  # the presets that turn an answer into its opposite, if there is one


class Rewritten(NamedTuple):
    """A column after a rewriting, the edits of every row (without their part), and what was counted."""

    column: pa.LargeStringArray
    edits: pa.ListArray
    summary: Summary


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A preset at one severity, for one copy: `typos@0.5`, `typos@0.5#1`; or `typos/render`.

    The latter has no severity: texts are taken apart and reassembled without an edit.
    """

    preset: str
    transform: Transform
    severity: float | None
    copy: int = 0
    seed: int = 0

    @property
    def name(self) -> str:
        """Its name as a condition."""
        if self.severity is None:
            return f"{self.preset}/render"
        return f"{self.preset}@{self.severity:g}" + (f"#{self.copy}" if self.copy else "")

    @property
    def must(self) -> str:
        """What the answer must do: stay, or change."""
        return CHANGE if self.transform.family == "contrast" else STAY

    @property
    def turns_answers(self) -> bool:
        """Whether the right answer becomes its opposite."""
        return self.transform.name in TURNING

    def rewrite(
        self, texts: Strings, *, protected: Protected = None, exact: bool = False, threads: int | None = None
    ) -> Rewritten:
        """Rewrite a column; with `exact`, edits are only what differs, what the render changed included."""
        if self.severity is None:
            twins = self.transform.put_together(texts, protected=protected, threads=threads)
        else:
            twins = self.transform.transform(
                texts,
                seed=self.seed,
                severity=self.severity,
                replicate=self.copy,
                protected=protected,
                threads=threads,
            )
        edits = _list_differences(twins, texts) if exact else _list_edits(twins)
        return Rewritten(twins.column, edits, twins.summary)


def _list_edits(twins: Twins) -> pa.ListArray:
    """Return the edits of every row, by where they are in the twin."""
    edits = twins.edits
    names = ("new_start", "new_end", "old", "new", "rule", "start")
    columns = [edits[name].combine_chunks() for name in names]
    return _as_lists(ints(edits["row"].combine_chunks()), len(twins), columns)


def _list_differences(twins: Twins, texts: Strings) -> pa.ListArray:
    """Return in what every row differs from its twin; what is not an edit has the rule `render`."""
    found, edits = twins.alignment, twins.edits.to_pylist()
    before, after = texts.array.to_pylist(), twins.column.to_pylist()
    old, new, rules, place = [], [], [], 0
    for row, start, end, first, last in zip(*(column.tolist() for column in found), strict=True):
        while place < len(edits) and (edits[place]["row"], edits[place]["new_end"]) < (row, first):
            place += 1
        edit = edits[place] if place < len(edits) else None
        is_edit = edit is not None and edit["row"] == row and edit["new_start"] <= last
        rules.append(edit["rule"] if edit is not None and is_edit else RENDERED)
        old.append((before[row] or "")[start:end])
        new.append((after[row] or "")[first:last])
    columns = [as_numbers(found.new_start), as_numbers(found.new_end)]
    columns += [as_strings(some).array for some in (old, new, rules)]
    return _as_lists(found.row, len(twins), [*columns, as_numbers(found.start)])


def _as_lists(rows: Any, count: int, columns: Sequence[pa.Array]) -> pa.ListArray:
    """Return edits, given with the row of each, as one list per row."""
    offsets = np.searchsorted(rows, np.arange(count + 1)).astype(np.int32)
    parts = [as_numbers(np.zeros(len(rows), np.int16))]
    parts += [column.cast(EDIT.field(k).type) for k, column in enumerate(columns, 1)]
    edits = pa.StructArray.from_arrays(parts, fields=list(EDIT))
    return pa.ListArray.from_arrays(as_numbers(offsets), edits)


def list_rewritings(
    transforms: Mapping[str, Transform], severities: Sequence[float], copies: int = 1, seed: int = 0
) -> Iterator[Rewriting]:
    """Yield, for each preset, its render, if that may change a text, then its severities; contrasts last.

    A contrast is made at the highest severity only: its severity is a share of the rows.
    """
    for name, transform in sorted(transforms.items(), key=lambda one: one[1].family == "contrast"):
        is_contrast = transform.family == "contrast"
        if transform.render != "splice" and not is_contrast:
            yield Rewriting(name, transform, None, seed=seed)
        for severity in severities[-1:] if is_contrast else severities:
            for copy in range(copies):
                yield Rewriting(name, transform, severity, copy, seed)


def name_transforms(chosen: Presets) -> dict[str, Transform]:
    """Return transforms under distinct names: those of their presets, numbered if there are several.

    >>> list(name_transforms(["typos", make_preset("typos", prob=0.1)]))
    ['typos', 'typos-2']
    """
    named: dict[str, Transform] = {}
    for transform in _each_once(DEFAULT_PRESETS if chosen is None else chosen):
        names = chain([transform.name], (f"{transform.name}-{number}" for number in count(2)))
        named[next(name for name in names if name not in named)] = transform
    return named


def _each_once(chosen: PathLike | Transform | Iterable[PathLike | Transform]) -> Iterator[Transform]:
    """Yield the transforms; a bundle stands for its presets, and a name that was there before is skipped."""
    seen: set[str] = set()
    for one in [chosen] if isinstance(chosen, str | os.PathLike | Transform) else chosen:
        if isinstance(one, Transform):
            yield one
            continue
        names = [name for name in expand_names([one]) if name not in seen]
        seen.update(names)
        yield from map(make_preset, names)


def describe_presets(transforms: Mapping[str, Transform]) -> dict[str, PresetInfo]:
    """Return what is known about presets, as plain values."""
    return {
        name: PresetInfo(
            about=json.loads(json.dumps(transform.as_dict())),
            family=transform.family,
            version=str(transform.version),
            digest=transform.digest,
            validity=transform.validity,
        )
        for name, transform in transforms.items()
    }


AXIS = "axis"  # the family of conditions that ask in another way
MOST_OPTIONS = 4  # of which all orders are asked: 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to ask; what is not given is as in the clean question."""

    axis: str = ""
    value: str = ""
    task: Task | None = None
    order: Order | None = None
    column: str | None = None
    time: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the questions of a condition are made."""

    way: Way
    rewriting: Rewriting | None = None

    def describe(self) -> Condition:
        """Return the condition."""
        way, task, about = self.way, self.way.task, dict[str, Any](name=CLEAN)
        if (own := self.rewriting) is not None:
            about = {name: getattr(own, name) for name in ("name", "must", "preset", "severity", "copy")}
            about["family"] = own.transform.family
        if way.axis:
            asked = f"{way.axis}={way.value}"
            name = asked if own is None else f"{own.name} x {asked}"
            about |= {"name": name, "family": AXIS, "axis": way.axis, "value": way.value}
        if task is not None:
            about["roles"] = tuple(role for role, _ in task.templates)
            about["replies"] = task.options.reply if task.options else "name"
        return Condition(**about)


def list_recipes(
    task: Task | None, rewritings: Sequence[Rewriting], ways: Sequence[Way], *, cross: bool
) -> list[Recipe]:
    """Return how all questions are made: clean, rewritten, asked in other ways and, with `cross`, both."""
    usual = Way(task=task)
    combined = [one for one in rewritings if cross and one.severity is not None and one.must == STAY]
    return [
        Recipe(usual),
        *(Recipe(usual, one) for one in rewritings),
        *map(Recipe, ways),
        *(Recipe(way, one) for way in ways for one in combined),
    ]


def list_ways(task: Task | None, wanted: Conditions, seed: int, items: Iterable[Items]) -> Iterator[Way]:
    """Yield the other ways to ask, axis by axis; refuse those that there cannot be.

    Items are read if all orders of their options are wanted.
    """
    for axis in ("prompts", "order"):
        if getattr(wanted, axis) and task is None:
            raise UsageError(
                f"axis {axis!r} needs a task, whose questions it changes; add {argument('task')}"
            )
    if task is not None:
        _check_ways(task, wanted)
        prompts: Any = wanted.prompts
        for name, template in prompts.items():
            yield Way(axis="prompts", value=name, task=reword(task, name, template))
    orders = _count_orders(items) if wanted.order == "all" else int(wanted.order)
    for number in range(1, orders + 1):
        order = Order(number, seed, is_drawn=wanted.order != "all")
        yield Way(axis="order", value=str(number), task=task, order=order)
    for time in range(1, int(wanted.repeat) + 1):
        yield Way(axis="repeat", value=str(time), task=task, time=time)
    for column in wanted.variants:
        yield Way(axis="variants", value=column, task=task, column=column)


def _check_ways(task: Task, wanted: Conditions) -> None:
    """Refuse axes that a task cannot have."""
    if wanted.order and task.options is None:
        raise UsageError(f"axis 'order' needs options, and the task {task.name!r} has none")
    listed = task.options and task.options.pattern and task.options.column in task.edit
    if wanted.order and listed and "options" not in task.protect:
        raise UsageError("axis 'order' needs options that are not edited; add 'options' to protect")
    if wanted.variants and len(task.edit) > 1:
        raise UsageError(
            f"axis 'variants' needs one edited column, and the task edits {', '.join(task.edit)}; "
            "leave one in edit"
        )
    if wanted.variants and isinstance(task.answer, Spans):
        raise UsageError("spans cannot follow a paraphrase, which has no edits; leave out the paraphrases")


def _count_orders(items: Iterable[Items]) -> int:
    """Return how many orders besides their own the options of some items have at most."""
    most = max((len(one.options) for group in items for one in group.expected), default=0)
    if most > MOST_OPTIONS:
        raise InputError(
            f"order=all asks in every order of up to {MOST_OPTIONS} options, and a row has {most}; "
            "name a number of random orders, such as order=4"
        )
    return math.factorial(most) - 1
