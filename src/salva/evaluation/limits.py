"""Limits for continuous integration, checked against every condition of a run; and a test in one line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from salva._arguments import argument
from salva.errors import ThresholdError, UsageError
from salva.evaluation.results import ConditionResult, Results
from salva.evaluation.run import Run, evaluate
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
            raise UsageError(f"{argument('fail_if')}: {problem}; name that run with --baseline RUN")
        if not limit.name.startswith("metric"):
            limit.known_among([*known, *changes] if baseline else known)


def assert_robust(
    data: Any,
    *,
    model: Any,
    max_drop: float | None = 4.0,
    min_consistency: float | None = None,
    severities: float | Iterable[float] = 0.5,
    fail_if: str | Iterable[str] = (),
    **options: Any,
) -> Run:
    """Raise an `AssertionError` if the model drops by more than `max_drop` points under any condition.

    `min_consistency` is in percent; `fail_if` takes further rules such as "accuracy_after < 80". Data, model
    and all other options are those of `evaluate`, whose run is returned.

    >>> run = assert_robust(["good"], labels=["pos"], model=lambda texts: ["pos"] * len(texts))
    >>> run.results.status
    'success'
    """
    __tracebackhide__ = True  # pytest shows the line of the test instead
    rules = [fail_if] if isinstance(fail_if, str) else list(fail_if)
    rules += [] if max_drop is None else [f"drop > {max_drop:g}"]
    rules += [] if min_consistency is None else [f"consistency < {min_consistency:g}"]
    run = evaluate(data, model=model, severities=severities, **{"blame_calls": 0, **options})
    try:
        check_limits(run.results, rules)
    except ThresholdError as error:
        raise AssertionError(f"not robust: {error}\n{run.summary()}") from None
    return run
