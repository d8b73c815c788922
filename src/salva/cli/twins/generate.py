"""`salva twins generate`: generate a PCFG SET corpus and the two training conditions made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import click

from salva.cli.options import OUTPUT, common_options, option, take_options
from salva.cli.show import is_quiet, print_json, print_line, print_table, working
from salva.cli.twins.options import (
    list_missing,
    names_option,
    overwrite_option,
    parse_alphabet,
    per_function_option,
    seed_option,
)
from salva.errors import UsageError
from salva.twins.pcfg.conditions import (
    CONDITION_HOME,
    CONDITIONS,
    CORPUS_HOME,
    DOSE,
    Condition,
    ConditionName,
    Replace,
    make_conditions,
    make_corpora,
)
from salva.twins.pcfg.generator import LINES, Corpus, CorpusShape, generate
from salva.twins.pcfg.pairing import PER_FUNCTION


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """The shape of a new corpus; by default that of the official one."""

    lines: int | None = option(
        "--lines",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Total number of lines; {LINES:,} by default.",
    )
    depth: str | None = option(
        "--depth", metavar="A-B", help="Depth of nesting; by default as in the official corpus."
    )
    length: str | None = option(
        "--length", metavar="A-B", help="Tokens per line; by default as in the official corpus."
    )
    string_sizes: str | None = option(
        "--string-sizes",
        metavar="A-B",
        help="Symbols per string, or 2:1,5:3 with weights; by default as in the official corpus.",
    )
    alphabet: str | None = option(
        "--alphabet", metavar="N", help="Number of symbols, 520 by default, or a list such as a,b,c."
    )

    def shape(self) -> CorpusShape:
        """Return the shape of the corpus."""
        return {
            "lines": self.lines or LINES,
            "depth": parse_bounds("depth", self.depth),
            "length": parse_bounds("length", self.length),
            "alphabet": parse_alphabet(self.alphabet),
            "string_sizes": parse_sizes(self.string_sizes),
        }

    def symbols(self) -> tuple[str, ...] | None:
        """Return the symbols of a corpus that exists; refuse options that describe a new one."""
        for name in ("lines", "depth", "length", "string_sizes"):
            if getattr(self, name) is not None:
                problem = f"--{name.replace('_', '-')} describes a new corpus"
                raise UsageError(f"{problem}; leave out either it or --from")
        symbols = parse_alphabet(self.alphabet)
        if isinstance(symbols, int):
            raise UsageError("--alphabet must be a list of symbols such as a,b,c if --from is given")
        return symbols


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionOptions:
    """The conditions to make."""

    conditions: Sequence[ConditionName] = option(
        "--condition",
        type=click.Choice(list(CONDITIONS)),
        multiple=True,
        help="Condition to make; both by default.",
    )
    none: bool = option("--no-conditions", is_flag=True, help="Make only the corpus.")
    dose: int = option(
        "--dose",
        type=click.IntRange(min=0),
        default=DOSE,
        show_default=True,
        metavar="N",
        help="For primitive: lines per twin.",
    )
    replace: Replace = option(
        "--replace",
        type=click.Choice(get_args(Replace)),
        default="line",
        show_default=True,
        help="For equally_distributed: change half of the lines, or half of the occurrences.",
    )
    per_function: int | None = per_function_option()
    names: Mapping[str, str] | None = names_option()

    def shape(self) -> dict[str, Any]:
        """Return the shape of the conditions."""
        return {
            "conditions": self.conditions,
            "dose": self.dose,
            "replace": self.replace,
            "per_function": self.per_function or PER_FUNCTION,
            "names": self.names,
        }


@click.command("generate")
@click.option("-o", "--output", type=OUTPUT, required=True, metavar="OUT", help="Output folder.")
@seed_option
@take_options(CorpusOptions, "corpus")
@click.option("--from", "base", metavar="DIR", help="Use the corpus in DIR instead of generating one.")
@take_options(ConditionOptions, "conditions")
@overwrite_option
@common_options
def command(
    *,
    output: str,
    seed: int,
    corpus: CorpusOptions,
    base: str | None,
    conditions: ConditionOptions,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write train, dev and test into OUT/pcfgset, and each condition into OUT/substitutivity.

    Sizes and distributions match the official corpus unless --lines, --depth or --length is given. The same
    seed gives the same bytes. The manifest reports how far the corpus is from the official one.
    """
    if conditions.none and (conditions.conditions or base):
        raise UsageError("--no-conditions makes only a corpus; leave out --condition and --from")
    made: Corpus | None = None
    written: list[Condition] = []
    with working("making the corpus"):
        if base is not None:
            written = make_conditions(
                Path(output, CONDITION_HOME),
                base,
                seed=seed,
                alphabet=corpus.symbols(),
                overwrite=overwrite,
                **conditions.shape(),
            )
        elif conditions.none:
            made = generate(Path(output, CORPUS_HOME), seed=seed, overwrite=overwrite, **corpus.shape())
        else:
            made, written = make_corpora(
                output, corpus=corpus.shape(), seed=seed, overwrite=overwrite, **conditions.shape()
            )
    if as_json:
        print_json(
            {"corpus": made and made.as_dict(), "conditions": [asdict(condition) for condition in written]}
        )
    elif not is_quiet():
        _print(made, written)


def _print(corpus: Corpus | None, conditions: list[Condition]) -> None:
    if corpus is not None:
        sizes = ", ".join(f"{name} {count:,}" for name, count in corpus.lines.items())
        print_line(f"wrote {corpus.folder}: {sizes}")
        if corpus.distances:
            columns = ["split", "measure", "distance", "tolerance", "within"]
            rows = [
                (d.split, d.measure, f"{d.distance:.4f}", f"{d.tolerance:.4f}", "yes" if d.within else "no")
                for d in corpus.distances
            ]
            print_table("Total variation distance from the official test set", columns, rows)
    for condition in conditions:
        pairs = ", ".join(f"{function} {count:,}" for function, count in condition.pairs.items() if count)
        print_line(f"wrote {condition.folder}: train {condition.train_lines:,}; pairs: {pairs}")
    for line in list_missing(conditions[0].pairs) if conditions else ():  # all have the same pairs
        print_line(line)


def parse_bounds(name: str, text: str | None) -> tuple[int, int] | None:
    """Return the least and the greatest value of `A-B`, or of a single number `A`.

    >>> parse_bounds("depth", "2-4"), parse_bounds("depth", "3")
    ((2, 4), (3, 3))
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text)
    if match is None:
        raise UsageError(f"--{name} {text!r} must be a number (3) or a range (2-4)")
    return int(match[1]), int(match[2] or match[1])


def parse_sizes(text: str | None) -> dict[int, int] | None:
    """Return the sizes of strings and their weights, given as `A`, `A-B`, or `A:WEIGHT,B:WEIGHT`.

    >>> parse_sizes("2-4"), parse_sizes("2:1,5:3")
    ({2: 1, 3: 1, 4: 1}, {2: 1, 5: 3})
    """
    if text is None:
        return None
    if re.fullmatch(r"\d{1,3}:\d{1,9}(,\d{1,3}:\d{1,9})*", text):
        return {int(size): int(weight) for size, weight in (part.split(":") for part in text.split(","))}
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text)
    sizes = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
    if sizes:
        return dict.fromkeys(sizes, 1)
    expected = "a size (3), a range (2-5), or sizes with weights (2:1,5:3)"
    raise UsageError(f"--string-sizes {text!r} must be {expected}")
