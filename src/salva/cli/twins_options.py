"""Options shared by the `salva twins` commands, and how their values are parsed."""

from __future__ import annotations

import re
from typing import Any

import click

from salva.cli.data_options import reading_options
from salva.cli.options import Command
from salva.errors import UsageError
from salva.twins.inputs import PairInput, find_pairs
from salva.twins.results import RULES

_NATURAL = [
    click.option(
        "--synonyms",
        metavar="FILE",
        help="For plain texts: make twins from a table with lines of a, tab, b, tab, accepted|…",
    ),
    click.option("--both-ways", is_flag=True, help="With --synonyms, also replace b with a."),
    click.option(
        "--preset", "presets", multiple=True, metavar="P", help="For plain texts: make twins with a preset."
    ),
    click.option("--severity", type=float, metavar="S", help="Severity of the presets."),
]
_SCORING = [
    click.option(
        "--rule",
        type=click.Choice(list(RULES)),
        default="any",
        show_default=True,
        help="any: two empty answers are consistent; nonempty: they are not. Both are reported.",
    ),
    click.option(
        "--compare",
        default="exact",
        show_default=True,
        metavar="C",
        help="How to compare answers: exact, normalised, label, accepted, or python:pkg.mod:f.",
    ),
    click.option(
        "--fail-if",
        "rules",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if 'NAME OP NUMBER' is true of all pairs or of any function.",
    ),
]


def seed_option(command: Command) -> Command:
    """Add --seed."""
    text = "Random seed; another seed draws other lines."
    return click.option("--seed", type=int, default=0, show_default=True, metavar="N", help=text)(command)


def names_option(command: Command) -> Command:
    """Add --names."""
    text = "Names of twins: a file with one function and name per line, or nonce; NAME_twin by default."
    return click.option("--names", metavar="FILE", help=text)(command)


def natural_options(command: Command) -> Command:
    """Add the options for reading plain texts and making pairs from them."""
    command = reading_options(command)
    for option in reversed(_NATURAL):
        command = option(command)
    return command


def scoring_options(command: Command) -> Command:
    """Add the options of a score: the rule, the comparator, and limits."""
    for option in reversed(_SCORING):
        command = option(command)
    return command


def pairs_given(source: str, given: dict[str, Any]) -> PairInput:
    """Return the pairs that a command was given, up to its limit."""
    found = find_pairs(
        source,
        synonyms=given["synonyms"],
        both_ways=given["both_ways"],
        presets=given["presets"],
        options=given["reading"],
        seed=given["seed"],
        severity=given["severity"],
    )
    return found.limited(given.get("limit"))


def bounds_given(name: str, given: str | None) -> tuple[int, int] | None:
    """Return the least and the greatest value of `A-B`, or of a single number `A`.

    >>> bounds_given("depth", "2-4"), bounds_given("depth", "3")
    ((2, 4), (3, 3))
    """
    if given is None:
        return None
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", given)
    if match is None:
        raise UsageError(f"--{name} {given!r} must be a number (3) or a range (2-4)")
    return int(match[1]), int(match[2] or match[1])


def sizes_given(given: str | None) -> dict[int, int] | None:
    """Return the sizes of strings and their weights, given as `A`, `A-B`, or `A:WEIGHT,B:WEIGHT`.

    >>> sizes_given("2-4"), sizes_given("2:1,5:3")
    ({2: 1, 3: 1, 4: 1}, {2: 1, 5: 3})
    """
    if given is None:
        return None
    if re.fullmatch(r"\d{1,3}:\d{1,9}(,\d{1,3}:\d{1,9})*", given):
        parts = (part.split(":") for part in given.split(","))
        return {int(size): int(weight) for size, weight in parts}
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", given)
    sizes = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
    if sizes:
        return dict.fromkeys(sizes, 1)
    expected = "a size (3), a range (2-5), or sizes with weights (2:1,5:3)"
    raise UsageError(f"--string-sizes {given!r} must be {expected}")


def alphabet_given(given: str | None) -> int | tuple[str, ...] | None:
    """Return a number of symbols, or the symbols themselves.

    >>> alphabet_given("26"), alphabet_given("a,b,c")
    (26, ('a', 'b', 'c'))
    """
    if given is None:
        return None
    if re.fullmatch(r"\d{1,7}", given):
        return int(given)
    return tuple(symbol.strip() for symbol in given.split(","))
