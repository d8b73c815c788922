"""`salva outliers suggest`: words for a set, as ranked lists with reasons."""

from __future__ import annotations

import click

from salva.cli.options import common_options
from salva.cli.outliers.options import part_of_speech_option, seed_option
from salva.cli.show import print_json, print_line, print_table
from salva.outliers.authoring.relatives import Suggestion
from salva.outliers.authoring.suggestions import suggest
from salva.outliers.notes import PartOfSpeech


@click.command("suggest")
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@part_of_speech_option(help="Part of speech; default: that of most words.")
@click.option("--vectors", metavar="FILE", help="File of word vectors to rank by, or glove.")
@click.option("--count", type=click.IntRange(1, 100), default=10, show_default=True, help="Words per list.")
@seed_option(help="Seed for unrelated words.")
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
    result = suggest(words, pos=pos, vectors=vectors, count=count, seed=seed)
    if as_json:
        print_json(result.as_dict())
        return
    print_line(f"{result.pos}s; shared kind: {result.kind or 'none'}")
    _print("inliers", result.inliers)
    for subset, suggestions in result.outliers.items():
        _print(f"outliers, sub-set {subset}", suggestions)


def _print(title: str, suggestions: tuple[Suggestion, ...]) -> None:
    if not suggestions:
        print_line(f"{title}: none found")
        return
    rows = [
        (s.word, s.count, "" if s.similarity is None else f"{s.similarity:.2f}", s.reason)
        for s in suggestions
    ]
    print_table(title, ("word", "count", "similarity", "why"), rows)
