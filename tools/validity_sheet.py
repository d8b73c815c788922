"""Measure by blind reading how many edits of a preset keep the meaning; before a release, and after big changes.

    python -m tools.validity_sheet draw natural --corpus imdb=test.parquet --corpus union=state_union.zip:odd -o sheet
    python -m tools.validity_sheet score sheet --bar 97 -o docs/validity/NAME.jsonl

`draw` writes sheet.txt, in which the edits of the preset are mixed with those of others so that a reader does not
know which is which, and sheet.key.jsonl, which says it. The reader writes sheet.verdicts.tsv: number, letter, why.
`score` joins key and verdicts, prints rates with Wilson's intervals, and exits with 1 below the bar. The lines
that it writes have the format of the sheets in docs/validity. Draw from texts that were not read to choose pairs.
"""  # noqa: E501

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import salva
from salva._presets.validity import KEPT
from salva._show import interval, number
from salva.errors import SalvaError
from salva.numbers import Estimate, wilson
from tools.corpora import Edited, Text, draw_edits, read_corpora
from tools.write_validity import join

BEFORE, AFTER = 150, 110  # characters shown around an edit
MEANINGS = {
    KEPT: "same meaning, and something that a native writer could write there",
    "b": "ungrammatical: inflection, a or an, number, complement",
    "c": "another sense or part of speech, or a clear shift of meaning, strength or register",
    "d": "praise became blame, or blame praise",
    "e": "a name, a title, a quotation or a fixed phrase is broken",
    "f": "an obscure or odd word that nobody would use there",
}
HEAD = """\
Each line is one edit in its context: [[old => new]]. Compare the sentence with old and with new, as a careful
native editor would. Judge only whether the edit makes a broken sentence worse. In doubt, do not write a.
"""


def draw_sheet(
    presets: dict[str, int], texts: Sequence[Text], seed: int, leave_out: Iterable[str] = ("typo",)
) -> list[dict[str, Any]]:
    """Return so many edits of each preset, spread evenly over the corpora and shuffled together."""
    items = [
        as_item(name, edit)
        for name, most in presets.items()
        for edit in _draw_evenly(name, most, texts, seed, frozenset(leave_out))
    ]
    random.Random(f"{seed}").shuffle(items)  # noqa: S311
    return [{"n": n, **item} for n, item in enumerate(items, 1)]


def _draw_evenly(
    name: str, most: int, texts: Sequence[Text], seed: int, leave_out: frozenset[str]
) -> Iterator[Edited]:
    by_corpus: dict[str, list[Text]] = {}
    for text in texts:
        by_corpus.setdefault(text.corpus, []).append(text)
    settings: dict[str, Any] = {"render": "splice"}
    for place, (corpus, own) in enumerate(by_corpus.items()):
        share = most // len(by_corpus) + (place < most % len(by_corpus))
        transform = salva.preset(name, **settings)
        yield from draw_edits(transform, own, share, f"{seed} {name} {corpus}", leave_out=leave_out)


def as_item(preset: str, edit: Edited) -> dict[str, Any]:
    """Return an edit as a line of the key."""
    old, new = (" ".join(text.split()) for text in (edit.old, edit.new))
    return {
        "preset": preset,
        "rule": edit.rule,
        "corpus": edit.source.corpus,
        "row": edit.source.row,
        "start": edit.start,
        "old": old,
        "new": new,
        "context": edit.show(BEFORE, AFTER),
    }


def show_sheet(items: Iterable[dict[str, Any]]) -> str:
    """Return the sheet for the reader: how to judge, and the edits by number."""
    letters = "".join(f"{letter}: {meaning}\n" for letter, meaning in MEANINGS.items())
    return f"{HEAD}{letters}\n" + "".join(f"{item['n']}. {item['context']}\n" for item in items)


def rates(items: Iterable[dict[str, Any]], *names: str) -> dict[tuple[str, ...], tuple[int, int, Estimate]]:
    """Return kept, read and the rate in percent for every combination of some columns.

    >>> rates([{"preset": "natural", "verdict": "a"}], "preset")["natural",][:2]
    (1, 1)
    """
    groups: dict[tuple[str, ...], list[bool]] = {}
    for item in items:
        groups.setdefault(tuple(item[name] for name in names), []).append(item["verdict"] == KEPT)
    return {name: (sum(own), len(own), wilson(sum(own), len(own))) for name, own in sorted(groups.items())}


def show_rates(items: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each preset, rule and corpus, then the edits that do not keep the meaning."""
    for names in (("preset",), ("preset", "rule"), ("preset", "corpus")):
        for group, (kept, read, rate) in rates(items, *names).items():
            yield f"{' '.join(group)}: {kept} of {read}, {number(rate.value)} % {interval(rate)}"
        yield ""
    for item in items:
        if item["verdict"] != KEPT:
            note = f" ({item['note']})" if "note" in item else ""
            yield f"{item['preset']} {item['verdict']}: {item['context']}{note}"


def run_draw(args: argparse.Namespace) -> None:
    """Write a blind sheet and its key."""
    others = dict.fromkeys(args.other, max(1, args.number // 10))
    items = draw_sheet({args.preset: args.number, **others}, read_corpora(args.corpus), args.seed)
    Path(f"{args.output}.txt").write_text(show_sheet(items), "utf-8")
    lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in items)
    Path(f"{args.output}.key.jsonl").write_text("".join(lines), "utf-8")
    print(f"{args.output}.txt: {len(items)} edits; write {args.output}.verdicts.tsv")


def run_score(args: argparse.Namespace) -> None:
    """Join key and verdicts, print rates, and exit with 1 if the preset is below the bar."""
    lines = list(join(Path(f"{args.sheet}.key.jsonl"), Path(f"{args.sheet}.verdicts.tsv")))
    items = [json.loads(line) for line in lines]
    print("\n".join(show_rates(items)))
    if args.output:
        args.output.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for (name,), (_, _, rate) in rates(items, "preset").items():
        if name == args.preset and rate.value is not None and rate.value < args.bar:
            sys.exit(
                f"validity_sheet: {name} keeps the meaning in {number(rate.value)} %, not {args.bar:g} %"
            )


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(required=True)

    def add(run: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
        command = commands.add_parser(run.__name__.removeprefix("run_"), help=run.__doc__)
        command.set_defaults(run=run)
        return command

    command = add(run_draw)
    command.add_argument("preset")
    command.add_argument("--corpus", action="append", required=True, metavar="NAME=PATH")
    command.add_argument("-n", "--number", type=int, default=300)
    command.add_argument("--other", nargs="*", default=["hybrid", "synonyms"], help="presets to mix in")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("-o", "--output", type=Path, required=True)
    command = add(run_score)
    command.add_argument("sheet", type=Path)
    command.add_argument("--preset", default="natural")
    command.add_argument("--bar", type=float, default=97.0)
    command.add_argument("-o", "--output", type=Path)
    return parser


def main() -> None:
    """Run one command."""
    args = make_parser().parse_args()
    try:
        args.run(args)
    except SalvaError as error:
        sys.exit(f"validity_sheet: {error}")


if __name__ == "__main__":
    main()
