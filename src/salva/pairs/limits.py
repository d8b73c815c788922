"""Limits for continuous integration: rules such as `drop > 4`, checked against named groups of numbers."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from salva._arguments import argument, did_you_mean
from salva.errors import ThresholdError, UsageError

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
_SHOWN = 3


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
        unmeasured = all(_is_unmeasured(limit.name, numbers) for numbers in groups.values())
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


def _is_unmeasured(name: str, numbers: Mapping[str, float | None]) -> bool:
    return numbers[name] is None and numbers.get("n") == 0


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
