"""`salva outliers agreement`: how well annotators agree with the sets and with one another."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.outliers.people.agreement import Agreement, AnswerCounts, agreement
from salva.outliers.sets import read_sets

_COLUMNS = ("answered", "skipped", "right", "accuracy", "95 % interval")


@click.command("agreement")
@click.argument("sets", metavar="SETS")
@click.argument("answers", metavar="ANSWERS...", nargs=-1, required=True)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed used by annotate.")
@click.option(
    "--threshold",
    type=float,
    default=90.0,
    show_default=True,
    metavar="P",
    help="Report sets with a lower accuracy, in percent.",
)
@common_options
def command(sets: str, answers: tuple[str, ...], *, seed: int, threshold: float, as_json: bool) -> None:
    """Report how often annotators chose the outlier, how well they agree, and which sets to review.

    SETS are the annotated sets, ANSWERS the files written by `annotate` or downloaded from its page.
    """
    found = agreement(read_sets(sets, mend=True), answers, seed=seed, threshold=threshold)
    if as_json:
        print_json(found.as_dict())
        return
    _print(found)


def _print(found: Agreement) -> None:
    print_line(f"{number_of(found.exercises, 'exercise')}, {number_of(len(found.annotators), 'annotator')}")
    for name, estimate, digits in (
        ("accuracy, %", found.total.accuracy, 1),
        ("pairwise agreement, %", found.pairwise, 1),
        ("free-marginal kappa", found.kappa, 3),
        ("Krippendorff's alpha", found.alpha, 3),
    ):
        value, between = _number(estimate.value, digits), _interval(estimate.low, estimate.high, digits)
        print_line(f"{name}: {value} {between}".rstrip())
    print_table("annotators", ("annotator", *_COLUMNS), [_row(one) for one in found.annotators])
    print_table("sub-sets", ("sub-set", *_COLUMNS), [_row(one) for one in found.subsets])
    if found.pairs:
        rows = [
            (p.a, p.b, p.n, p.same, _number(p.rate.value), _interval(p.rate.low, p.rate.high))
            for p in found.pairs
        ]
        print_table("pairs", ("a", "b", "both answered", "same answer", "agreement", "95 % interval"), rows)
    _print_sets(found)


def _print_sets(found: Agreement) -> None:
    """Print the sets under the threshold, and how many cannot be judged."""
    under = sorted(found.under, key=lambda one: one.answers.accuracy.value or 0.0)
    few = len(found.unjudged)
    title = f"sets under {found.threshold:g} %: {len(under)} of {len(found.sets) - few}"
    if few:
        title += f"; {number_of(few, 'set has', 'sets have')} fewer than two answers, too few for a verdict"
    rows_of_sets = [
        (f"{s.language}-{s.topic}", *_row(s.answers)[1:], "yes" if s.surely_under else "") for s in under
    ]
    if under:
        print_table(title, ("set", *_COLUMNS, "surely"), rows_of_sets)
    else:
        print_line(title)


def _row(group: AnswerCounts) -> tuple[str | int, ...]:
    accuracy = group.accuracy
    return (
        group.name,
        group.answered,
        group.skipped,
        group.right,
        _number(accuracy.value),
        _interval(accuracy.low, accuracy.high),
    )


def _number(value: float | None, digits: int = 1) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


def _interval(low: float | None, high: float | None, digits: int = 1) -> str:
    return "" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"
