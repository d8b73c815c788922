"""Shipped word lists: stop words, offensive words, and words that praise or blame."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@cache
def stop_words() -> frozenset[str]:
    """Return NLTK's 198 English stop words, lower case.

    >>> "the" in stop_words(), "film" in stop_words()
    (True, False)
    """
    return frozenset(_lines("stopwords.txt"))


@cache
def offensive_words() -> frozenset[str]:
    """Return words and phrases that are never chosen as a replacement, lower case, with spaces."""
    return frozenset(_lines("offensive.txt"))


@cache
def polarity() -> Mapping[str, int]:
    """Return words, lower case, that praise (+1) or blame (-1) by themselves.

    >>> polarity()["superb"], polarity()["awful"]
    (1, -1)
    """
    pairs = (line.split("\t") for line in _lines("polarity.tsv"))
    return MappingProxyType({word: 1 if sign == "+" else -1 for word, sign in pairs})


def _lines(name: str) -> list[str]:
    return files("salva.lexicon").joinpath("data", name).read_text("utf-8").splitlines()
