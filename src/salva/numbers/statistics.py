"""The numbers of a result by name: how each is shown everywhere, and rules about them such as `drop > 4`.

To add a statistic, add a field that is annotated with `Statistic`, and compute it where the result is made:
what follows from pairs of answers alone belongs to `PairScore` (`numbers.pair_scores.score`), what needs
texts or edits to `ConditionResult` (`evaluation.scoring`). It then has its place in the table of `--results`,
in the JSON, on the page and on the terminal, and its name in `--fail-if` and in trackers. Give it a default,
so that older runs can still be read.
"""

from __future__ import annotations

import dataclasses
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from salva._arguments import argument, did_you_mean
from salva._show import MISSING, count, interval, number
from salva.errors import ThresholdError, UsageError
from salva.numbers.intervals import Estimate

_FORMS: dict[type, Callable[[Any], str]] = {int: count, str: str, bool: lambda flag: "yes" if flag else "no"}
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
}
_RULE = re.compile(
    r"\s*([a-z][a-z0-9_.]*)\s*(>=|<=|==|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*", re.I
)
_SHOWN = 3  # groups that a message names


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

    @property
    def headings(self) -> list[str]:
        """Its headings on the terminal: none, one, or a second one for its interval."""
        if self.statistic is None or not self.statistic.short:
            return []
        return [self.statistic.short, "interval"] if self.statistic.show_interval else [self.statistic.short]

    @property
    def is_text(self) -> bool:
        """Whether it is aligned as a text."""
        return self.type in (str, bool)

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


def list_columns(result: type, prefix: str = "", path: tuple[str, ...] = ()) -> Iterator[Column]:
    """Yield the columns of a result, in the order of its fields, those of nested results included.

    A mapping, such as counts by a name that is known only afterwards, has none.
    """
    for name, hint in typing.get_type_hints(result, include_extras=True).items():
        base, *notes = typing.get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        if isinstance(base, types.UnionType):
            base = next(part for part in typing.get_args(base) if part is not type(None))
        note = notes[0] if notes else None
        if isinstance(note, Nested):
            yield from list_columns(base, note.prefix, (*path, name))
        elif base is Estimate or not (dataclasses.is_dataclass(base) or typing.get_origin(base) is dict):
            column = note.column if note is not None and note.column else name
            yield Column(f"{prefix}{column}", base, (*path, name), note)


def terminal_headings(columns: list[Column]) -> list[str]:
    """Return the headings on the terminal."""
    return [heading for column in columns for heading in column.headings]


def terminal_row(columns: list[Column], result: Any) -> list[str]:
    """Return the cells under `terminal_headings`."""
    cells = ((column.cell(result), len(column.headings)) for column in columns)
    return [text for cell, size in cells for text in (cell.text, cell.below or MISSING)[:size]]


def terminal_alignment(columns: list[Column]) -> list[bool]:
    """Return, for each of `terminal_headings`, whether its cells are aligned as texts."""
    return [column.is_text for column in columns for _ in column.headings]


def number_names(result: type) -> list[str]:
    """Return the names of the numbers of a result, as rules such as `drop.low > 4` use them.

    >>> from salva.numbers import MetricChange
    >>> number_names(MetricChange)
    ['before', 'after', 'change', 'change.value', 'change.low', 'change.high']
    """
    ends = {Estimate: ("", ".value", ".low", ".high"), int: ("",), float: ("",)}
    return [
        f"{column.rule_name}{end}" for column in list_columns(result) for end in ends.get(column.type, ())
    ]


def named_numbers(values: Mapping[str, Any], prefix: str = "") -> dict[str, float | None]:
    """Return the numbers of a result by name; an estimate gives its value, `.low` and `.high`.

    >>> named_numbers({"n": 2, "drop": {"value": 1.0, "low": 0.5, "high": 2.0}, "name": "a"})
    {'n': 2, 'drop': 1.0, 'drop.value': 1.0, 'drop.low': 0.5, 'drop.high': 2.0}
    """
    named: dict[str, float | None] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            if "low" in value:
                named[f"{prefix}{name}"] = value["value"]
            named |= named_numbers(value, f"{prefix}{name}.")
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            named[f"{prefix}{name}"] = value
    return named


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound on a number, which is given by its name in the JSON."""

    name: str
    sign: str
    bound: float

    @classmethod
    def of(cls, rule: str) -> Limit:
        """Parse a rule.

        >>> Limit.of("drop > 4")
        Limit(name='drop', sign='>', bound=4.0)
        """
        match = _RULE.fullmatch(rule)
        if match is None:
            expected = "NAME OP NUMBER, such as 'drop > 4' or 'consistency < 95'"
            raise UsageError(f"{argument('fail_if', rule)} must be {expected}")
        return cls(match[1], match[2], float(match[3]))

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.bound:g}"

    def broken_by(self, numbers: Mapping[str, float | None]) -> float | None:
        """Return the number that breaks the limit, or None; a number that was not measured breaks none."""
        value = numbers[self.known_among(numbers)]
        return value if value is not None and _OPERATORS[self.sign](value, self.bound) else None

    def known_among(self, names: Iterable[str]) -> str:
        """Return the name of the number if it is one of these; raise otherwise."""
        names = list(names)
        if self.name not in names:
            hint = did_you_mean(self.name, names, otherwise=f"choose from {', '.join(names)}")
            raise UsageError(f"{argument('fail_if')}: there is no number {self.name!r}; {hint}")
        return self.name


@dataclass(frozen=True, slots=True)
class Breach:
    """A limit that a group of numbers breaks, and the number; None if nothing was measured in any group."""

    limit: Limit
    group: str
    value: float | None

    def __str__(self) -> str:
        return f"{self.group} has {self.value:.4g}" if self.value is not None else "it was not measured"


def find_breaches(groups: Mapping[str, Mapping[str, float | None]], rules: Iterable[str]) -> list[Breach]:
    """Return which groups break which limits, rule by rule.

    A group in which a number was not measured does not break its limit. If nothing was measured at all (no
    group has the number or a pair that counts), all groups break it, because nobody knows that it holds.
    """
    breaches = []
    for limit in map(Limit.of, rules):
        broken = [(name, limit.broken_by(numbers)) for name, numbers in groups.items()]
        unmeasured = all(numbers[limit.name] is None and numbers.get("n") == 0 for numbers in groups.values())
        breaches += [Breach(limit, name, value) for name, value in broken if unmeasured or value is not None]
    return breaches


def refuse_breaches(breaches: Iterable[Breach]) -> None:
    """Raise a `ThresholdError` that names the limits and the groups that break them, if there are any."""
    by_limit: dict[Limit, dict[str, None]] = {}
    for breach in breaches:
        by_limit.setdefault(breach.limit, {})[str(breach)] = None
    problems = []
    for limit, texts in by_limit.items():
        more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
        problems.append(f"{limit}: {', '.join([*texts][:_SHOWN])}{more}")
    if problems:
        raise ThresholdError("; ".join(problems))


def check_rules(groups: Mapping[str, Mapping[str, float | None]], rules: Iterable[str]) -> None:
    """Raise a `ThresholdError` that names the groups that break a limit; see `find_breaches`.

    >>> check_rules({"typos@1": {"drop": 5.0}}, ["drop > 4"])
    Traceback (most recent call last):
    salva.errors.ThresholdError: drop > 4: typos@1 has 5
    """
    refuse_breaches(find_breaches(groups, rules))
