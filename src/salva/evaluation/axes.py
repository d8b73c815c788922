"""Axes: other ways to ask about the same rows, each of which is a condition like a preset.

An axis is a setting (`prompts=FILE`), its values are variants (`prompts=terse`). A variant is another prompt,
another order of the options, the same question once more, or a paraphrase that the data has.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from salva._arguments import argument, check_whole, did_you_mean, is_short_number
from salva.errors import InputError, UsageError
from salva.models.protocol import combined
from salva.runs import RunRows
from salva.tasks import Expected, Order, Question, Task, read_prompts, reword
from salva.tasks.choices import Places, Row

MOST_VALUES = 100  # orders or repeats
MOST_OPTIONS = 4  # of which all orders are asked: 24


@dataclass(frozen=True, slots=True)
class Variant:
    """One value of an axis. What it does not change is as in the clean question.

    `task` asks with another prompt, `order` with the options in another order, `column` has other texts for
    the edited column, and `time` says how often the same was asked before.
    """

    axis: str
    value: str
    task: Task | None = None
    order: Order | None = None
    column: str | None = None
    time: int = 0

    @property
    def name(self) -> str:
        """Its name as a condition: `prompts=terse`."""
        return f"{self.axis}={self.value}"

    def find_places(self, task: Task, clean: Row) -> Places | None:
        """Return the order of the options of a row; it does not depend on how the row is rewritten."""
        return None if self.order is None else task.find_order(self.order, clean)

    def ask(self, task: Task, row: Row, clean: Row) -> Question | None:
        """Return the question about a row, which may be rewritten; None if there is no such question."""
        if self.order is not None:
            places = self.find_places(task, clean)
            moved = None if places is None or task.options is None else task.options.reorder(row, places)
            if moved is None:
                return None
            row = moved
        return (self.task or task).fill(row)

    def find_key(self, task: Task, clean: Row) -> Expected:
        """Return what the answer to a row is checked against."""
        key, places = task.expect(clean), self.find_places(task, clean)
        return key if places is None else key.reorder(places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The axes of a run; by default, there are none.

    `order` counts orders. With `all_orders`, they are all that the options have, which `count_orders` counts.
    """

    prompts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    order: int = 0
    all_orders: bool = False
    repeat: int = 0
    variants: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any] | Axes | None) -> Axes:
        """Return the axes that a user names: `{"prompts": FILE, "order": 4, "variants": ["paraphrase"]}`."""
        if given is None or isinstance(given, Axes):
            return given or cls()
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name not in AXES:
                hint = did_you_mean(name, AXES, otherwise=f"choose from {', '.join(AXES)}")
                raise UsageError(f"there is no axis {name!r}; {hint}")
            values |= AXES[name](value)
        return cls(**values)

    def __bool__(self) -> bool:
        return bool(self.prompts or self.order or self.all_orders or self.repeat or self.variants)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, from which it can be made again."""
        return asdict(self)

    def sign(self) -> str:
        """Return the names of the axes and a digest of their settings, for a signature."""
        named = {
            "prompts": self.prompts,
            "order": self.order,
            "repeat": self.repeat,
            "variants": self.variants,
        }
        content = json.dumps(self.as_dict(), sort_keys=True)
        digest = combined(content).removeprefix("sha256:")[:8]
        return f"{'+'.join(name for name, value in named.items() if value)}.{digest}"

    def list_variants(self, task: Task | None, seed: int) -> Iterator[Variant]:
        """Yield the variants, axis by axis; refuse those that the task cannot have."""
        for name, template in self.prompts.items():
            yield Variant("prompts", name, task=reword(_need_task("prompts", task), name, template))
        if self.order or self.all_orders:
            _check_order(_need_task("order", task))
        for number in range(1, self.order + 1):
            yield Variant("order", str(number), order=Order(number, seed, is_drawn=not self.all_orders))
        for time in range(1, self.repeat + 1):
            yield Variant("repeat", str(time), time=time)
        if self.variants and task is not None and len(task.edit) > 1:
            problem = f"axis 'variants' needs one edited column, and the task edits {', '.join(task.edit)}"
            raise UsageError(f"{problem}; leave one in edit")
        for column in self.variants:
            yield Variant("variants", column, column=column)

    def list_columns(self, task: Task | None, seed: int) -> list[str]:
        """Return the columns of the data that the variants need."""
        asked = [v.task.kept_columns for v in self.list_variants(task, seed) if v.task is not None]
        return [*self.variants, *(name for names in asked for name in names)]

    def count_orders(self, task: Task | None, rows: RunRows) -> Axes:
        """Return the axes with the number of orders that the options of the rows have, if all are wanted."""
        if not self.all_orders or task is None or task.options is None:
            return self
        most = 0
        for group in rows:
            texts = dict(zip(task.edit, (text.array.to_pylist() for text in group.texts), strict=True))
            columns = texts | group.columns
            for cells in zip(*columns.values(), strict=True):
                most = max(most, len(task.options.find(dict(zip(columns, cells, strict=True)))))
        if most > MOST_OPTIONS:
            problem = f"order=all asks in every order of up to {MOST_OPTIONS} options, and a row has {most}"
            raise InputError(f"{problem}; name a number of random orders, such as order=4")
        return replace(self, order=math.factorial(most) - 1)


def _need_task(axis: str, task: Task | None) -> Task:
    if task is None:
        raise UsageError(f"axis {axis!r} needs a task, whose questions it changes; add {argument('task')}")
    return task


def _check_order(task: Task) -> None:
    if task.options is None:
        raise UsageError(f"axis 'order' needs options, and the task {task.name!r} has none")
    if task.options.pattern and task.options.column in task.edit and "options" not in task.protect:
        raise UsageError("axis 'order' needs options that are not edited; add 'options' to protect")


def _read_prompts(value: Any) -> dict[str, Any]:
    if isinstance(value, str | os.PathLike):
        return {"prompts": read_prompts(value)}
    if not isinstance(value, Mapping):
        raise UsageError(f"axis 'prompts' is {value!r:.60}; name a TOML file with prompts")
    return {
        "prompts": {name: {"prompt": one} if isinstance(one, str) else one for name, one in value.items()}
    }


def _read_order(value: Any) -> dict[str, Any]:
    return {"all_orders": True} if value == "all" else {"order": _count("order", value, "a number, or all")}


def _read_repeat(value: Any) -> dict[str, Any]:
    return {"repeat": _count("repeat", value, "a number")}


def _read_variants(value: Any) -> dict[str, Any]:
    columns = [value] if isinstance(value, str) else value
    if not isinstance(columns, Sequence) or not all(isinstance(name, str) and name for name in columns):
        raise UsageError(f"axis 'variants' is {value!r:.60}; name one column of the data or more")
    return {"variants": tuple(dict.fromkeys(columns))}


def _count(axis: str, value: Any, expected: str) -> int:
    if isinstance(value, str):
        if not is_short_number(value):
            raise UsageError(f"axis {axis}={value!r:.60} must be {expected}")
        value = int(value)
    return check_whole(axis, value, 1, MOST_VALUES)


# How the setting of each axis is read.
AXES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "prompts": _read_prompts,
    "order": _read_order,
    "repeat": _read_repeat,
    "variants": _read_variants,
}
