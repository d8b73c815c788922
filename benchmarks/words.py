"""Sentences, tokens, tags and joined texts compared with NLTK, as ratios measured in one run.

    python benchmarks/words.py [ROWS]

Needs the IMDB reviews and NLTK's data in `../shared`. One thread unless a row says two; Arrow in and out.
Both process the same reviews: NLTK once, which takes some minutes, Salva five times, and the median is
reported.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from functools import partial

import nltk
import pyarrow as pa
import pyarrow.parquet as pq
from nltk.tokenize.treebank import TreebankWordDetokenizer

from publish import ROOT, publish
from salva.text import Spans, Tagger, detokenize, sentences, tokenize
from timing import control_gain, median_seconds, seconds

SHARED = ROOT.parent / "shared"
TAGGER = SHARED / "nltk_data/taggers/averaged_perceptron_tagger_eng"


def main() -> None:
    """Measure and publish."""
    nltk.data.path[:] = [str(SHARED / "nltk_data")]
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 25_000
    column = pq.read_table(SHARED / "data/imdb/test.parquet")["text"].slice(0, rows).combine_chunks()
    tagger = Tagger.load(TAGGER)
    nltk.pos_tag(nltk.word_tokenize("Wake up."))
    table = speeds(column, tagger)
    table += threads(column, tagger)
    publish("words", ["what", "against", "measured", "bar"], table)


def speeds(column: pa.Array, tagger: Tagger) -> list[list[str]]:
    """Return the rows that compare speed with NLTK."""
    texts = column.to_pylist()
    cut: list[list[str]] = []
    splitting = seconds(lambda: [nltk.sent_tokenize(text) for text in texts])
    cutting = seconds(lambda: cut.extend(nltk.word_tokenize(text) for text in texts))
    tagging = seconds(lambda: [nltk.pos_tag(words) for words in cut])
    join = TreebankWordDetokenizer().detokenize
    joining = seconds(lambda: [join(words) for words in cut])
    words = tokenize(column).strings

    def one_by_one(call: Callable[..., Spans]) -> Callable[[], object]:
        return lambda: call(column, threads=1).strings

    ours = {
        "sentences": (splitting, one_by_one(sentences), "`nltk.sent_tokenize`", ""),
        "tokens": (cutting, one_by_one(tokenize), "`nltk.word_tokenize`", "≥ 40"),
        "tags (from tokens)": (tagging, lambda: tagger.tag(words, threads=1).tags, "`nltk.pos_tag`", "≥ 100"),
        "text in, tags out": (
            cutting + tagging,
            lambda: tagger.tag(column, threads=1).tags,
            "NLTK's two calls",
            "≥ 80",
        ),
        "joining tokens": (
            joining,
            lambda: detokenize(words, threads=1),
            "`TreebankWordDetokenizer`",
            "",
        ),
    }
    megabytes = column.nbytes / 1e6
    table = []
    for name, (theirs, call, against, bar) in ours.items():
        taken = median_seconds(call)
        table.append(
            [name, against, f"{theirs / taken:.0f} times as fast ({megabytes / taken:.0f} MB/s)", bar]
        )
    return table


def threads(column: pa.Array, tagger: Tagger) -> list[list[str]]:
    """Return the rows about two threads."""
    control = control_gain()
    against = f"digesting bytes, {control:.2f} times as fast"
    works: dict[str, Callable[[int], object]] = {
        "tokens": lambda count: tokenize(column, threads=count).strings,
        "text in, tags out": lambda count: tagger.tag(column, threads=count).tags,
    }
    table = []
    for name, work in works.items():
        gain = statistics.median(seconds(partial(work, 1)) / seconds(partial(work, 2)) for _ in range(7))
        measured = f"{gain / control:.2f} of that ({gain:.2f} times as fast)"
        table.append([f"{name}: two threads instead of one", against, measured, "≥ 0.85"])
    return table


if __name__ == "__main__":
    main()
