"""The score of pairs on the terminal: consistency, always next to the numbers that put it in perspective."""

from __future__ import annotations

from collections.abc import Mapping

from salva._show import interval, number, number_of, p_value
from salva.cli.show import print_line, print_table
from salva.twins.results import RULES, Spread, SubsetScore, TwinRuns, TwinScore

# Short, so that names and intervals stay whole on 80 columns.
_COLUMNS = ("pairs", "n", "right", "twins", "both", "same", "interval", "if wrong", "p")
_LEGEND = (
    "percent: sources right, twins right, both right; the same answer to both (consistency) with its 95 % "
    "interval over sources, and among pairs with a wrong side; p of flips, Holm-corrected over the kinds"
)
_N = _COLUMNS.index("n")
_SHORT = ("right", "twins", "both", "same", "if wrong")
_RATES = ("accuracy", "twin_accuracy", "both_right", "consistency", "among_incorrect")


def print_score(score: TwinScore | TwinRuns) -> None:
    """Print the score of one run or of several, and the notes needed to interpret it."""
    if isinstance(score, TwinScore):
        _print_one(score)
    else:
        _print_several(score)


def _print_one(score: TwinScore) -> None:
    """Print the numbers over all pairs and by kind."""
    whose = f"{score.model}: " if score.model else ""
    table = [_COLUMNS, *map(_row, (score.overall, *score.kinds))]
    sizes = {row[_N] for row in table[2:]}
    each = f", {sizes.pop()} of each kind" if len(score.kinds) > 1 and len(sizes) == 1 else ""
    if each:  # then the column is redundant
        table = [(*row[:_N], *row[_N + 1 :]) for row in table]
    target = f", {score.overall.n:,} with a target" if score.overall.n_unlabelled else ""
    of = f"{number_of(score.pairs, 'pair')} of {number_of(score.overall.sources, 'source')}"
    print_line(f"{whose}{of}{target}{each}")
    print_table(_LEGEND, table[0], table[1:], cut=True)
    print_line(f"rule {score.rule}: {RULES[score.rule]}")
    for other in (rule for rule in RULES if rule != score.rule):
        beside = score.overall.by_rule[other]
        consistency, wrong = number(beside.consistency.value), number(beside.among_incorrect.value)
        print_line(f"rule {other}: {RULES[other]}: consistency {consistency}, of incorrect {wrong}")
    if score.noise is not None and score.noise.asked:
        noise = f"{score.noise.changed:,} of {number_of(score.noise.asked, 'source')}"
        print_line(f"noise floor: {noise} got a different answer when asked again")
    for note in score.notes:
        print_line(f"note: {note}")
    for failure in score.failures[:3]:
        print_line(f"no answer for {number_of(failure.times, 'text')}: {failure.error}")


def _print_several(runs: TwinRuns) -> None:
    """Print the mean and the spread over several runs, then the numbers of each."""
    print_line(f"{number_of(len(runs.runs), 'run')} of {number_of(runs.pairs, 'pair')}")
    subsets = (runs.overall, *runs.kinds)
    means = [(subset.name, *(_spread(getattr(subset, name)) for name in _RATES)) for subset in subsets]
    print_table("percent: mean ± standard deviation over the runs", ("pairs", *_SHORT), means, cut=True)
    rows = []
    for k, run in enumerate(runs.runs, 1):
        rates = (number(getattr(run.overall, name).value) for name in _RATES)
        rows.append((run.model or f"run {k}", *rates))
    print_table("percent, run by run", ("run", *_SHORT), rows, cut=True)
    print_line(f"rule {runs.rule}: {RULES[runs.rule]}")
    for other in (rule for rule in RULES if rule != runs.rule):
        beside = runs.overall.by_rule[other]
        consistency, wrong = _spread(beside.consistency), _spread(beside.among_incorrect)
        print_line(f"rule {other}: {RULES[other]}: consistency {consistency}, of incorrect {wrong}")
    for note in runs.notes:
        print_line(f"note: {note}")


def _spread(spread: Spread) -> str:
    return number(spread.mean) + ("" if spread.sd is None else f"±{number(spread.sd)}")


def print_missing(by_kind: Mapping[str, int]) -> None:
    """Name the functions that have no pairs."""
    missing = [kind for kind, count in by_kind.items() if not count]
    if missing:
        names = " or ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
        print_line(f"no line has {names}: no pairs for {'it' if len(missing) == 1 else 'them'}")


def _row(subset: SubsetScore) -> tuple[str, ...]:
    return (
        subset.name,
        f"{subset.n + subset.n_unlabelled:,}"
        + (f" ({subset.n:,})" if subset.n and subset.n_unlabelled else ""),
        number(subset.accuracy.value),
        number(subset.twin_accuracy.value),
        number(subset.both_right.value),
        number(subset.consistency.value),
        interval(subset.consistency),
        number(subset.among_incorrect.value),
        p_value(subset.p if subset.p_holm is None else subset.p_holm),
    )
