"""Options that several `salva twins` commands share, and how their values are parsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from salva.cli.options import Command, option, take_options
from salva.numbers import Limit
from salva.rows import ReadOptions
from salva.twins.inputs import PairInput, find_pairs
from salva.twins.pcfg.names import read_names
from salva.twins.pcfg.pairing import PER_FUNCTION
from salva.twins.results import RULES, Rule
from salva.twins.scoring import number_names

overwrite_option = click.option("--overwrite", is_flag=True, help="Replace existing files in OUT.")


def seed_option(text: str = "Random seed; another seed draws other lines.") -> Callable[[Command], Command]:
    """Return the option --seed with the help text that a command needs."""
    return click.option("--seed", type=int, default=0, show_default=True, metavar="N", help=text)


def names_option() -> Any:
    """Declare --names, whose value is the names by function."""
    return option(
        "--names",
        metavar="FILE",
        callback=lambda context, parameter, value: read_names(value) if value else None,
        help="Names of twins: a file with one function and name per line, or nonce; NAME_twin by default.",
    )


def per_function_option() -> Any:
    """Declare --per-function."""
    text = f"Maximum number of pairs per function; {PER_FUNCTION:,} by default."
    return option("--per-function", type=click.IntRange(min=1), metavar="N", help=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPairing:
    """How pairs are made from plain texts."""

    synonyms: str | None = option(
        "--synonyms",
        metavar="FILE",
        help="For plain texts: make twins from a table with lines of a, tab, b, tab, accepted|…",
    )
    both_ways: bool = option("--both-ways", is_flag=True, help="With --synonyms, also replace b with a.")
    presets: tuple[str, ...] = option(
        "--preset",
        multiple=True,
        metavar="P",
        help="For plain texts: make twins with a preset, or several as A+B.",
    )
    severity: float | None = option("--severity", type=float, metavar="S", help="Severity of the presets.")

    def find(self, source: str, reading: ReadOptions, *, seed: int) -> PairInput:
        """Return the pairs in a folder or file, or those made from its texts."""
        return find_pairs(
            source,
            synonyms=self.synonyms,
            both_ways=self.both_ways,
            presets=self.presets,
            options=reading,
            seed=seed,
            severity=self.severity,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How answers are scored, and which numbers fail the command."""

    rule: Rule = option(
        "--rule",
        type=click.Choice(list(RULES)),
        default="any",
        show_default=True,
        help="any: two empty answers are consistent; nonempty: they are not. Both are reported.",
    )
    compare: str = option(
        "--compare",
        default="exact",
        show_default=True,
        metavar="C",
        help="How to compare answers: exact, normalised, label, accepted, or python:pkg.mod:f.",
    )
    limits: tuple[str, ...] = option(
        "--fail-if",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if a rule such as 'consistency < 90' holds for all pairs or for any kind.",
    )

    def __post_init__(self) -> None:
        for limit in self.limits:
            Limit.of(limit).known_among(number_names())


text_options = take_options(TextPairing, "texts")
scoring_options = take_options(Scoring, "scoring")


def parse_alphabet(text: str | None) -> int | tuple[str, ...] | None:
    """Return a number of symbols, or the symbols themselves.

    >>> parse_alphabet("26"), parse_alphabet("a,b,c")
    (26, ('a', 'b', 'c'))
    """
    if text is None:
        return None
    if re.fullmatch(r"\d{1,7}", text):
        return int(text)
    return tuple(symbol.strip() for symbol in text.split(","))
