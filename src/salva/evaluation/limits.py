"""Limits for continuous integration, checked against every condition of a run; and a test in one line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from salva.errors import ThresholdError
from salva.evaluation.results import ConditionResult, Results
from salva.evaluation.run import Run, evaluate
from salva.pairs.limits import Limit, check_rules, named_numbers
from salva.pairs.statistics import number_names


def check_limits(results: Results, rules: tuple[str, ...] | list[str]) -> None:
    """Raise a `ThresholdError` that names the conditions that break a limit."""
    check_rules({condition.name: _numbers(condition) for condition in results.conditions}, rules)


def _numbers(condition: ConditionResult) -> dict[str, float | None]:
    plain = dataclasses.asdict(condition)
    return named_numbers({**plain.pop("score"), "metric": plain.pop("metric"), **plain})


def check_names(rules: Iterable[str]) -> None:
    """Refuse rules about numbers that no condition has, before the model is asked; a metric adds its own."""
    known = [name for name in number_names(ConditionResult) if not name.startswith("audited.")]
    for limit in map(Limit.of, rules):
        if not limit.name.startswith("metric"):
            limit.known_among(known)


def assert_robust(
    model: Any,
    data: Any,
    *,
    max_drop: float | None = 4.0,
    min_consistency: float | None = None,
    severities: Iterable[float] = (0.5,),
    fail_if: Iterable[str] = (),
    **options: Any,
) -> Run:
    """Raise an `AssertionError` if the model drops by more than `max_drop` points under any condition.

    `min_consistency` is in percent; `fail_if` takes further rules such as "accuracy_after < 80". The other
    options are those of `evaluate`, whose run is returned.

    >>> assert_robust(lambda texts: ["pos"] * len(texts), [("good", "pos")], presets=["typos"]).results.status
    'success'
    """
    rules = list(fail_if)
    rules += [] if max_drop is None else [f"drop > {max_drop:g}"]
    rules += [] if min_consistency is None else [f"consistency < {min_consistency:g}"]
    run = evaluate(data, model=model, severities=severities, **{"blame_calls": 0, **options})
    try:
        check_limits(run.results, rules)
    except ThresholdError as error:
        raise AssertionError(f"not robust: {error}\n{run.summary()}") from None
    return run
