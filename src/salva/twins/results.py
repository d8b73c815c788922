"""The score of answers to pairs, and its mean and spread over several runs, as the JSON has them.

The page and the terminal's tables are made from these objects.

Rates are percentages, drops are percentage points, p values are between 0 and 1; None means not measurable.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from salva._results import brief
from salva.errors import UsageError
from salva.numbers import Estimate, check_rules, named_numbers
from salva.runs import Failure, Noise

OVERALL = "all"
_SHARED = ("rule", "comparator", "pairs")  # what runs must have in common to be summarised
_AGREEMENT = ("consistency", "consistent_wrong", "among_incorrect")
_RATES = ("accuracy", "twin_accuracy", "drop", "both_right", *_AGREEMENT)
Rule: TypeAlias = Literal["any", "nonempty"]
RULES: dict[Rule, str] = {
    "any": "equal answers are consistent, even if empty (as in the substitutivity test and its paper)",
    "nonempty": "equal answers are consistent unless they are empty (the published script's rule)",
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often the two answers of a pair are the same, under one rule for empty answers."""

    consistency: Estimate  # out of the pairs with two answers
    consistent_wrong: Estimate  # the same but not right, out of the pairs with two answers and a target
    among_incorrect: Estimate  # the same, out of the pairs with at least one wrong side


@dataclass(frozen=True, slots=True)
class SubsetScore:
    """The numbers for some pairs: all of them, or those of one kind, depth or length.

    `n + n_unlabelled + n_failed` is the number of pairs. A pair with a failed side is not measured and enters
    no rate. Pairs that share a source are not independent: if there are any, intervals and `p` are those of
    clusters, as `salva.numbers.PairTable` has them.
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
    p: float | None  # exact McNemar, or of the sums of sources
    p_holm: float | None  # corrected over the kinds


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


@brief
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
    overall: SubsetScore
    kinds: tuple[SubsetScore, ...]
    depths: tuple[SubsetScore, ...]
    lengths: tuple[SubsetScore, ...]
    notes: tuple[str, ...]
    failures: tuple[Failure, ...]
    examples: tuple[TwinExample, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


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
class SubsetSpread:
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


@brief
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
    overall: SubsetSpread
    kinds: tuple[SubsetSpread, ...]
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
    kinds = [kind.name for kind in first.kinds]
    for other in scores[1:]:
        differ = [name for name in _SHARED if getattr(first, name) != getattr(other, name)]
        differ += ["kinds"] if kinds != [kind.name for kind in other.kinds] else []
        if differ:
            raise UsageError(f"runs differ in {', '.join(differ)}; summarise runs over the same pairs")
    runs = zip(_run_names(scores), scores, strict=True)
    return TwinRuns(
        format=first.format,
        salva=first.salva,
        data=first.data,
        rule=first.rule,
        rules=first.rules,
        comparator=first.comparator,
        pairs=first.pairs,
        overall=_spread_subsets([score.overall for score in scores]),
        kinds=tuple(map(_spread_subsets, zip(*(score.kinds for score in scores), strict=True))),
        notes=tuple(f"{name}: {note}" for name, score in runs for note in score.notes),
        runs=tuple(scores),
    )


def check_limits(result: TwinScore | TwinRuns, limits: Iterable[str]) -> None:
    """Raise a `ThresholdError` if a number of any run is beyond a limit, over all pairs or for a kind."""
    if isinstance(result, TwinScore):
        check_rules(_limited_numbers(result), limits)
        return
    runs = zip(_run_names(result.runs), map(_limited_numbers, result.runs), strict=True)
    check_rules(
        {f"{run}, {name}": numbers for run, subsets in runs for name, numbers in subsets.items()}, limits
    )


def _limited_numbers(score: TwinScore) -> dict[str, dict[str, float | None]]:
    """Return the numbers that are checked against limits, for all pairs and for each kind."""
    subsets = {OVERALL: score.overall}
    subsets |= {f"kind {OVERALL}" if kind.name == OVERALL else kind.name: kind for kind in score.kinds}
    return {name: named_numbers(asdict(subset)) for name, subset in subsets.items()}


def _run_names(scores: Sequence[TwinScore]) -> list[str]:
    return [score.model or f"run {number}" for number, score in enumerate(scores, 1)]


def _spread_subsets(subsets: Sequence[SubsetScore]) -> SubsetSpread:
    agreements = {
        rule: AgreementSpread(**_spread_estimates([subset.by_rule[rule] for subset in subsets], _AGREEMENT))
        for rule in subsets[0].by_rule
    }
    rates = _spread_estimates(subsets, _RATES)
    return SubsetSpread(
        name=subsets[0].name, n=min(subset.n for subset in subsets), by_rule=agreements, **rates
    )


def _spread_estimates(scores: Sequence[SubsetScore | Agreement], names: Sequence[str]) -> dict[str, Spread]:
    """Return the spread of each estimate over several runs."""
    return {name: _spread([getattr(score, name).value for score in scores]) for name in names}


def _spread(values: Sequence[float | None]) -> Spread:
    measured = [value for value in values if value is not None]
    if not measured:
        return Spread(None, None, None, None, 0)
    sd = statistics.stdev(measured) if len(measured) > 1 else None
    return Spread(statistics.fmean(measured), sd, min(measured), max(measured), len(measured))
