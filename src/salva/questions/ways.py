"""Ways to ask, and conditions: a rewriting of the words, another way to ask, or both.

A way to ask is another prompt, another order of the options, the same once more, or a column of paraphrases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from salva._arguments import argument
from salva.errors import InputError, UsageError
from salva.questions.items import Items
from salva.questions.options import Conditions
from salva.questions.rewriting import Rewriting
from salva.questions.table import CLEAN, STAY, Condition
from salva.tasks import Order, Task, reword
from salva.tasks.labelled_spans import Spans

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
        way, task = self.way, self.way.task
        about: dict[str, Any] = {"name": CLEAN} if self.rewriting is None else self.rewriting.describe()
        if way.axis:
            asked = f"{way.axis}={way.value}"
            name = asked if self.rewriting is None else f"{about['name']} x {asked}"
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
            problem = f"axis {axis!r} needs a task, whose questions it changes"
            raise UsageError(f"{problem}; add {argument('task')}")
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
        problem = f"axis 'variants' needs one edited column, and the task edits {', '.join(task.edit)}"
        raise UsageError(f"{problem}; leave one in edit")
    if wanted.variants and isinstance(task.answer, Spans):
        raise UsageError("spans cannot follow a paraphrase, which has no edits; leave out the paraphrases")


def _count_orders(items: Iterable[Items]) -> int:
    """Return how many orders besides their own the options of some items have at most."""
    most = max((len(one.options) for group in items for one in group.expected), default=0)
    if most > MOST_OPTIONS:
        problem = f"order=all asks in every order of up to {MOST_OPTIONS} options, and a row has {most}"
        raise InputError(f"{problem}; name a number of random orders, such as order=4")
    return math.factorial(most) - 1
