"""`salva twins generate`: a corpus of PCFG SET, and the two training conditions made from it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.cli.twins_options import alphabet_given, bounds_given, names_option, seed_option
from salva.errors import UsageError
from salva.twins.conditions import CONDITIONS, DOSE, Condition, ConditionName, Replace, make_conditions
from salva.twins.generator import LINES, Corpus, generate
from salva.twins.names import names_given
from salva.twins.pairing import PER_FUNCTION

__all__ = ["command"]

_CORPUS = ("lines", "depth", "length")


@click.command("generate")
@click.option("-o", "--output", "folder", required=True, metavar="OUT", help="Folder to write.")
@seed_option
@click.option("--lines", type=click.IntRange(min=1), metavar="N", help=f"Lines in all; {LINES:,}.")
@click.option("--depth", metavar="A-B", help="Nested functions; as in the official corpus unless given.")
@click.option("--length", metavar="A-B", help="Tokens a line; as in the official corpus unless given.")
@click.option("--alphabet", metavar="N", help="Number of symbols, or the symbols as a,b,c; 520.")
@click.option("--from", "base", metavar="DIR", help="Take the corpus of DIR instead of generating one.")
@click.option(
    "--condition",
    "conditions",
    type=click.Choice(list(CONDITIONS)),
    multiple=True,
    help="Make this condition; both by default.",
)
@click.option("--no-conditions", is_flag=True, help="Make the corpus alone.")
@click.option(
    "--dose", type=click.IntRange(min=0), default=DOSE, show_default=True, help="Primitive lines a twin."
)
@click.option(
    "--replace",
    type=click.Choice(["line", "occurrence"]),
    default="line",
    show_default=True,
    help="What shares one fate when half of a function is replaced.",
)
@click.option(
    "--per-function",
    type=click.IntRange(min=1),
    default=PER_FUNCTION,
    show_default=True,
    help="Test pairs a function.",
)
@names_option
@click.option("--overwrite", is_flag=True, help="Replace files of OUT.")
@common_options
def command(
    folder: str,
    *,
    seed: int,
    alphabet: str | None,
    base: str | None,
    conditions: tuple[ConditionName, ...],
    no_conditions: bool,
    dose: int,
    replace: Replace,
    per_function: int,
    names: str | None,
    overwrite: bool,
    as_json: bool,
    **corpus: Any,
) -> None:
    """Write train, dev and test into OUT/pcfgset, and each condition into OUT/substitutivity.

    Sizes and distributions are those of the official corpus unless --lines, --depth or --length say
    otherwise; the same seed gives the same bytes. The manifest says how far the corpus is from the official.
    """
    if no_conditions and (conditions or base):
        raise UsageError("--no-conditions makes a corpus alone; leave out --condition and --from")
    given = [f"--{name}" for name in _CORPUS if corpus[name] is not None]
    if base and given:
        raise UsageError(f"{given[0]} is for a new corpus; leave it out, or --from")
    made, symbols, out = None, alphabet_given(alphabet), Path(folder)
    renamed = names_given(names) if names else None
    if base is None:
        options: dict[str, Any] = {name: bounds_given(name, corpus[name]) for name in ("depth", "length")}
        options |= {"lines": corpus["lines"] or LINES, "alphabet": symbols}
        made = generate(out / "pcfgset", seed=seed, overwrite=overwrite, **options)
    elif isinstance(symbols, int):
        raise UsageError("--alphabet with --from is a list of symbols, such as a,b,c")
    written = [] if no_conditions else make_conditions(
        out / "substitutivity",
        base or out / "pcfgset",
        conditions=conditions or None,
        dose=dose,
        replace=replace,
        names=renamed,
        per_function=per_function,
        seed=seed,
        alphabet=None if isinstance(symbols, int) else symbols,
        overwrite=overwrite,
    )  # fmt: skip
    if as_json:
        parts = [dataclasses.asdict(condition) for condition in written]
        print_json({"corpus": made and made.as_dict(), "conditions": parts})
    else:
        _show(made, written)


def _show(corpus: Corpus | None, conditions: list[Condition]) -> None:
    if corpus is not None:
        sizes = ", ".join(f"{name} {count:,}" for name, count in corpus.lines.items())
        print_line(f"wrote {corpus.folder}: {sizes}")
        if corpus.distances:
            rows = [
                [one.split, one.measure, f"{one.distance:.4f}", f"{one.tolerance:.4f}", _word(one.within)]
                for one in corpus.distances
            ]
            columns = ["split", "measure", "distance", "tolerance", "within"]
            print_table("Total variation distance from the official test set", columns, rows)
    for condition in conditions:
        pairs = ", ".join(f"{kind} {count:,}" for kind, count in condition.pairs.items())
        print_line(f"wrote {condition.folder}: train {condition.train_lines:,}; pairs: {pairs}")


def _word(within: bool) -> str:
    return "yes" if within else "no"
