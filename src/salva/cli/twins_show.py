"""The score of pairs on the terminal: consistency, and beside it always what it is worth."""

from __future__ import annotations

from salva.cli.show import print_line, print_table
from salva.stats import Estimate
from salva.twins.results import RULES, Group, Rule, TwinScore

__all__ = ["print_score"]

# Short, so that the table fits 80 columns.
_COLUMNS = ("pairs", "n", "right", "twins", "both", "same", "interval", "if wrong", "p (Holm)")
_LEGEND = (
    "percent: sources right, twins right, both right; the same answer twice (consistency) with its 95 % "
    "interval over sources, and among pairs with a wrong side"
)


def print_score(score: TwinScore) -> None:
    """Print the numbers over all pairs and by function, and what must be known beside them."""
    whose = f"{score.model}: " if score.model else ""
    print_line(f"{whose}{score.pairs:,} pairs of {score.overall.sources:,} sources")
    groups = [score.overall, *score.kinds]
    print_table(_LEGEND, _COLUMNS, [_row(group) for group in groups])
    print_line(f"rule {score.rule}: {RULES[score.rule]}")
    other: Rule = "any" if score.rule == "nonempty" else "nonempty"
    agreement = score.overall.by_rule[other]
    both = (
        f"consistency {_percent(agreement.consistency)}, of incorrect {_percent(agreement.among_incorrect)}"
    )
    print_line(f"rule {other}: {both}")
    for note in score.notes:
        print_line(f"note: {note}")
    for failure in score.failures[:3]:
        print_line(f"no answer for {failure.times:,} texts: {failure.error}")


def _row(group: Group) -> tuple[str, ...]:
    return (
        group.name,
        f"{group.n + group.n_unlabelled:,}",
        _percent(group.accuracy),
        _percent(group.twin_accuracy),
        _percent(group.both_right),
        _percent(group.consistency),
        _interval(group.consistency),
        _percent(group.among_incorrect),
        _p_value(group.p if group.p_holm is None else group.p_holm),
    )


def _percent(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else f"{estimate.value:.1f}"


def _interval(estimate: Estimate) -> str:
    return "n/a" if estimate.low is None else f"[{estimate.low:.1f}, {estimate.high:.1f}]"


def _p_value(value: float | None) -> str:
    if value is None:
        return "n/a"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
