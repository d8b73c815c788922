"""`salva outliers compare`: which of two models finds more outliers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.outliers_options import scoring_options
from salva.cli.show import print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.comparing import MeasureComparison, ScoreComparison, compare
from salva.outliers.results import OutlierScore
from salva.outliers.saved import read_score
from salva.outliers.scoring import read_for, score
from salva.outliers.sets import WordSet

_COLUMNS = ("measure", "a", "b", "b - a", "95 % interval", "p", "p (Holm)", "verdict")
_NAMES = {"accuracy": "Accuracy", "opp": "OPP (OP/n)"}


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--sets", multiple=True, metavar="SETS", help="Sets to score vectors on: files or folders.")
@scoring_options
@common_options
def command(a: str, b: str, **given: Any) -> None:
    """Compare A and B: vectors (files, or glove), or the output of score --json (.json files).

    The test is exact and paired: it flips the signs of whole topics, since their exercises are alike.
    """
    both = [Path(one).suffix.lower() == ".json" for one in (a, b)]
    if not all(both) and not given["sets"]:
        raise UsageError("vectors need sets to be scored on; pass --sets SETS, or give two .json results")
    found = [] if all(both) else _sets(given)
    first, second = (
        read_score(one) if saved else _scored(one, found, given)
        for one, saved in zip((a, b), both, strict=True)
    )
    result = compare(first, second, seed=given["seed"])
    if given["as_json"]:
        print_json(result.as_dict())
    else:
        _print(result)


def _sets(given: dict[str, Any]) -> list[WordSet]:
    languages = given["languages"] or None
    return read_for(given["policy"], given["sets"], languages=languages, mend=given["mend"])


def _scored(spec: str, sets: list[WordSet], given: dict[str, Any]) -> OutlierScore:
    options = {name: given[name] for name in ("policy", "leave_one_out", "min_coverage", "seed")}
    return score(spec, sets, chain=given["lookup"], **options)


def _print(result: ScoreComparison) -> None:
    print_line(f"a: {result.a}\nb: {result.b}")
    exercises, sets = number_of(result.exercises, "exercise"), number_of(result.sets, "set")
    shared = f"{exercises} of {sets}, policy {result.policy}"
    print_table(f"{shared}; in %, b - a in points", _COLUMNS, [_row(one) for one in result.measures])
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


def _row(one: MeasureComparison) -> tuple[str, ...]:
    difference = one.difference
    ends = "n/a" if difference.low is None else f"[{difference.low:.2f}, {difference.high:.2f}]"
    moved = "n/a" if difference.value is None else f"{difference.value:.2f}"
    return (
        _NAMES[one.name],
        f"{one.a:.2f}",
        f"{one.b:.2f}",
        moved,
        ends,
        f"{one.p:.4f}",
        f"{one.p_holm:.4f}",
        one.verdict,
    )
