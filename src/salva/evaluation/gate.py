"""A run and the limits that it must keep: which conditions break which ones, each with a flip to show."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from salva._arguments import argument
from salva._show import interval, number, p_value
from salva.errors import UsageError
from salva.evaluation.results import ConditionResult, ContrastResult, Flip, Results
from salva.evaluation.run import Run
from salva.models.protocol import clip
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
from salva.questions.table import CLEAN, undo

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


_LONGEST = 600  # characters of a text that is shown


@dataclass(frozen=True, slots=True)
class Example:
    """A flip to show: its answers, and both texts on one line each, cut if they are long."""

    id: str
    label: str | None
    before: str
    after: str
    original: str
    twin: str

    def lines(self) -> list[str]:
        """Return the row and its answers, the original and the twin."""
        label = "" if self.label is None else f", label {clip(self.label, 80)}"
        answers = f"{clip(self.before, 80)} became {clip(self.after, 80)}"
        row = f"one flip: row {clip(self.id, 80)}{label}: {answers}"
        return [row, f"original: {self.original}", f"twin:     {self.twin}"]


@dataclass(frozen=True, slots=True)
class _Checked:
    """The limits that a condition breaks, and a flip to show."""

    breaches: tuple[Breach, ...]
    example: Example | None

    def show_example(self) -> list[str]:
        """Return the lines of the example, if there is one."""
        return [] if self.example is None else self.example.lines()

    def problems(self) -> list[str]:
        """Return one line per limit that it breaks."""
        values = (one.value for one in self.breaches)
        measured = ("was not measured" if value is None else f"is {value:.4g}" for value in values)
        return [
            f"{breach.limit}: {breach.limit.name} {found}"
            for breach, found in zip(self.breaches, measured, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class CheckedCondition(_Checked):
    """A condition under which answers must stay, and the change of its drop if there is a baseline."""

    result: ConditionResult
    change: Estimate | None

    def summary(self) -> str:
        """Return its numbers in one line."""
        score = self.result.score
        before, after = number(score.accuracy_before.value), number(score.accuracy_after.value)
        numbers = [
            f"drop {number(score.drop.value)} points {interval(score.drop)}",
            f"accuracy {before} before, {after} after",
            f"same answers {number(score.consistency.value)} %",
            f"p (Holm) {p_value(score.p_holm)}",
            f"n {score.n:,}",
        ]
        if self.change is not None:
            numbers.append(f"change of the drop {number(self.change.value)} {interval(self.change)}")
        return "; ".join(numbers)


@dataclass(frozen=True, slots=True)
class CheckedContrast(_Checked):
    """A contrast; the example is a pair whose answer stayed."""

    result: ContrastResult

    def summary(self) -> str:
        """Return its numbers in one line."""
        score = self.result.score
        changed = f"sensitivity {number(score.sensitivity.value)} % {interval(score.sensitivity)}"
        return f"{changed}; {score.stayed:,} answers stayed; n {score.n:,}"

    def show_example(self) -> list[str]:
        """Return the lines of the example, if there is one."""
        if self.example is None:
            return []
        return [f"one answer that stayed: {clip(self.example.before, 80)}", *self.example.lines()[1:]]


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A run with its conditions and contrasts, and all limits that they break, rule by rule."""

    run: Run
    conditions: tuple[CheckedCondition, ...]
    breaches: tuple[Breach, ...]
    contrasts: tuple[CheckedContrast, ...] = ()

    @property
    def cases(self) -> list[CheckedCondition | CheckedContrast]:
        """The conditions and the contrasts."""
        return [*self.conditions, *self.contrasts]

    @property
    def broken(self) -> list[CheckedCondition | CheckedContrast]:
        """Those that break a limit."""
        return [one for one in self.cases if one.breaches]

    @property
    def apart(self) -> dict[str, list[str]]:
        """The limits that are broken by what is not a condition, such as an axis as a whole."""
        names = {condition.result.name for condition in self.conditions}
        found: dict[str, list[str]] = {}
        for breach in self.breaches:
            if breach.group not in names:
                found.setdefault(breach.group, []).append(f"{breach.limit}: {breach}")
        return found

    def refuse_broken_limits(self) -> None:
        """Raise a `ThresholdError` that names the conditions that break a limit."""
        refuse_breaches(self.breaches)


def check_run(run: Run, rules: Iterable[str], changes: Mapping[str, Estimate] | None = None) -> CheckedRun:
    """Check a run against limits; `changes` has the change of each condition's drop against a baseline."""
    breaches = tuple(find_broken_limits(run.results, rules, changes))

    def check(name: str, flips: Sequence[Flip]) -> tuple[tuple[Breach, ...], Example | None]:
        broken = tuple(breach for breach in breaches if breach.group == name)
        return broken, _find_example(run, flips, name) if broken else None

    conditions = tuple(
        CheckedCondition(*check(one.name, run.flips), one, (changes or {}).get(one.name))
        for one in run.results.conditions
    )
    contrasts = tuple(CheckedContrast(*check(one.name, run.unchanged), one) for one in run.results.contrasts)
    return CheckedRun(run, conditions, breaches, contrasts)


def _find_example(run: Run, flips: Sequence[Flip], condition: str) -> Example | None:
    """Return a flip of a condition: from right to wrong if there is one, with the shortest text."""
    flips = [flip for flip in flips if flip.condition == condition]
    if not flips:
        return None
    flip = min(flips, key=lambda flip: (flip.label != flip.before, len(flip.text)))
    original, twin = clip(_find_original(run, flip), _LONGEST), clip(flip.text, _LONGEST)
    return Example(flip.id, flip.label, flip.before, flip.after, original, twin)


def _find_original(run: Run, flip: Flip) -> str:
    """Return the text before rewriting: from the questions if they are kept, or by undoing edits."""
    if flip.original is not None:
        return flip.original
    if not run.has_questions or run.results.settings.get("task"):
        edits = [{**asdict(edit), "part": 0} for edit in flip.edits]
        return undo([flip.text], edits)[0]
    questions = run.questions
    (row,) = questions.take({flip.row: (CLEAN,)}, ["parts"])
    text: str = row["parts"][questions.about.rewritten_part]
    return text
