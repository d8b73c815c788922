"""`salva demo`: the lexicon and the data parts at work on the bundled reviews."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.datasets import convert, reviews
from salva.lexicon import WordNet, load_groups, stop_words

__all__ = ["command"]

SHOWN_WORDS = 10
SHOWN_SYNONYMS = 6


@click.command("demo")
@common_options
def command(*, as_json: bool) -> None:
    """Read the bundled film reviews, count their words, and show what the commonest may become."""
    words = _content_words()
    rows = [(word, count, *_synonyms(word)) for word, count in words.most_common(SHOWN_WORDS)]
    manifest = _round_trip()
    if as_json:
        names = ("word", "times", "group", "wordnet")
        print_json({"words": [dict(zip(names, row, strict=True)) for row in rows], "manifest": manifest})
        return
    print_table(
        f"{manifest['rows_out']} bundled reviews: the commonest words and what they may become",
        ["word", "times", "domain group", "WordNet, first senses"],
        [(word, count, ", ".join(group), ", ".join(wordnet)) for word, count, group, wordnet in rows],
    )
    print_line("csv to parquet and back to csv: every cell the same, page checksums on, digests:")
    print_line(f"  {manifest['input_digest']}\n  {manifest['output_digest']}")
    print_line("next: salva transform your.csv --preset hybrid --preview 3; salva --help")


def _content_words() -> Counter[str]:
    text = " ".join(reviews("test").column("text").to_pylist()).lower()
    counts = Counter(re.findall(r"[a-z]{4,}", text))
    return Counter(
        {word: n for word, n in counts.items() if word not in stop_words() and any(_synonyms(word))}
    )


def _synonyms(word: str) -> tuple[list[str], list[str]]:
    """Return the synonyms of a word in its groups and in WordNet."""
    lemmas = [name for synset in WordNet.load().synsets(word)[:3] for name in synset.lemma_names()]
    others = dict.fromkeys(name.replace("_", " ") for name in lemmas if name.lower() != word)
    return load_groups().synonyms(word), list(others)[:SHOWN_SYNONYMS]


def _round_trip() -> dict[str, Any]:
    with (
        as_file(files("salva.datasets").joinpath("data/reviews-test.csv")) as source,
        tempfile.TemporaryDirectory() as folder,
    ):
        parquet, back = Path(folder) / "reviews.parquet", Path(folder) / "reviews.csv"
        first = convert(source, parquet)
        second = convert(parquet, back)
    return second.as_dict() | {"input_digest": first.input_digest}
