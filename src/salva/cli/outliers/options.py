"""Options that several `salva outliers` commands share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import click

from salva.cli.options import option, take_options
from salva.cli.show import is_quiet
from salva.errors import UsageError
from salva.outliers.policies import POLICIES
from salva.outliers.results import OutlierScore
from salva.outliers.scoring import MIN_COVERAGE, read_sets_for, score
from salva.outliers.sets import WordSet
from salva.outliers.vectors import Similarities

# Each command adds its own help.
overwrite_option = partial(click.option, "--overwrite", is_flag=True)
seed_option = partial(click.option, "--seed", type=int, default=0, show_default=True, metavar="N")


def _check_share(context: click.Context, parameter: click.Parameter, value: float) -> float:
    if not 0 <= value <= 1:
        percent = f"; {value:g} % is {value / 100:g}" if 1 < value <= 100 else ""
        raise UsageError(f"{parameter.opts[0]} {value:g} must be between 0 and 1{percent}")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions:
    """How sets are read and scored."""

    policy: str = option(
        "--policy",
        type=click.Choice(list(POLICIES)),
        default="default",
        show_default=True,
        help="How missing words and ties count.",
    )
    lookup: str | None = option(
        "--lookup",
        metavar="STEPS",
        help="exact,lower,capital,upper,parts,hyphen,elision,suffix:TEXT; default: the policy's.",
    )
    languages: tuple[str, ...] = option(
        "--language", multiple=True, metavar="EN", help="Score only this language; can be repeated."
    )
    min_coverage: float = option(
        "--min-coverage",
        type=float,
        default=MIN_COVERAGE,
        show_default=True,
        metavar="X",
        callback=_check_share,
        help="Refuse to score if a smaller share of the words is known.",
    )
    mend: bool = option("--mend", is_flag=True, help="Accept sets that check --fix would repair.")
    seed: int = option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the intervals."
    )

    def read_sets(self, paths: Sequence[str]) -> list[WordSet]:
        """Read the sets in files and folders."""
        return read_sets_for(self.policy, paths, languages=self.languages or None, mend=self.mend)

    def score(self, similarities: Similarities | str, sets: list[WordSet]) -> OutlierScore:
        """Score similarities, or the vectors in a file, on sets."""
        return score(
            similarities,
            sets,
            policy=self.policy,
            chain=self.lookup if isinstance(similarities, str) else None,
            min_coverage=self.min_coverage,
            seed=self.seed,
            progress=not is_quiet(),
        )


scoring_options = take_options(ScoringOptions, "scoring")
