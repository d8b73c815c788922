"""Limits for continuous integration, held against every condition of a run."""

from __future__ import annotations

import dataclasses

from salva.evaluation.results import Condition, Results
from salva.pairs.limits import Limit, check_rules, named_numbers

__all__ = ["Limit", "check_limits"]


def check_limits(results: Results, rules: tuple[str, ...] | list[str]) -> None:
    """Raise a `ThresholdError` that names the conditions beyond a limit."""
    check_rules({one.name: _numbers(one) for one in results.conditions}, rules)


def _numbers(condition: Condition) -> dict[str, float | None]:
    plain = dataclasses.asdict(condition)
    return named_numbers({**plain.pop("score"), "metric": plain.pop("metric"), **plain})
