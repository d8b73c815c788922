"""`salva twins pair`: pairs of lines that mean the same, from any test file."""

from __future__ import annotations

import dataclasses

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line
from salva.cli.twins_options import alphabet_given, names_option, seed_option
from salva.errors import UsageError
from salva.twins.language import FUNCTIONS
from salva.twins.making import pair_file
from salva.twins.names import names_given
from salva.twins.pairing import BLOCKS, PER_FUNCTION

__all__ = ["command"]


@click.command("pair")
@click.argument("source", metavar="TEST")
@click.option("-o", "--output", "folder", required=True, metavar="OUT", help="Folder to write.")
@seed_option
@click.option(
    "--per-function",
    type=click.IntRange(min=1),
    default=PER_FUNCTION,
    show_default=True,
    help="Pairs a function, at most.",
)
@click.option(
    "--function",
    "functions",
    type=click.Choice(list(FUNCTIONS)),
    multiple=True,
    help=f"Function to replace; by default {', '.join(BLOCKS)}.",
)
@names_option
@click.option("--alphabet", metavar="a,b,c", help="Symbols, where these are not a letter with digits.")
@click.option("--controls", is_flag=True, help="Also write OUT/control and OUT/shuffled.")
@click.option("--overwrite", is_flag=True, help="Replace files of OUT.")
@common_options
def command(
    source: str,
    *,
    folder: str,
    seed: int,
    per_function: int,
    functions: tuple[str, ...],
    names: str | None,
    alphabet: str | None,
    controls: bool,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Draw lines of TEST for every function and write them as test.src, their twins as test_twin.src.

    One function is replaced a line, all its occurrences. In OUT/control it became another function that
    changes the answer; in OUT/shuffled a line stands beside the twin of another.
    """
    symbols = alphabet_given(alphabet)
    if isinstance(symbols, int):
        raise UsageError("--alphabet is a list of symbols here, such as a,b,c")
    folders = pair_file(
        source,
        folder,
        per_function=per_function,
        seed=seed,
        names=names_given(names) if names else None,
        functions=functions or BLOCKS,
        alphabet=symbols,
        controls=controls,
        overwrite=overwrite,
    )
    if as_json:
        print_json({"folders": [dataclasses.asdict(one) for one in folders]})
        return
    for one in folders:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in one.by_kind.items())
        print_line(f"wrote {one.folder}: {sum(one.by_kind.values()):,} pairs ({kinds})")
