"""`salva twins pair`: make pairs with the same meaning from a PCFG SET test file or from plain texts."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.cli.twins_options import alphabet_given, names_option, natural_options, pairs_given, seed_option
from salva.cli.twins_show import print_missing
from salva.errors import InputError, UsageError
from salva.twins.pair import write_pair_lines
from salva.twins.pcfg.files import refuse_inputs
from salva.twins.pcfg.language import ALIASES, FUNCTIONS
from salva.twins.pcfg.names import names_given
from salva.twins.pcfg.pairing import BLOCKS, PER_FUNCTION, PairFolder, pair_file, tally_pairs

_FOR_LINES = ("per_function", "functions", "names", "alphabet", "controls")


@click.command("pair")
@click.argument("source", metavar="TEST")
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="Output folder; for plain texts, a .jsonl file."
)
@seed_option
@click.option(
    "--per-function",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Maximum number of pairs per function; {PER_FUNCTION:,} by default.",
)
@click.option(
    "--function",
    "functions",
    type=click.Choice([*FUNCTIONS, *ALIASES]),
    multiple=True,
    help=f"Function to replace; by default {', '.join(BLOCKS)}.",
)
@names_option
@click.option("--alphabet", metavar="a,b,c", help="Symbols, if they are not a letter followed by digits.")
@click.option("--controls", is_flag=True, help="Also write OUT/control and OUT/shuffled.")
@natural_options
@click.option("--overwrite", is_flag=True, help="Replace existing files in OUT.")
@common_options
def command(source: str, **given: Any) -> None:
    """Draw lines of TEST for each function; write them to test.src and their twins to test_twin.src.

    In each line one function is replaced, at every occurrence. In OUT/control it is replaced by another
    function that changes the answer; in OUT/shuffled each line is paired with the twin of another. With
    --synonyms or --preset, TEST is a data set of plain texts, and its pairs are written as JSON lines.
    """
    natural = given["synonyms"] is not None or given["presets"]
    folders = _of_texts(source, given) if natural else _of_lines(source, given)
    if given["as_json"]:
        print_json({"folders": [dataclasses.asdict(one) for one in folders]})
    elif not is_quiet():
        for one in folders:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in one.by_kind.items() if count)
            print_line(f"wrote {one.folder}: {number_of(sum(one.by_kind.values()), 'pair')} ({kinds})")
            print_missing(one.by_kind)


def _of_lines(source: str, given: dict[str, Any]) -> list[PairFolder]:
    symbols = alphabet_given(given["alphabet"])
    if isinstance(symbols, int):
        raise UsageError("--alphabet must be a list of symbols here, such as a,b,c")
    try:
        return pair_file(
            source,
            given["output"],
            per_function=given["per_function"] or PER_FUNCTION,
            seed=given["seed"],
            names=names_given(given["names"]) if given["names"] else None,
            functions=given["functions"] or BLOCKS,
            alphabet=symbols,
            controls=given["controls"],
            overwrite=given["overwrite"],
        )
    except InputError as error:
        if Path(source).suffix == ".src":
            raise
        raise InputError(f"{error}; for plain texts, pass --synonyms or --preset") from None


def _of_texts(source: str, given: dict[str, Any]) -> list[PairFolder]:
    for name in _FOR_LINES:
        if given[name]:
            option = "function" if name == "functions" else name.replace("_", "-")
            raise UsageError(f"--{option} is for PCFG SET; leave out either it or --synonyms and --preset")
    pairs = pairs_given(source, given).pairs
    refuse_inputs(
        [name for name in (source, given["synonyms"], *given["presets"]) if name], [given["output"]]
    )
    write_pair_lines(given["output"], pairs, overwrite=given["overwrite"])
    return [PairFolder(given["output"], "twins", tally_pairs(pairs))]
