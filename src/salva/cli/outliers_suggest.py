"""`salva outliers suggest`: words for a set, as ranked lists with reasons."""

from __future__ import annotations

from typing import get_args

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.outliers.authoring.relatives import Suggestion
from salva.outliers.authoring.suggestions import suggest
from salva.outliers.notes import PartOfSpeech


@click.command("suggest")
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option(
    "--pos", type=click.Choice(get_args(PartOfSpeech)), help="Part of speech; default: that of most words."
)
@click.option("--vectors", metavar="FILE", help="File of word vectors to rank by, or glove.")
@click.option("--count", type=click.IntRange(1, 100), default=10, show_default=True, help="Words per list.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for unrelated words.")
@common_options
def command(
    words: tuple[str, ...],
    *,
    pos: PartOfSpeech | None,
    vectors: str | None,
    count: int,
    seed: int,
    as_json: bool,
) -> None:
    """Suggest more inliers like the English WORDs, and outliers for each sub-set; a person decides.

    Sub-set 1 is close, 2 and 3 are related, 4 is unrelated. Counts are from WordNet's tagged texts.
    """
    found = suggest(words, pos=pos, vectors=vectors, count=count, seed=seed)
    if as_json:
        print_json(found.as_dict())
        return
    print_line(f"{found.pos}s; shared kind: {found.kind or 'none'}")
    _print("inliers", found.inliers)
    for subset, suggestions in found.outliers.items():
        _print(f"outliers, sub-set {subset}", suggestions)


def _print(title: str, suggestions: tuple[Suggestion, ...]) -> None:
    if not suggestions:
        print_line(f"{title}: none found")
        return
    rows = [
        (one.word, one.count, "" if one.similarity is None else f"{one.similarity:.2f}", one.reason)
        for one in suggestions
    ]
    print_table(title, ("word", "count", "similarity", "why"), rows)
