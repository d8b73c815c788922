"""Words of English: those written in small letters, and everything that a reader may take for a word.

`tools/build_english.py` makes the table from the other tables and lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import as_numbers, as_strings, ints, valid_rows
from salva._types import Bools, Bytes, Ints64
from salva.lexicon.shipped import read_tables

PLAIN, FUNCTION = 1, 2  # the sets in `kinds`


class English(NamedTuple):
    """Everything that may be read as a word, in lower case and sorted, and the sets of each word."""

    words: pa.StringArray
    kinds: Bytes


@cache
def load_english() -> English:
    """Return the shipped words: plain words, names, and the parts of phrases."""
    tables = read_tables("english.arrow")
    return English(tables["words"], ints(tables["kinds"]))


class MoreWords(NamedTuple):
    """The words of English and others; where those are that were asked for; and which words are plain."""

    words: pa.StringArray
    places: Ints64
    plain: Bools


def add_words(more: Sequence[str]) -> MoreWords:
    """Return the words of English, followed by those of some distinct words that are not among them.

    >>> added = add_words(["because", "becuase"])
    >>> added.words.take(pa.array(added.places)).to_pylist(), added.plain[added.places].tolist()
    (['because', 'becuase'], [True, False])
    """
    english = load_english()
    listed = as_strings(more).array.cast(pa.string())
    known = pc.index_in(listed, value_set=english.words)
    new = listed.filter(known.is_null())
    places = ints(known).astype(np.int64)
    places[~valid_rows(known)] = len(english.words) + np.arange(len(new))
    plain = np.concatenate([english.kinds & PLAIN != 0, np.zeros(len(new), np.bool_)])
    return MoreWords(pa.concat_arrays([english.words, new]), places, plain)


def function_words() -> frozenset[str]:
    """Return words without a meaning of their own, in lower case; a to z only.

    >>> {"the", "because", "whether", "film"} - function_words()
    {'film'}
    """
    english = load_english()
    places = np.flatnonzero(english.kinds & FUNCTION)
    return frozenset(english.words.take(as_numbers(places)).to_pylist())
