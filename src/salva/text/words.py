"""Words as kernels see them: properties of characters, tables of strings, and types (distinct words)."""

from __future__ import annotations

import secrets
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_strings, ints
from salva._kernels import (
    CaseMap,
    Casing,
    Characters,
    Slots,
    StringTable,
    describe_words,
    enter,
    find_all,
    number_types,
)
from salva._kernels.constants import GROWTH
from salva._types import Bytes, Ints8, Ints32, Ints64
from salva.lexicon.shipped import read_tables

# Nobody can write a text whose words all fall into one slot of a table.
_SECRET = secrets.randbits(64)


@cache
def load_characters() -> Characters:
    """Return the properties of every character."""
    tables = _tables()
    return Characters(ints(tables["pages"]), ints(tables["flags"]))


def flags_of(character: str) -> int:
    """Return the flags of one character."""
    characters = load_characters()
    point = ord(character)
    return int(characters.flags[characters.pages[point >> 8] << 8 | point & 255])


@cache
def load_casing() -> Casing:
    """Return the lower, upper and title case of every character."""
    return Casing(*(_case_map(name) for name in ("lower", "upper", "title")))


def _case_map(name: str) -> CaseMap:
    strings = as_strings(_tables()[f"{name}_strings"])
    return CaseMap(ints(_tables()[f"{name}_points"]), strings.data, strings.offsets)


@cache
def _tables() -> dict[str, pa.Array]:
    return read_tables("characters.arrow")


class Types(NamedTuple):
    """The type number of every word, in order of first occurrence, and the first word of each type."""

    numbers: Ints32
    firsts: Ints64


def slots_for(count: int) -> Slots:
    """Return empty slots for `count` strings.

    >>> len(slots_for(3).cells)
    8
    """
    return Slots(np.zeros((1 << max(3, (2 * count - 1).bit_length()), 2), np.uint64), _SECRET)


def string_table(strings: Any) -> StringTable:
    """Return a table of distinct strings for kernels to look words up in."""
    column = as_strings(strings)
    table = StringTable(column.data, column.offsets, slots_for(len(column)))
    enter(table, 0)
    return table


def find_words(table: StringTable, words: Strings, places: Ints64) -> Ints32:
    """Return the table numbers of the words at `places`, -1 for words that are not in the table.

    >>> find_words(string_table(["a", "b"]), as_strings(["b", "c"]), np.arange(2)).tolist()
    [1, -1]
    """
    offsets = words.offsets
    return find_spans(
        table, words.data, offsets[places].astype(np.int32), offsets[places + 1].astype(np.int32)
    )


def find_spans(table: StringTable, data: Bytes, starts: Ints32, stops: Ints32) -> Ints32:
    """Return the table numbers of byte ranges, -1 for those that are not in the table."""
    out = np.empty(len(starts), np.int32)
    find_all(table, data, starts, stops, out)
    return out


def word_types(data: Bytes, starts: Ints32, stops: Ints32) -> Types:
    """Give equal words equal numbers.

    >>> places = np.arange(4, dtype=np.int32)
    >>> word_types(np.frombuffer(b"aba", np.uint8), places[:-1], places[1:]).numbers.tolist()
    [0, 1, 0]
    """
    words = len(starts)
    numbers, firsts = np.empty(words, np.int32), np.empty(words, np.int64)
    room = max(words // 4, 1)  # most words repeat, and a small table stays in the cache
    while True:
        types = number_types(data, starts, stops, slots_for(room), firsts, numbers)
        if types >= 0:
            break
        room *= 4
    return Types(numbers, firsts[:types].copy())


def types_of(words: Strings) -> Types:
    """Give equal words of a column equal numbers; the column must be smaller than two gigabytes."""
    places = words.offsets.astype(np.int32)
    return word_types(words.data, places[:-1], places[1:])


class WordProperties(NamedTuple):
    """The properties of some words."""

    patterns: Ints8
    lengths: Ints32
    made_of: Bytes
    lowered: Strings


def describe(data: Bytes, starts: Ints32, stops: Ints32) -> WordProperties:
    """Describe the words from `starts` to `stops`."""
    count = len(starts)
    patterns, lengths = np.empty(count, np.int8), np.empty(count, np.int32)
    made_of, offsets = np.empty(count, np.uint8), np.empty(count + 1, np.int64)
    out = np.empty(GROWTH * int((stops.astype(np.int64) - starts).sum()), np.uint8)
    tables = load_characters(), load_casing()
    describe_words(*tables, data, starts, stops, patterns, lengths, made_of, offsets, out)
    return WordProperties(patterns, lengths, made_of, Strings.of(out[: offsets[-1]], offsets))


def describe_column(words: Strings) -> WordProperties:
    """Describe the words of a column."""
    places = words.offsets.astype(np.int32)
    return describe(words.data, places[:-1], places[1:])


def lower(words: Strings) -> Strings:
    """Return words in lower case."""
    return describe_column(words).lowered
