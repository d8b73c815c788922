"""Limits for continuous integration, checked against every condition of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from salva._arguments import argument
from salva.errors import UsageError
from salva.evaluation.results import ConditionResult, Results
from salva.pairs.limits import Breach, Limit, find_breaches, named_numbers, refuse_breaches
from salva.pairs.statistics import number_names
from salva.stats import Estimate

CHANGE = "drop_change"  # the name in rules


def check_limits(results: Results, rules: Iterable[str]) -> None:
    """Raise a `ThresholdError` that names the conditions that break a limit."""
    refuse_breaches(find_broken_limits(results, rules))


def find_broken_limits(
    results: Results, rules: Iterable[str], changes: Mapping[str, Estimate] | None = None
) -> list[Breach]:
    """Return which conditions break which limits; `changes` has the change of each condition's drop."""
    numbers = {condition.name: _numbers(condition) for condition in results.conditions}
    for name, change in (changes or {}).items():
        numbers[name] |= named_numbers({CHANGE: dataclasses.asdict(change)})
    return find_breaches(numbers, rules)


def _numbers(condition: ConditionResult) -> dict[str, float | None]:
    plain = dataclasses.asdict(condition)
    return named_numbers({**plain.pop("score"), "metric": plain.pop("metric"), **plain})


def check_names(rules: Iterable[str], *, audited: bool = False, baseline: bool = False) -> None:
    """Refuse rules about numbers that no condition will have, before the model is asked.

    A metric adds its own numbers, an audit those of valid twins, and a baseline the change of the drop.
    """
    known = [name for name in number_names(ConditionResult) if audited or not name.startswith("audited.")]
    changes = [f"{CHANGE}{end}" for end in ("", ".value", ".low", ".high")]
    for limit in map(Limit.of, rules):
        if limit.name in changes and not baseline:
            problem = f"{limit.name!r} is the change of the drop against another run"
            raise UsageError(
                f"{argument('fail_if')}: {problem}; name that run with {argument('baseline', 'RUN')}"
            )
        if not limit.name.startswith("metric"):
            limit.known_among([*known, *changes] if baseline else known)
