"""`salva compare`: which of two models is more robust."""

from __future__ import annotations

import click

from salva._show import interval, number, number_of, p_value
from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.evaluation import compare_runs
from salva.evaluation.comparing import ConditionComparison

_COLUMNS = ("condition", "n", "drop of a", "drop of b", "b - a", "95 % interval", "p (Holm)", "verdict")


@click.command("compare")
@click.argument("a", metavar="RUN_A")
@click.argument("b", metavar="RUN_B")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the intervals.")
@common_options
def command(a: str, b: str, *, seed: int, as_json: bool) -> None:
    """Compare how much the models of two runs drop, on the same rows and twins.

    Rows are paired by id. The test is exact and paired; p-values are corrected over all conditions.
    """
    comparison = compare_runs(a, b, seed=seed)
    if as_json:
        print_json(comparison.as_dict())
        return
    print_line(f"a: {comparison.a}\nb: {comparison.b}")
    rows = [_row(condition) for condition in comparison.conditions]
    print_table(f"{number_of(comparison.rows, 'row')} in both", _COLUMNS, rows)
    if comparison.rows_apart:
        apart = number_of(comparison.rows_apart, "row is", "rows are")
        print_line(f"warning: {apart} left out: only in one of the runs")


def _row(condition: ConditionComparison) -> tuple[str, ...]:
    difference = condition.difference
    return (
        condition.name,
        f"{difference.n:,}",
        number(condition.drop_a.value, 2),
        number(condition.drop_b.value, 2),
        number(difference.value.value, 2),
        interval(difference.value, 2),
        p_value(difference.p_holm),
        condition.verdict,
    )
