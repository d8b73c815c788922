"""Options that several `salva twins` commands share, and how their values are parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from salva.cli.options import option
from salva.twins.pcfg.names import read_names
from salva.twins.pcfg.pairing import PER_FUNCTION

overwrite_option = click.option("--overwrite", is_flag=True, help="Replace existing files in OUT.")
seed_option = click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Random seed; another seed draws other lines.",
)


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
    return option(
        "--per-function",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Maximum number of pairs per function; {PER_FUNCTION:,} by default.",
    )


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


def list_missing(by_kind: Mapping[str, int]) -> Iterator[str]:
    """Yield a line about the functions that have no pairs, if there are any."""
    if missing := [kind for kind, count in by_kind.items() if not count]:
        names = " or ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
        yield (f"no line has {names}: no pairs for {'it' if len(missing) == 1 else 'them'}")
