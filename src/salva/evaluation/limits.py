"""Limits for continuous integration, checked against every condition of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from salva.evaluation.results import Condition, Results
from salva.pairs import score
from salva.pairs.limits import Limit, check_rules, named_numbers


def check_limits(results: Results, rules: tuple[str, ...] | list[str]) -> None:
    """Raise a `ThresholdError` that names the conditions that break a limit."""
    check_rules({one.name: _numbers(one) for one in results.conditions}, rules)


def _numbers(condition: Condition) -> dict[str, float | None]:
    plain = dataclasses.asdict(condition)
    return named_numbers({**plain.pop("score"), "metric": plain.pop("metric"), **plain})


def check_names(rules: Iterable[str]) -> None:
    """Refuse rules about numbers that no condition has, before the model is asked; a metric adds its own."""
    known = _numbers(Condition("", "", None, 0, score([], [], []), None, 0, 0, None))
    for limit in map(Limit.of, rules):
        if not limit.name.startswith("metric"):
            limit.known_among(known)
