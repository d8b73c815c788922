"""A run and the limits that it must keep: which conditions break which ones, each with a flip to show."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeAlias, TypeVar

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


R = TypeVar("R", ConditionResult, ContrastResult)


@dataclass(frozen=True, slots=True)
class Checked(Generic[R]):
    """A condition or a contrast, the limits that it breaks, and a flip to show.

    The example of a contrast is a pair whose answer stayed. With a baseline, a condition has the change of
    its drop.
    """

    result: R
    breaches: tuple[Breach, ...]
    example: Example | None
    change: Estimate | None = None

    def show_example(self) -> list[str]:
        """Return the lines of the example, if there is one: its answers, the original and the twin."""
        one = self.example
        if one is None:
            return []
        label = "" if one.label is None else f", label {clip(one.label, 80)}"
        row = f"one flip: row {clip(one.id, 80)}{label}: {clip(one.before, 80)} became {clip(one.after, 80)}"
        if isinstance(self.result, ContrastResult):
            row = f"one answer that stayed: {clip(one.before, 80)}"
        return [row, f"original: {one.original}", f"twin:     {one.twin}"]

    def problems(self) -> list[str]:
        """Return one line per limit that it breaks."""
        return [
            f"{one.limit}: {one.limit.name} "
            + ("was not measured" if one.value is None else f"is {one.value:.4g}")
            for one in self.breaches
        ]

    def summary(self) -> str:
        """Return its numbers in one line."""
        if isinstance(self.result, ContrastResult):
            found = self.result.score
            changed = f"sensitivity {number(found.sensitivity.value)} % {interval(found.sensitivity)}"
            return f"{changed}; {found.stayed:,} answers stayed; n {found.n:,}"
        score, change = self.result.score, self.change
        before, after = number(score.accuracy_before.value), number(score.accuracy_after.value)
        line = (
            f"drop {number(score.drop.value)} points {interval(score.drop)}; "
            f"accuracy {before} before, {after} after; same answers {number(score.consistency.value)} %; "
            f"p (Holm) {p_value(score.p_holm)}; n {score.n:,}"
        )
        if change is not None:
            line += f"; change of the drop {number(change.value)} {interval(change)}"
        return line


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A run with its conditions and contrasts, and all limits that they break, rule by rule."""

    run: Run
    conditions: tuple[Checked[ConditionResult], ...]
    breaches: tuple[Breach, ...]
    contrasts: tuple[Checked[ContrastResult], ...] = ()

    @property
    def cases(self) -> list[Checked[ConditionResult] | Checked[ContrastResult]]:
        """The conditions and the contrasts."""
        return [*self.conditions, *self.contrasts]

    @property
    def broken(self) -> list[Checked[ConditionResult] | Checked[ContrastResult]]:
        """Those that break a limit."""
        return [one for one in self.cases if one.breaches]

    @property
    def apart(self) -> dict[str, list[str]]:
        """The limits that are broken by what is not a condition, such as an axis as a whole."""
        names = {one.result.name for one in self.cases}
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
        Checked(one, *check(one.name, run.flips), (changes or {}).get(one.name))
        for one in run.results.conditions
    )
    contrasts = tuple(Checked(one, *check(one.name, run.unchanged)) for one in run.results.contrasts)
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
