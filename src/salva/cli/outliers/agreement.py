"""`salva outliers agreement`: how well annotators agree with the sets and with one another."""

from __future__ import annotations

import click

from salva._show import interval, number, number_of
from salva.cli.options import common_options
from salva.cli.outliers.options import seed_option
from salva.cli.show import print_json, print_line, print_table
from salva.outliers.people.agreement import Agreement, AnswerCounts, agreement
from salva.outliers.sets import read_sets

_COLUMNS = ("answered", "skipped", "right", "accuracy", "95 % interval")


@click.command("agreement")
@click.argument("sets", metavar="SETS")
@click.argument("answers", metavar="ANSWERS...", nargs=-1, required=True)
@seed_option(help="Seed used by annotate.")
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
    result = agreement(read_sets(sets, mend=True), answers, seed=seed, threshold=threshold)
    if as_json:
        print_json(result.as_dict())
    else:
        _print(result)


def _print(result: Agreement) -> None:
    print_line(f"{number_of(result.exercises, 'exercise')}, {number_of(len(result.annotators), 'annotator')}")
    for name, estimate, digits in (
        ("accuracy, %", result.total.accuracy, 1),
        ("pairwise agreement, %", result.pairwise, 1),
        ("free-marginal kappa", result.kappa, 3),
        ("Krippendorff's alpha", result.alpha, 3),
    ):
        between = interval(estimate, digits, missing="")
        print_line(f"{name}: {number(estimate.value, digits)} {between}".rstrip())
    print_table("annotators", ("annotator", *_COLUMNS), [*map(_row, result.annotators)])
    print_table("sub-sets", ("sub-set", *_COLUMNS), [*map(_row, result.subsets)])
    if result.pairs:
        rows = [
            (p.a, p.b, p.n, p.same, number(p.rate.value), interval(p.rate, missing="")) for p in result.pairs
        ]
        print_table("pairs", ("a", "b", "both answered", "same answer", "agreement", "95 % interval"), rows)
    _print_sets(result)


def _print_sets(result: Agreement) -> None:
    """Print the sets under the threshold, and how many cannot be judged."""
    under = sorted(result.under, key=lambda set_: set_.answers.accuracy.value or 0.0)
    few = len(result.unjudged)
    title = f"sets under {result.threshold:g} %: {len(under)} of {len(result.sets) - few}"
    if few:
        title += f"; {number_of(few, 'set has', 'sets have')} fewer than two answers, too few for a verdict"
    rows_of_sets = [
        (f"{s.language}-{s.topic}", *_row(s.answers)[1:], "yes" if s.surely_under else "") for s in under
    ]
    if under:
        print_table(title, ("set", *_COLUMNS, "surely"), rows_of_sets)
    else:
        print_line(title)


def _row(counts: AnswerCounts) -> tuple[str | int, ...]:
    accuracy = number(counts.accuracy.value), interval(counts.accuracy, missing="")
    return (counts.name, counts.answered, counts.skipped, counts.right, *accuracy)
