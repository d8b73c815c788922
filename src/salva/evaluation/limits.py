"""Limits for continuous integration, checked against every condition of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from salva._arguments import argument
from salva.errors import UsageError
from salva.evaluation.results import ConditionResult, ContrastResult, Results
from salva.numbers import (
    Breach,
    Estimate,
    Limit,
    VariantScore,
    find_breaches,
    named_numbers,
    number_names,
    refuse_breaches,
)

CHANGE = "drop_change"  # the name in rules
ROBUST = "robust_accuracy"
AXIS_NUMBERS = ("spread", "worst_case", "consistency_rate", "prompt_sensitivity")
_Groups: TypeAlias = Mapping[str, Mapping[str, float | None]]


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
    listed = list(rules)
    groups = [_choose_groups(results, Limit.of(rule).name, numbers) for rule in listed]
    pairs = zip(listed, groups, strict=True)
    return [breach for rule, group in pairs for breach in find_breaches(group, [rule])]


def _choose_groups(results: Results, name: str, conditions: _Groups) -> _Groups:
    """Return the numbers that a rule is about: of conditions, axes as a whole, all presets, or contrasts."""
    if name in _names_of(ROBUST):
        if results.robust is None:
            problem = f"{name!r} is over presets that keep the meaning, and the run has none"
            raise UsageError(f"{argument('fail_if')}: {problem}")
        found = {"n": results.robust.n, ROBUST: dataclasses.asdict(results.robust.worst_case)}
        return {"presets that keep the meaning": named_numbers(found)}
    if name not in _names_of(*AXIS_NUMBERS):
        return _choose_contrasts(results, name) or conditions
    if not results.axes:
        problem = f"{name!r} is a number of an axis, and the run has none"
        raise UsageError(f"{argument('fail_if')}: {problem}; add {argument('axes', flag='--axis')}")
    return {f"axis {one.axis}": named_numbers(_plain(one.score)) for one in results.axes}


def _plain(score: VariantScore) -> dict[str, Any]:
    plain = dataclasses.asdict(score)
    return {name: plain[name] for name in ("n", *AXIS_NUMBERS)}


def _names_of(*numbers: str) -> list[str]:
    return [f"{name}{end}" for name in numbers for end in ("", ".value", ".low", ".high")]


def _choose_contrasts(results: Results, name: str) -> _Groups | None:
    """Return the numbers of contrasts, if only they have the one that a rule is about."""
    if name not in number_names(ContrastResult) or name in number_names(ConditionResult):
        return None
    if not results.contrasts:
        remedy = f"add {argument('presets', 'contrast', flag='--preset')}"
        raise UsageError(f"{argument('fail_if')}: {name!r} is about contrasts, and there are none; {remedy}")
    return {contrast.name: _numbers(contrast) for contrast in results.contrasts}


def _numbers(result: ConditionResult | ContrastResult) -> dict[str, float | None]:
    plain = dataclasses.asdict(result)
    return named_numbers({**plain.pop("score"), "metric": plain.pop("metric", None), **plain})


def check_names(rules: Iterable[str], *, audited: bool = False, baseline: bool = False) -> None:
    """Refuse rules about numbers that no condition will have, before the model is asked.

    A metric adds its own numbers, an audit those of valid twins, and a baseline the change of the drop.
    """
    known = [name for name in number_names(ConditionResult) if audited or not name.startswith("audited.")]
    known += _names_of(*AXIS_NUMBERS, ROBUST)
    known += [name for name in number_names(ContrastResult) if name not in known]
    changes = _names_of(CHANGE)
    for limit in map(Limit.of, rules):
        if limit.name in changes and not baseline:
            problem = f"{limit.name!r} is the change of the drop against another run"
            raise UsageError(
                f"{argument('fail_if')}: {problem}; name that run with {argument('baseline', 'RUN')}"
            )
        if not limit.name.startswith("metric"):
            limit.known_among([*known, *changes] if baseline else known)
