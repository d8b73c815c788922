"""What commands share that make twins of a data set: which twins, of which rows, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import click

from salva.cli.data_options import reading_options
from salva.cli.options import Command, common_options, option, threads_option
from salva.cli.preset_options import preset_options
from salva.errors import UsageError
from salva.evaluation.settings import DEFAULT_PRESETS
from salva.transforms import BUNDLES

_BUNDLES = ", ".join(f"{name} for {', '.join(members)}" for name, members in BUNDLES.items())


def making_options(replaced: str) -> Callable[[Command], Command]:
    """Add the options of a command that makes twins and writes them, to `replaced` if it exists."""
    overwrite = click.option("--overwrite", is_flag=True, help=f"Replace {replaced}.")
    added = (preset_options, threads_option, overwrite, reading_options, common_options)
    return lambda command: reduce(lambda done, add: add(done), reversed(added), command)


def task_field(verb: str) -> Any:
    """Return the option for a task."""
    about = f"{verb} the questions of a task: a name (see salva tasks) or a TOML file."
    return option("--task", metavar="T", help=about)


def presets_field() -> Any:
    """Return the option for the names of presets."""
    default = f"default: {' and '.join(DEFAULT_PRESETS)}"
    about = f"Name, several as A+B, TOML file, or {_BUNDLES}; {default}."
    return option("--preset", multiple=True, metavar="P", help=about)


def severities_field() -> Any:
    """Return the option for severities."""
    about = "Severity; default: 0.25, 0.5 and 1."
    return option("--severity", type=float, multiple=True, metavar="S", help=about)


def replicates_field() -> Any:
    """Return the option for the number of replicates."""
    about = "Independent variants of every text."
    return option("--replicates", type=int, default=1, metavar="K", help=about)


def seed_field() -> Any:
    """Return the option for the seed of edits and samples."""
    about = "Seed for the edits and --sample."
    return option("--seed", type=int, default=0, show_default=True, metavar="N", help=about)


def limit_field(verb: str) -> Any:
    """Return the option for the first rows."""
    about = f"{verb} only the first N rows."
    return option("--limit", type=click.IntRange(min=1), metavar="N", help=about)


def sample_field(verb: str) -> Any:
    """Return the option for random rows."""
    about = f"{verb} N random rows, the same share of every class."
    return option("--sample", type=click.IntRange(min=1), metavar="N", help=about)


def opposites_field() -> Any:
    """Return the option for opposite labels, which `parse_opposites` reads."""
    about = "Opposite labels: negation and antonyms turn one into the other."
    return option("--contrast-label", multiple=True, metavar="A=B", help=about)


def parse_opposites(pairs: Iterable[str]) -> dict[str, str]:
    """Return labels with their opposites."""
    split = [pair.partition("=") for pair in pairs]
    wrong = next(("".join(parts) for parts in split if not all(parts)), None)
    if wrong is not None:
        raise UsageError(f"--contrast-label {wrong!r} must be A=B, such as positive=negative")
    return {label: opposite for label, _, opposite in split}
