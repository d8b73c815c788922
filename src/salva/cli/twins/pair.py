"""`salva twins pair`: make pairs with the same meaning from a PCFG SET test file or from plain texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import click

from salva._show import number_of
from salva.cli.data_options import reading_options
from salva.cli.options import OUTPUT, common_options, option, take_options
from salva.cli.show import print_result, working
from salva.cli.twins.options import (
    list_missing,
    names_option,
    overwrite_option,
    parse_alphabet,
    per_function_option,
    seed_option,
)
from salva.errors import InputError, UsageError
from salva.rows import ReadOptions
from salva.twins.natural.pairing import pair_texts
from salva.twins.pair import write_pair_lines
from salva.twins.pcfg.names import ALIASES, FUNCTIONS
from salva.twins.pcfg.pairing import BLOCKS, PER_FUNCTION, PairFolder, pair_file, tally_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOptions:
    """How pairs are made from lines of PCFG SET."""

    per_function: int | None = per_function_option()
    function: tuple[str, ...] = option(
        "--function",
        type=click.Choice([*FUNCTIONS, *ALIASES]),
        multiple=True,
        help=f"Function to replace; by default {', '.join(BLOCKS)}.",
    )
    names: Mapping[str, str] | None = names_option()
    alphabet: str | None = option(
        "--alphabet", metavar="a,b,c", help="Symbols, if they are not a letter followed by digits."
    )
    controls: bool = option("--controls", is_flag=True, help="Also write OUT/control and OUT/shuffled.")

    def symbols(self) -> tuple[str, ...] | None:
        """Return the symbols of the lines."""
        symbols = parse_alphabet(self.alphabet)
        if isinstance(symbols, int):
            raise UsageError("--alphabet must be a list of symbols here, such as a,b,c")
        return symbols

    def refuse(self) -> None:
        """Refuse every option, since plain texts have none of them."""
        for field in fields(self):
            if getattr(self, field.name):
                name = f"--{field.name.replace('_', '-')}"
                raise UsageError(f"{name} is for PCFG SET; leave out either it or --synonyms and --preset")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPairing:
    """How pairs are made from plain texts."""

    synonyms: str | None = option(
        "--synonyms",
        metavar="FILE",
        help="For plain texts: make twins from a table with lines of a, tab, b",
    )
    both_ways: bool = option("--both-ways", is_flag=True, help="With --synonyms, also replace b with a.")
    presets: tuple[str, ...] = option(
        "--preset",
        multiple=True,
        metavar="P",
        help="For plain texts: make twins with a preset, or several as A+B.",
    )
    severity: float | None = option("--severity", type=float, metavar="S", help="Severity of the presets.")

    def are_asked(self) -> bool:
        """Return whether pairs are made from plain texts; refuse options without those that they need."""
        if self.both_ways and self.synonyms is None:
            raise UsageError("--both-ways needs --synonyms, whose table it uses in both directions")
        if self.severity is not None and not self.presets:
            raise UsageError("--severity needs --preset; synonyms have no severity")
        return self.synonyms is not None or bool(self.presets)


@click.command("pair")
@click.argument("source", metavar="TEST")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    required=True,
    metavar="OUT",
    help="Output folder; for plain texts, a .jsonl file.",
)
@seed_option
@take_options(LineOptions, "lines")
@take_options(TextPairing, "texts")
@reading_options
@overwrite_option
@common_options
def command(
    source: str,
    *,
    output: str,
    seed: int,
    lines: LineOptions,
    texts: TextPairing,
    reading: ReadOptions,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Draw lines of TEST for each function; write them to test.src and their twins to test_twin.src.

    In each line one function is replaced, at every occurrence. In OUT/control it is replaced by another
    function that changes the answer; in OUT/shuffled each line is paired with the twin of another. With
    --synonyms or --preset, TEST is a data set of plain texts, and its pairs are written as JSON lines.
    """
    if texts.are_asked():
        lines.refuse()
        pairs = pair_texts(
            source,
            synonyms=texts.synonyms,
            both_ways=texts.both_ways,
            presets=texts.presets,
            options=reading,
            seed=seed,
            severity=texts.severity,
        )
        write_pair_lines(output, pairs, overwrite=overwrite)
        folders = [PairFolder(output, "twins", tally_pairs(pairs))]
    else:
        try:
            with working("making pairs"):
                folders = pair_file(
                    source,
                    output,
                    per_function=lines.per_function or PER_FUNCTION,
                    seed=seed,
                    names=lines.names,
                    functions=lines.function or BLOCKS,
                    alphabet=lines.symbols(),
                    controls=lines.controls,
                    overwrite=overwrite,
                )
        except InputError as error:
            if Path(source).suffix == ".src":
                raise
            raise InputError(f"{error}; for plain texts, pass --synonyms or --preset") from None
    print_result(
        {"folders": [asdict(folder) for folder in folders]},
        (line for folder in folders for line in _describe(folder)),
        as_json=as_json,
    )


def _describe(folder: PairFolder) -> Iterator[str]:
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in folder.by_kind.items() if count)
    yield f"wrote {folder.folder}: {number_of(sum(folder.by_kind.values()), 'pair')} ({kinds})"
    yield from list_missing(folder.by_kind)
