"""`salva twins generate`: generate a PCFG SET corpus and the two training conditions made from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import click

from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.cli.twins_options import alphabet_given, bounds_given, names_option, seed_option, sizes_given
from salva.cli.twins_show import print_missing
from salva.errors import UsageError
from salva.twins.pcfg.conditions import (
    CONDITION_HOME,
    CONDITIONS,
    CORPUS_HOME,
    DOSE,
    Condition,
    Replace,
    make_conditions,
    make_corpora,
)
from salva.twins.pcfg.generator import LINES, Corpus, generate
from salva.twins.pcfg.names import names_given
from salva.twins.pcfg.pairing import PER_FUNCTION

_CORPUS = ("lines", "depth", "length", "string_sizes")


@click.command("generate")
@click.option("-o", "--output", "folder", required=True, metavar="OUT", help="Output folder.")
@seed_option
@click.option(
    "--lines", type=click.IntRange(min=1), metavar="N", help=f"Total number of lines; {LINES:,} by default."
)
@click.option("--depth", metavar="A-B", help="Depth of nesting; by default as in the official corpus.")
@click.option("--length", metavar="A-B", help="Tokens per line; by default as in the official corpus.")
@click.option(
    "--string-sizes",
    metavar="A-B",
    help="Symbols per string, or 2:1,5:3 with weights; by default as in the official corpus.",
)
@click.option("--alphabet", metavar="N", help="Number of symbols, 520 by default, or a list such as a,b,c.")
@click.option("--from", "base", metavar="DIR", help="Use the corpus in DIR instead of generating one.")
@click.option(
    "--condition",
    "conditions",
    type=click.Choice(list(CONDITIONS)),
    multiple=True,
    help="Condition to make; both by default.",
)
@click.option("--no-conditions", is_flag=True, help="Make only the corpus.")
@click.option(
    "--dose",
    type=click.IntRange(min=0),
    default=DOSE,
    show_default=True,
    metavar="N",
    help="For primitive: lines per twin.",
)
@click.option(
    "--replace",
    type=click.Choice(get_args(Replace)),
    default="line",
    show_default=True,
    help="For equally_distributed: change half of the lines, or half of the occurrences.",
)
@click.option(
    "--per-function",
    type=click.IntRange(min=1),
    default=PER_FUNCTION,
    show_default=True,
    metavar="N",
    help="Maximum number of test pairs per function.",
)
@names_option
@click.option("--overwrite", is_flag=True, help="Replace existing files in OUT.")
@common_options
def command(folder: str, **given: Any) -> None:
    """Write train, dev and test into OUT/pcfgset, and each condition into OUT/substitutivity.

    Sizes and distributions match the official corpus unless --lines, --depth or --length is given. The same
    seed gives the same bytes. The manifest reports how far the corpus is from the official one.
    """
    if given["no_conditions"] and (given["conditions"] or given["base"]):
        raise UsageError("--no-conditions makes only a corpus; leave out --condition and --from")
    renamed = names_given(given["names"]) if given["names"] else None
    made, written = _made(folder, renamed, given)
    if given["as_json"]:
        parts = [dataclasses.asdict(condition) for condition in written]
        print_json({"corpus": made and made.as_dict(), "conditions": parts})
    elif not is_quiet():
        _show(made, written)


def _made(
    folder: str, names: Mapping[str, str] | None, given: dict[str, Any]
) -> tuple[Corpus | None, list[Condition]]:
    shared: dict[str, Any] = {name: given[name] for name in ("seed", "overwrite")}
    options: dict[str, Any] = {name: given[name] for name in ("dose", "replace", "per_function")}
    options |= {"names": names, "conditions": given["conditions"] or None}
    symbols = alphabet_given(given["alphabet"])
    if given["base"] is not None:
        _refuse_corpus(given)
        home, alphabet = Path(folder) / CONDITION_HOME, None if isinstance(symbols, int) else symbols
        return None, make_conditions(home, given["base"], alphabet=alphabet, **options, **shared)
    corpus: dict[str, Any] = {
        "lines": given["lines"] or LINES,
        "depth": bounds_given("depth", given["depth"]),
        "length": bounds_given("length", given["length"]),
        "alphabet": symbols,
        "string_sizes": sizes_given(given["string_sizes"]),
    }
    if given["no_conditions"]:
        return generate(Path(folder) / CORPUS_HOME, **corpus, **shared), []
    return make_corpora(folder, corpus=corpus, **options, **shared)


def _refuse_corpus(given: dict[str, Any]) -> None:
    """Refuse options that describe a new corpus, since --from names an existing one."""
    for name in _CORPUS:
        if given[name] is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} describes a new corpus; leave out either it or --from"
            )
    if isinstance(alphabet_given(given["alphabet"]), int):
        raise UsageError("--alphabet must be a list of symbols such as a,b,c if --from is given")


def _show(corpus: Corpus | None, conditions: list[Condition]) -> None:
    if corpus is not None:
        sizes = ", ".join(f"{name} {count:,}" for name, count in corpus.lines.items())
        print_line(f"wrote {corpus.folder}: {sizes}")
        if corpus.distances:
            rows = [
                [
                    one.split,
                    one.measure,
                    f"{one.distance:.4f}",
                    f"{one.tolerance:.4f}",
                    "yes" if one.within else "no",
                ]
                for one in corpus.distances
            ]
            columns = ["split", "measure", "distance", "tolerance", "within"]
            print_table("Total variation distance from the official test set", columns, rows)
    for condition in conditions:
        pairs = ", ".join(f"{kind} {count:,}" for kind, count in condition.pairs.items() if count)
        print_line(f"wrote {condition.folder}: train {condition.train_lines:,}; pairs: {pairs}")
    if conditions:  # all have the same pairs
        print_missing(conditions[0].pairs)
