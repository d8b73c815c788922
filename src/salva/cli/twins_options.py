"""Options that the commands about twins share, and what their values mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from salva.errors import UsageError

__all__ = ["alphabet_given", "bounds_given", "names_option", "seed_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


def seed_option(command: Command) -> Command:
    """Add --seed."""
    text = "Another seed, other lines."
    return click.option("--seed", type=int, default=0, show_default=True, metavar="N", help=text)(command)


def names_option(command: Command) -> Command:
    """Add --names."""
    text = "Names of twins: a file with a function and a name a line, or nonce; NAME_twin by default."
    return click.option("--names", metavar="FILE", help=text)(command)


def bounds_given(name: str, given: str | None) -> tuple[int, int] | None:
    """Return the least and the most of `A-B`, or of `A` alone.

    >>> bounds_given("depth", "2-4"), bounds_given("depth", "3")
    ((2, 4), (3, 3))
    """
    if given is None:
        return None
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", given)
    if match is None:
        raise UsageError(f"--{name} {given!r} is no number, and no least and most such as 2-4")
    return int(match[1]), int(match[2] or match[1])


def alphabet_given(given: str | None) -> int | tuple[str, ...] | None:
    """Return a number of symbols, or the symbols.

    >>> alphabet_given("26"), alphabet_given("a,b,c")
    (26, ('a', 'b', 'c'))
    """
    if given is None:
        return None
    if re.fullmatch(r"\d{1,7}", given):
        return int(given)
    return tuple(symbol.strip() for symbol in given.split(","))
