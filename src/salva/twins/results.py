"""The score of answers to pairs: one object from which the page, the terminal's table and the JSON are made.

Rates are percentages, drops are percentage points, p values are between 0 and 1; None means not measurable.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from salva.errors import UsageError
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


_SHARED = ("rule", "comparator", "pairs")


@dataclass(frozen=True, slots=True)
class Spread:
    """A number over several runs; None if too few runs have it."""

    mean: float | None
    sd: float | None  # of a sample: divided by the number of runs minus one
    least: float | None
    most: float | None
    runs: int  # that have the number


@dataclass(frozen=True, slots=True)
class AgreementSpread:
    """How often the two answers of a pair are the same, under one rule for empty answers."""

    consistency: Spread
    consistent_wrong: Spread
    among_incorrect: Spread


@dataclass(frozen=True, slots=True)
class RunsGroup:
    """The numbers of some pairs over all runs, with the names that they have in the score of one run."""

    name: str
    n: int  # pairs with two answers and a target, in the run that has the fewest
    accuracy: Spread
    twin_accuracy: Spread
    drop: Spread
    both_right: Spread
    consistency: Spread
    consistent_wrong: Spread
    among_incorrect: Spread
    by_rule: dict[Rule, AgreementSpread]


@dataclass(frozen=True, slots=True)
class TwinRuns:
    """Everything that is reported about several runs: means, spreads, and the score of each run."""

    format: int
    salva: str
    data: str
    rule: Rule
    rules: dict[Rule, str]
    comparator: str
    pairs: int
    overall: RunsGroup
    kinds: tuple[RunsGroup, ...]
    notes: tuple[str, ...]
    runs: tuple[TwinScore, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def summarise_runs(scores: Sequence[TwinScore]) -> TwinRuns:
    """Return the mean and the spread of every number over the scores of several runs on the same pairs.

    >>> from salva.twins import make_pairs, score
    >>> pairs = make_pairs(["append A1 , B1"])
    >>> runs = [score(pairs, ["A1 B1"], [twin]) for twin in ("A1 B1", "B1 A1")]
    >>> summarise_runs(runs).overall.consistency
    Spread(mean=50.0, sd=70.71067811865476, least=0.0, most=100.0, runs=2)
    """
    if not scores:
        raise UsageError("there is no run to summarise; give one score or more")
    first = scores[0]
    kinds = [group.name for group in first.kinds]
    for other in scores[1:]:
        differ = [name for name in _SHARED if getattr(first, name) != getattr(other, name)]
        differ += ["functions"] if kinds != [group.name for group in other.kinds] else []
        if differ:
            raise UsageError(f"runs differ in {', '.join(differ)}; summarise runs over the same pairs")
    notes = (f"{one.model or f'run {k}'}: {note}" for k, one in enumerate(scores, 1) for note in one.notes)
    return TwinRuns(
        format=first.format,
        salva=first.salva,
        data=first.data,
        rule=first.rule,
        rules=first.rules,
        comparator=first.comparator,
        pairs=first.pairs,
        overall=_group([one.overall for one in scores]),
        kinds=tuple(_group([one.kinds[k] for one in scores]) for k in range(len(kinds))),
        notes=tuple(notes),
        runs=tuple(scores),
    )


def check_run_limits(found: TwinRuns, rules: Iterable[str]) -> None:
    """Raise a `ThresholdError` if a number of any run is beyond a limit."""
    groups = {
        f"{one.model or f'run {k}'}, {name}": numbers
        for k, one in enumerate(found.runs, 1)
        for name, numbers in limited_groups(one).items()
    }
    check_rules(groups, rules)


def _group(groups: Sequence[Group]) -> RunsGroup:
    def spread(take: Callable[[Group], Estimate]) -> Spread:
        return _spread([take(group).value for group in groups])

    def agreement(rule: Rule) -> AgreementSpread:
        return AgreementSpread(
            consistency=spread(lambda group: group.by_rule[rule].consistency),
            consistent_wrong=spread(lambda group: group.by_rule[rule].consistent_wrong),
            among_incorrect=spread(lambda group: group.by_rule[rule].among_incorrect),
        )

    return RunsGroup(
        name=groups[0].name,
        n=min(group.n for group in groups),
        accuracy=spread(lambda group: group.accuracy),
        twin_accuracy=spread(lambda group: group.twin_accuracy),
        drop=spread(lambda group: group.drop),
        both_right=spread(lambda group: group.both_right),
        consistency=spread(lambda group: group.consistency),
        consistent_wrong=spread(lambda group: group.consistent_wrong),
        among_incorrect=spread(lambda group: group.among_incorrect),
        by_rule={rule: agreement(rule) for rule in groups[0].by_rule},
    )


def _spread(values: Sequence[float | None]) -> Spread:
    known = [value for value in values if value is not None]
    if not known:
        return Spread(None, None, None, None, 0)
    sd = statistics.stdev(known) if len(known) > 1 else None
    return Spread(statistics.fmean(known), sd, min(known), max(known), len(known))
