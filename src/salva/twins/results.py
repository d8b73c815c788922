"""The score of answers to pairs: one object from which the page, the terminal's table and the JSON are made.

Rates are percentages, drops are percentage points, p values are between 0 and 1; None means not measurable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from salva.pairs.limits import check_rules, named_numbers
from salva.runs import Noise
from salva.stats import Estimate

OVERALL = "all"
Rule: TypeAlias = Literal["any", "nonempty"]
RULES: dict[Rule, str] = {
    "any": "equal answers are consistent, even if empty (the rule of the document and of the paper)",
    "nonempty": "equal answers are consistent unless they are empty (the published script's rule)",
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often the two answers of a pair are the same, under one rule for empty answers."""

    consistency: Estimate  # out of the pairs with two answers
    consistent_wrong: Estimate  # the same but not right, out of the pairs with two answers and a target
    among_incorrect: Estimate  # the same, out of the pairs with at least one wrong side


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers for some pairs: all of them, or those of one function, depth or length.

    `n + n_unlabelled + n_failed` is the number of pairs. A pair with a failed side is not measured and enters
    no rate. Intervals are bootstraps over sources, since pairs that share a source are not independent.
    """

    name: str
    n: int  # pairs with two answers and a target
    n_failed: int  # pairs without an answer on one side or both
    n_unlabelled: int  # pairs with two answers and no target
    sources: int  # distinct sources of the measured pairs
    accuracy: Estimate
    twin_accuracy: Estimate
    drop: Estimate  # accuracy minus twin accuracy
    both_right: Estimate
    consistency: Estimate  # this and the next two follow the rule of the score
    consistent_wrong: Estimate
    among_incorrect: Estimate
    by_rule: dict[Rule, Agreement]
    chance: float | None  # how often the answers would be the same if the twins were shuffled
    right_to_wrong: int
    wrong_to_right: int
    p: float | None  # exact McNemar
    p_holm: float | None  # corrected over the functions


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason why there is no answer, and the number of texts it affects."""

    error: str
    times: int


@dataclass(frozen=True, slots=True)
class TwinExample:
    """A pair whose answers differ, or are the same but wrong."""

    row: int
    kind: str
    source: str
    twin: str
    target: str
    twin_target: str
    answer: str
    twin_answer: str
    right: bool | None
    twin_right: bool | None
    same: bool


@dataclass(frozen=True, slots=True)
class TwinScore:
    """Everything that is reported about the answers to some pairs."""

    format: int
    salva: str
    signature: str
    model: str
    data: str
    rule: Rule
    rules: dict[Rule, str]  # what each rule says, including the one not chosen
    comparator: str
    pairs: int
    empty: int  # empty answers to sources
    twin_empty: int  # and to twins
    distinct: int  # different answers, both sides together
    noise: Noise | None  # sources asked again; None if the answers were made elsewhere
    overall: Group
    kinds: tuple[Group, ...]
    depths: tuple[Group, ...]
    lengths: tuple[Group, ...]
    notes: tuple[str, ...]
    failures: tuple[Failure, ...]
    examples: tuple[TwinExample, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def check_limits(score: TwinScore, rules: Iterable[str]) -> None:
    """Raise a `ThresholdError` if a number is beyond a limit, over all pairs or for a function."""
    check_rules(limited_groups(score), rules)


def limited_groups(score: TwinScore) -> dict[str, dict[str, float | None]]:
    """Return the numbers that are checked against limits, for all pairs and for each function."""
    groups = {OVERALL: score.overall}
    groups |= {f"kind {OVERALL}" if one.name == OVERALL else one.name: one for one in score.kinds}
    return {name: named_numbers(asdict(group)) for name, group in groups.items()}
