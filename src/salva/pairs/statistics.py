"""How the numbers of a result are shown: every field says so itself, and all tables are made from that.

To add a statistic, add a field that is annotated with `Statistic`, and compute it where the result is made:
what follows from pairs of answers alone belongs to `PairScore` (`pairs.score.score`), what needs texts or
edits to `ConditionResult` (`evaluation.scoring`). It then has its place in the table of `--results`, in the
JSON, on the page and on the terminal, and its name in `--fail-if` and in trackers. Give it a default, so that
older runs can still be read.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from salva._show import MISSING, count, interval, number
from salva.stats import Estimate


@dataclass(frozen=True, slots=True)
class Statistic:
    """What a field means and how it is shown; without a heading, it is left out on the page or the terminal.

    `form` and `below` are functions of the result that has the field: they return its text, and a second line
    on the page. `|` breaks the line of a heading. `column` is the name in tables, if not that of the field.
    """

    meaning: str
    heading: str = ""
    short: str = ""  # heading on the terminal
    column: str = ""
    digits: int | None = None  # by default, those of the page
    strong: bool = False
    show_interval: bool = False  # on the terminal, in a column of its own
    form: Callable[[Any], str] | None = None
    below: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class Nested:
    """A field that is a result itself; its columns have this prefix."""

    prefix: str = ""


class Cell(NamedTuple):
    """A number as text, and what is below it."""

    text: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A number of a result: its name in tables, its type, and the fields that lead to it."""

    name: str
    type: type
    path: tuple[str, ...]
    statistic: Statistic | None

    def owner(self, result: Any) -> Any:
        """Return the result that has the number; None if there is none."""
        for field in self.path[:-1]:
            result = None if result is None else getattr(result, field)
        return result

    def value(self, result: Any) -> Any:
        """Return the number, an estimate or a text; None if there is none."""
        owner = self.owner(result)
        return None if owner is None else getattr(owner, self.path[-1])

    @property
    def rule_name(self) -> str:
        """Its name in rules: `drop`, or `metric.after` if the result that has it has a prefix."""
        alone = len(self.path) == 1 or self.name == self.path[-1]
        return self.path[-1] if alone else ".".join(self.path)

    def plain_values(self, result: Any) -> dict[str, Any]:
        """Return the number by name; an estimate has three: `drop`, `drop_low`, `drop_high`."""
        value = self.value(result)
        if self.type is not Estimate:
            return {self.name: value}
        value = value or Estimate()
        return {self.name: value.value, f"{self.name}_low": value.low, f"{self.name}_high": value.high}

    def cell(self, result: Any, digits: int = 1) -> Cell:
        """Return the number as text."""
        value, owner, statistic = self.value(result), self.owner(result), self.statistic
        if value is None or statistic is None:
            return Cell(MISSING)
        digits = digits if statistic.digits is None else statistic.digits
        if self.type is Estimate:
            return Cell(number(value.value, digits), interval(value, digits, missing=""))
        below = statistic.below(owner) if statistic.below else ""
        if statistic.form is not None:
            return Cell(statistic.form(owner), below)
        return Cell(number(value, digits) if self.type is float else _FORMS[self.type](value), below)

    @property
    def is_text(self) -> bool:
        """Whether it is aligned as a text."""
        return self.type in (str, bool)


_FORMS: dict[type, Callable[[Any], str]] = {int: count, str: str, bool: lambda flag: "yes" if flag else "no"}


def list_columns(result: type, prefix: str = "", path: tuple[str, ...] = ()) -> Iterator[Column]:
    """Yield the columns of a result, in the order of its fields, those of nested results included."""
    for name, hint in typing.get_type_hints(result, include_extras=True).items():
        base, *notes = typing.get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        if isinstance(base, types.UnionType):
            base = next(part for part in typing.get_args(base) if part is not type(None))
        note = notes[0] if notes else None
        if isinstance(note, Nested):
            yield from list_columns(base, note.prefix, (*path, name))
        elif base is Estimate or not dataclasses.is_dataclass(base):
            column = note.column if note is not None and note.column else name
            yield Column(f"{prefix}{column}", base, (*path, name), note)


def number_names(result: type) -> list[str]:
    """Return the names of the numbers of a result, as rules such as `drop.low > 4` use them.

    >>> from salva.pairs import MetricChange
    >>> number_names(MetricChange)
    ['before', 'after', 'change', 'change.value', 'change.low', 'change.high']
    """
    ends = {Estimate: ("", ".value", ".low", ".high"), int: ("",), float: ("",)}
    return [
        f"{column.rule_name}{end}" for column in list_columns(result) for end in ends.get(column.type, ())
    ]


def terminal_headings(columns: list[Column]) -> list[str]:
    """Return the headings on the terminal."""
    return [heading for column in columns for heading in _headings(column)]


def terminal_row(columns: list[Column], result: Any) -> list[str]:
    """Return the cells under `terminal_headings`."""
    cells: list[str] = []
    for column in columns:
        cell = column.cell(result)
        cells += [cell.text, cell.below or MISSING][: len(_headings(column))]
    return cells


def terminal_alignment(columns: list[Column]) -> list[bool]:
    """Return, for each of `terminal_headings`, whether its cells are aligned as texts."""
    return [column.is_text for column in columns for _ in _headings(column)]


def _headings(column: Column) -> list[str]:
    statistic = column.statistic
    if statistic is None or not statistic.short:
        return []
    return [statistic.short, "interval"] if statistic.show_interval else [statistic.short]
