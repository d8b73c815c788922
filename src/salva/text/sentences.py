"""Sentences, as found by NLTK's Punkt with its English parameters."""

from __future__ import annotations

from functools import cache
from typing import Any, overload

import numpy as np

from salva._arrow import Strings, as_strings, ints
from salva._kernels.punkt import LEFT, LETTER_PAIRS, list_ends, split_sentences
from salva._kernels.punkt_words import ABBREVIATION, Punkt, Text
from salva.lexicon.tables import read_tables
from salva.text.characters import load_characters
from salva.text.spans import Cuts, Spans, cut_column
from salva.text.strings import string_table


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
    text = Text(load_characters(), punkt, texts.data, np.empty(punkt.longest, np.uint8))
    total = split_sentences(text, texts.offsets, marks, ends, nexts, counts, starts, stops)
    return Cuts(texts, counts, starts[:total], stops[:total], np.zeros(total, np.uint8))


@cache
def load_punkt() -> Punkt:
    """Return Punkt's English parameters."""
    tables = read_tables("punkt.arrow")
    types = string_table(tables["types"])
    left, right = ints(tables["collocation_left"]), ints(tables["collocation_right"])
    flags = ints(tables["flags"]).astype(np.uint16)
    flags[left] |= LEFT
    listed = np.zeros(LETTER_PAIRS, np.uint32)
    list_ends(types.data, types.offsets, np.flatnonzero(flags & (ABBREVIATION | LEFT)), listed)
    number = tables["types"].to_pylist().index("##number##")
    longest = int(np.diff(types.offsets).max())
    pairs = left.astype(np.int64) * len(flags) + right
    return Punkt(types, flags, pairs, listed, number, longest)
