"""Limits for continuous integration: `drop > 4` and its like, held against every condition."""

from __future__ import annotations

import dataclasses
import difflib
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from salva.errors import ThresholdError, UsageError
from salva.evaluation.results import Condition, Results

__all__ = ["Limit", "check_limits"]

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
    """A number of a condition, by its name in the JSON, that must not be beyond a bound."""

    name: str
    sign: str
    bound: float

    @classmethod
    def of(cls, rule: str) -> Limit:
        """Read a rule.

        >>> Limit.of("drop > 4")
        Limit(name='drop', sign='>', bound=4.0)
        """
        match = _RULE.fullmatch(rule)
        if match is None:
            raise UsageError(
                f"--fail-if {rule!r} is no NAME OP NUMBER, such as 'drop > 4' or 'consistency < 95'"
            )
        return cls(match[1], match[2], float(match[3]))

    def broken_by(self, condition: Condition) -> float | None:
        """Return the number that breaks the limit, or None."""
        numbers = _numbers(condition)
        if self.name not in numbers:
            near = difflib.get_close_matches(self.name, numbers, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(numbers)}"
            raise UsageError(f"--fail-if: no number {self.name!r}; {hint}")
        value = numbers[self.name]
        return value if value is not None and _OPERATORS[self.sign](value, self.bound) else None


def check_limits(results: Results, rules: tuple[str, ...] | list[str]) -> None:
    """Raise a `ThresholdError` that names the conditions beyond a limit."""
    problems = []
    for rule in rules:
        limit = Limit.of(rule)
        broken = [(one.name, limit.broken_by(one)) for one in results.conditions]
        over = [f"{name} has {value:.4g}" for name, value in broken if value is not None]
        if over:
            more = f" and {len(over) - _SHOWN} more" if len(over) > _SHOWN else ""
            problems.append(f"{limit.name} {limit.sign} {limit.bound:g}: {', '.join(over[:_SHOWN])}{more}")
    if problems:
        raise ThresholdError("; ".join(problems))


def _numbers(condition: Condition) -> dict[str, float | None]:
    """Return the numbers of a condition by name; an estimate is its value, or its `.low` and `.high`."""
    plain = dataclasses.asdict(condition)
    return _named({**plain.pop("score"), "metric": plain.pop("metric"), **plain})


def _named(values: Mapping[str, Any], prefix: str = "") -> dict[str, float | None]:
    named: dict[str, float | None] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            if "low" in value:
                named[f"{prefix}{name}"] = value["value"]
            named |= _named(value, f"{prefix}{name}.")
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            named[f"{prefix}{name}"] = value
    return named
