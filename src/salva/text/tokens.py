"""Sentences and tokens with their positions in the text; tokens are cut by one of `TOKENIZERS`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, overload

import numpy as np

from salva._arrow import Strings, as_strings, ints
from salva._kernels import (
    Punkt,
    PunktText,
    WordChunk,
    WordSpans,
    cut_runs,
    cut_words,
    list_ends,
    split_sentences,
)
from salva._kernels.constants import ABBREVIATED, COLLOCATION_LEFT, LETTER_PAIRS, WORD
from salva.errors import UsageError
from salva.lexicon.shipped import read_tables
from salva.text.spans import Cuts, Spans, cut_column
from salva.text.words import load_characters, string_table


@overload
def sentences(texts: str, *, threads: int | None = None) -> list[str]: ...
@overload
def sentences(texts: Any, *, threads: int | None = None) -> Spans: ...
def sentences(texts: Any, *, threads: int | None = None) -> list[str] | Spans:
    """Split texts into sentences: a list of strings for one text, `Spans` for a column.

    >>> sentences("Dr. No (1962) was fun. Was it? It was.")
    ['Dr. No (1962) was fun.', 'Was it?', 'It was.']
    """
    if isinstance(texts, str):
        return sentences([texts], threads=threads).to_pylist()[0] or []
    return cut_column(as_strings(texts), cut_sentences, threads=threads)


def cut_sentences(texts: Strings) -> Cuts:
    """Return the sentences of the given rows."""
    size, longest = len(texts.data), int(np.diff(texts.offsets).max(initial=0))
    punkt = load_punkt()
    counts = np.empty(len(texts.offsets), np.int64)
    starts, stops = np.empty(size, np.int32), np.empty(size, np.int32)
    marks, ends, nexts = np.empty((3, longest + 1), np.int64)
    text = PunktText(load_characters(), punkt, texts.data, np.empty(punkt.longest, np.uint8))
    total = split_sentences(text, texts.offsets, marks, ends, nexts, counts, starts, stops)
    return Cuts(texts, counts, starts[:total], stops[:total], np.zeros(total, np.uint8))


@cache
def load_punkt() -> Punkt:
    """Return Punkt's English parameters."""
    tables = read_tables("punkt.arrow")
    types = string_table(tables["types"])
    left, right = ints(tables["collocation_left"]), ints(tables["collocation_right"])
    flags = ints(tables["flags"]).astype(np.uint16)
    flags[left] |= COLLOCATION_LEFT
    listed = np.zeros(LETTER_PAIRS, np.uint32)
    list_ends(types.data, types.offsets, np.flatnonzero(flags & (ABBREVIATED | COLLOCATION_LEFT)), listed)
    number = tables["types"].to_pylist().index("##number##")
    longest = int(np.diff(types.offsets).max())
    pairs = left.astype(np.int64) * len(flags) + right
    return Punkt(types, flags, pairs, listed, number, longest)


class Tokenizer(NamedTuple):
    """A way to cut texts into tokens, described in a few words."""

    about: str
    cut: Callable[[Strings], Cuts]


@overload
def tokenize(texts: str, *, by: str = "nltk", threads: int | None = None) -> list[str]: ...
@overload
def tokenize(texts: Any, *, by: str = "nltk", threads: int | None = None) -> Spans: ...
def tokenize(texts: Any, *, by: str = "nltk", threads: int | None = None) -> list[str] | Spans:
    """Cut texts into tokens: a list of strings for one text, `Spans` for a column.

    By default, they are those of `nltk.word_tokenize`; `by` names another of the tokenizers that the guide
    lists, such as "space".

    >>> tokenize("It's good, isn't it?")
    ['It', "'s", 'good', ',', 'is', "n't", 'it', '?']
    >>> tokenize("It's good!!", by="space"), tokenize("It's good!!", by="word")
    (["It's", 'good!!'], ['It', "'", 's', 'good', '!!'])
    """
    if not isinstance(by, str) or by not in TOKENIZERS:
        raise UsageError(f"by={by!r} is not a rule; expected one of {', '.join(TOKENIZERS)}")
    if isinstance(texts, str):
        return tokenize([texts], by=by, threads=threads).to_pylist()[0] or []
    return cut_column(as_strings(texts), TOKENIZERS[by].cut, threads=threads)


def cut_nltk(texts: Strings) -> Cuts:
    """Return the words of the given rows."""
    cuts = cut_sentences(texts)
    size, longest = len(texts.data), int(np.diff(texts.offsets).max(initial=0))
    counts, apostrophes = np.empty(len(texts.offsets), np.int64), np.empty(longest, np.int64)
    marks = np.zeros(longest + 1, np.uint8)
    lasts, odd = np.empty((2, longest + 1), np.int32)
    chunk = WordChunk(load_characters(), texts.data, marks, apostrophes, lasts, odd)
    starts, stops = np.empty(size, np.int32), np.empty(size, np.int32)
    written = np.empty(size, np.uint8)
    words = WordSpans(starts, stops, written)
    total = cut_words(chunk, cuts.rows, cuts.starts, cuts.stops, counts, words)
    return Cuts(texts, counts, starts[:total], stops[:total], written[:total])


def _cut_runs(texts: Strings, *, ignored: int) -> Cuts:
    size = len(texts.data)
    counts = np.empty(len(texts.offsets), np.int64)
    starts, stops = np.empty(size + 1, np.int32), np.empty(size + 1, np.int32)
    total = cut_runs(load_characters(), ignored, texts.data, texts.offsets, counts, starts, stops)
    return Cuts(texts, counts, starts[:total], stops[:total], np.zeros(total, np.uint8))


TOKENIZERS = {
    "nltk": Tokenizer("nltk.word_tokenize", cut_nltk),
    "space": Tokenizer("white space", partial(_cut_runs, ignored=WORD)),
    "word": Tokenizer(r"\w+ or [^\w\s]+", partial(_cut_runs, ignored=0)),
}
