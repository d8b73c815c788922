"""`salva outliers compare`: which of two models finds more outliers."""

from __future__ import annotations

from pathlib import Path

import click

from salva._show import interval, number, number_of, p_value
from salva.cli.options import common_options
from salva.cli.outliers.options import ScoringOptions, scoring_options
from salva.cli.show import print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.comparing import MeasureComparison, ScoreComparison, compare
from salva.outliers.results import read_score

_COLUMNS = ("measure", "a", "b", "b - a", "95 % interval", "p", "p (Holm)", "verdict")
_NAMES = {"accuracy": "Accuracy", "opp": "OPP (OP/n)"}


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--sets", multiple=True, metavar="SETS", help="Sets to score vectors on: files or folders.")
@scoring_options
@common_options
def command(a: str, b: str, *, sets: tuple[str, ...], scoring: ScoringOptions, as_json: bool) -> None:
    """Compare A and B: vectors (files, or glove), or the output of score --json (.json files).

    The test is exact and paired: it flips the signs of whole topics, since their exercises are alike.
    """
    has_vectors = not (_is_saved(a) and _is_saved(b))
    if has_vectors and not sets:
        raise UsageError("vectors need sets to be scored on; pass --sets SETS, or give two .json results")
    word_sets = scoring.read_sets(sets) if has_vectors else []
    first, second = (
        read_score(name) if _is_saved(name) else scoring.score(name, word_sets) for name in (a, b)
    )
    comparison = compare(first, second, seed=scoring.seed)
    if as_json:
        print_json(comparison.as_dict())
    else:
        _print(comparison)


def _is_saved(name: str) -> bool:
    return Path(name).suffix.lower() == ".json"


def _print(result: ScoreComparison) -> None:
    print_line(f"a: {result.a}\nb: {result.b}")
    exercises, sets = number_of(result.exercises, "exercise"), number_of(result.sets, "set")
    shared = f"{exercises} of {sets}, policy {result.policy}"
    print_table(f"{shared}; in %, b - a in points", _COLUMNS, [*map(_row, result.measures)])
    alone = f"only a {result.only_a:,}, only b {result.only_b:,}"
    print_line(f"found by both {result.both:,}, {alone}, neither {result.neither:,}")
    if result.sets_apart:
        apart = number_of(result.sets_apart, "set is", "sets are")
        print_line(f"warning: {apart} in only one of the scores and left out")
    if result.left_out:
        lost = number_of(result.left_out, "exercise is", "exercises are")
        print_line(f"warning: {lost} left out because not counted in both scores")
    for warning in result.warnings:
        print_line(f"warning: {warning}")


def _row(measure: MeasureComparison) -> tuple[str, ...]:
    difference = measure.difference
    return (
        _NAMES[measure.name],
        number(measure.a, 2),
        number(measure.b, 2),
        number(difference.value, 2),
        interval(difference, 2),
        p_value(measure.p),
        p_value(measure.p_holm),
        measure.verdict,
    )
