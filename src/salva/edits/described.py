"""What depends on a word alone: its case pattern, length, kinds of characters and lower-case form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._arrow import Strings
from salva._kernels.casing import GROWTH
from salva._kernels.types import describe_words
from salva._types import Bytes, Ints8, Ints32
from salva.text.characters import load_casing, load_characters


class Described(NamedTuple):
    """The properties of some words."""

    patterns: Ints8
    lengths: Ints32
    made_of: Bytes
    lowered: Strings


def describe(data: Bytes, starts: Ints32, stops: Ints32) -> Described:
    """Describe the words from `starts` to `stops`."""
    count = len(starts)
    patterns, lengths = np.empty(count, np.int8), np.empty(count, np.int32)
    made_of, offsets = np.empty(count, np.uint8), np.empty(count + 1, np.int64)
    out = np.empty(GROWTH * int((stops.astype(np.int64) - starts).sum()), np.uint8)
    tables = load_characters(), load_casing()
    describe_words(*tables, data, starts, stops, patterns, lengths, made_of, offsets, out)
    return Described(patterns, lengths, made_of, Strings.of(out[: offsets[-1]], offsets))


def lower(words: Strings) -> Strings:
    """Return words in lower case."""
    places = words.offsets.astype(np.int32)
    return describe(words.data, places[:-1], places[1:]).lowered
