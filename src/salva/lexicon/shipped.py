"""Shipped data: stop words, offensive words, words that praise or blame, and tables of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa

DATA = Path(__file__).parent / "data"


@cache
def stop_words() -> frozenset[str]:
    """Return NLTK's 198 English stop words, lower case.

    >>> "the" in stop_words(), "film" in stop_words()
    (True, False)
    """
    return frozenset(read_lines("stopwords.txt"))


@cache
def offensive_words() -> frozenset[str]:
    """Return words and phrases that are never chosen as a replacement, lower case, with spaces."""
    return frozenset(read_lines("offensive.txt"))


@cache
def polarity() -> Mapping[str, int]:
    """Return words, lower case, that praise (+1) or blame (-1) by themselves.

    >>> polarity()["superb"], polarity()["awful"]
    (1, -1)
    """
    pairs = (line.split("\t") for line in read_lines("polarity.tsv"))
    return MappingProxyType({word: 1 if sign == "+" else -1 for word, sign in pairs})


def read_lines(name: str) -> list[str]:
    """Return the lines of a list in `data/`."""
    return (DATA / name).read_text("utf-8").splitlines()


def read_tables(name: str) -> dict[str, pa.Array]:
    """Return the arrays of a table in `data/`, mapped into memory: only what is used is read from the disk.

    >>> read_tables("characters.arrow")["unicode"].to_pylist()
    ['15.1.0']
    """
    row = pa.ipc.open_file(pa.memory_map(str(DATA / name))).get_batch(0)
    return {key: row.column(key).values for key in row.schema.names}
