"""What the answers to pairs say: one object, from which the page, the terminal's table and the JSON are made.

Rates are percent, drops are percent points, p values are between 0 and 1; None is what could not be measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from salva.pairs import Noise
from salva.pairs.limits import Limit, check_rules, named_numbers
from salva.stats import Estimate

__all__ = [
    "OVERALL",
    "RULES",
    "Agreement",
    "Failure",
    "Group",
    "Limit",
    "Noise",
    "Rule",
    "TwinExample",
    "TwinScore",
    "check_limits",
    "limited_groups",
]

OVERALL = "all"
Rule: TypeAlias = Literal["any", "nonempty"]
RULES: dict[Rule, str] = {
    "any": "equal answers are consistent, two empty ones too (the rule of the document and of the paper)",
    "nonempty": "equal answers are consistent unless they are empty (the published script's rule)",
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often the two answers of a pair are the same, under one rule about empty answers."""

    consistency: Estimate  # of the pairs with two answers
    consistent_wrong: Estimate  # the same and not right, of the pairs with two answers and a target
    among_incorrect: Estimate  # the same, of the pairs with a side that is wrong


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of some pairs: all of them, or those of one function, depth or length.

    `n + n_unlabelled + n_failed` is the number of pairs. A pair with a failed side is not measured: it is in
    no rate. Intervals are bootstraps over sources, since pairs that share a source are no two witnesses.
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
    consistency: Estimate  # these three under the rule of the score
    consistent_wrong: Estimate
    among_incorrect: Estimate
    by_rule: dict[Rule, Agreement]
    chance: float | None  # how often the answers would be the same if pairs were shuffled
    right_to_wrong: int
    wrong_to_right: int
    p: float | None  # exact McNemar
    p_holm: float | None  # corrected over the functions


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason for which there is no answer, and how many texts it concerns."""

    error: str
    times: int


@dataclass(frozen=True, slots=True)
class TwinExample:
    """A pair whose answers differ, or are the same and wrong."""

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
    """Everything that is said of the answers to some pairs."""

    format: int
    salva: str
    signature: str
    model: str
    data: str
    rule: Rule
    rules: dict[Rule, str]  # what each rule says, the one that was not chosen too
    comparator: str
    pairs: int
    empty: int  # empty answers to sources
    twin_empty: int  # and to twins
    distinct: int  # different answers, both sides together
    noise: Noise | None  # sources asked again; None where answers were made elsewhere
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
    """Raise a `ThresholdError` that names where a number is beyond a limit: over all pairs, or a function."""
    check_rules(limited_groups(score), rules)


def limited_groups(score: TwinScore) -> dict[str, dict[str, float | None]]:
    """Return the numbers that limits are held against, of all pairs and of each function."""
    groups = {OVERALL: score.overall}
    groups |= {f"kind {OVERALL}" if one.name == OVERALL else one.name: one for one in score.kinds}
    return {name: named_numbers(asdict(group)) for name, group in groups.items()}
