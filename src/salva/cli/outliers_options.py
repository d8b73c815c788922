"""Options shared by commands that score sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from salva.errors import UsageError
from salva.outliers.policies import POLICIES
from salva.outliers.scoring import MIN_COVERAGE

Command = TypeVar("Command", bound=Callable[..., Any])


def _share(context: click.Context, option: click.Parameter, value: float) -> float:
    if not 0 <= value <= 1:
        percent = f"; {value:g} % is {value / 100:g}" if 1 < value <= 100 else ""
        raise UsageError(f"{option.opts[0]} {value:g} must be between 0 and 1{percent}")
    return value


_OPTIONS = [
    click.option(
        "--policy",
        type=click.Choice(list(POLICIES)),
        default="default",
        show_default=True,
        help="How missing words and ties count.",
    ),
    click.option(
        "--lookup",
        metavar="STEPS",
        help="exact,lower,capital,upper,parts,hyphen,elision,suffix:TEXT; default: the policy's.",
    ),
    click.option("--language", "languages", multiple=True, metavar="EN", help="Only these languages."),
    click.option("--leave-one-out", is_flag=True, help="64 exercises per set, each without one inlier."),
    click.option(
        "--min-coverage",
        type=float,
        default=MIN_COVERAGE,
        show_default=True,
        metavar="X",
        callback=_share,
        help="Refuse to score if a smaller share of the words is known.",
    ),
    click.option("--mend", is_flag=True, help="Accept sets that check --fix would repair."),
    click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the intervals."
    ),
]


def scoring_options(command: Command) -> Command:
    """Add the options for scoring sets to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
