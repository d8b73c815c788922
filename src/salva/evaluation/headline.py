"""The headline of a run: first what presets that keep the meaning cost, then what corruptions cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from salva._show import interval, number
from salva.evaluation.results import ConditionResult, PresetResult, Results, group_by_family
from salva.pairs import PairScore
from salva.transforms import describe_validity


class Sentence(NamedTuple):
    """A sentence of the headline: what is stressed, and the rest."""

    stressed: str
    rest: str

    def __str__(self) -> str:
        return f"{self.stressed} {self.rest}".strip()


def write_headline(
    results: Results, digits: int = 1, typeset: Callable[[str], str] = str
) -> Iterator[Sentence]:
    """Yield the verdict on presets that keep the meaning, or that there are none; then on corruptions.

    `typeset` is applied to numbers.
    """
    families, judge = group_by_family(results.conditions), _Judge(results, digits, typeset).judge
    kept, rest = families.get("meaning", []), families.get("corruption", [])
    if not results.conditions:
        yield Sentence("No condition was measured.", "")
    elif kept:
        yield judge(kept, "preset that keeps the meaning")
    else:
        yield Sentence(
            "No preset of this run keeps the meaning;",
            "the right answer to a twin may be another one, so a drop is not yet a fault of the model.",
        )
    if rest:
        yield Sentence("", f"{'Under corruption: ' if kept else ''}{judge(rest, 'corruption')}")


def find_least_consistent(conditions: Sequence[ConditionResult]) -> ConditionResult | None:
    """Return the condition under which answers changed most often."""
    answered = [condition for condition in conditions if condition.score.consistency.value is not None]
    return min(answered, key=lambda condition: condition.score.consistency.value or 0.0, default=None)


def drop_of(condition: ConditionResult) -> float:
    """Return the drop, below any other if it was not measured."""
    value = condition.score.drop.value
    return -1000.0 if value is None else value


def limit_of(settings: Mapping[str, Any]) -> float:
    """Return the drop in points above which a condition is effective."""
    limit = settings.get("effective_over")
    return float(limit) if isinstance(limit, int | float) else 4.0


def name_condition(condition: ConditionResult) -> str:
    """Return a condition in words."""
    if condition.severity is None:
        return f"{condition.preset} reassembled without an edit"
    replicate = f", replicate {condition.replicate}" if condition.replicate else ""
    return f"{condition.preset} at severity {condition.severity:g}{replicate}"


def describe_preset(preset: PresetResult) -> str:
    """Return the validity of a preset in words."""
    return describe_validity(preset.validity, preset.version)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Writes the verdict on some conditions of a run."""

    results: Results
    digits: int
    typeset: Callable[[str], str]

    def judge(self, conditions: Sequence[ConditionResult], kind: str) -> Sentence:
        worst = max(conditions, key=drop_of)
        drop, name = worst.score.drop, name_condition(worst)
        if drop.value is None:
            return self.judge_consistency(conditions)
        size = f"{self.number(drop.value)} points"
        between = self.typeset(interval(drop, self.digits))
        if drop.value <= 0:
            return Sentence(f"No {kind} lowers accuracy.", f"The largest drop, {name}, is {size} {between}.")
        verdict = _name_effect(worst.score, limit_of(self.results.settings), kind)
        return Sentence(f"{name} costs {size}", f"{between}: {verdict}{self.state_validity(worst)}")

    def judge_consistency(self, conditions: Sequence[ConditionResult]) -> Sentence:
        labelled = self.results.data.label_column is not None
        reason = "no pair has a label and two answers" if labelled else "the data has no labels"
        stressed = f"No drop could be measured: {reason}."
        least = find_least_consistent(conditions)
        if least is None:
            return Sentence(stressed, "")
        place = f"lowest for {name_condition(least)}: {self.number(least.score.consistency.value)} %."
        rest = f"Consistency needs no labels and is {place}{self.state_validity(least)}"
        return Sentence(stressed, rest)

    def state_validity(self, condition: ConditionResult) -> str:
        presets = [preset for preset in self.results.presets if preset.preset == condition.preset]
        if not presets or condition.severity is None:
            return ""
        return f" Validity of {condition.preset}: {describe_preset(presets[0])}."

    def number(self, value: float | None) -> str:
        return self.typeset(number(value, self.digits))


def _name_effect(score: PairScore, limit: float, kind: str) -> str:
    if score.surely_effective:
        return f"surely effective, because even the lower end of its interval is over {limit:g} points."
    if score.effective:
        return f"effective, but the lower end of its interval is not over {limit:g} points."
    low = score.drop.low
    zero = "; its interval includes 0, so there may be no drop at all" if low is not None and low <= 0 else ""
    return f"not effective, which takes more than {limit:g} points{zero}. No other {kind} costs more."
