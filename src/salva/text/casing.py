"""Case patterns of words in any script: lower, Title, UPPER, mixed.

A single capital letter counts as title case, so that `A` becomes `One` and not `ONE`. Words without case, and
words that follow none of the first three patterns, are mixed; a mixed word is left as it is.
"""

from __future__ import annotations

from typing import Any, Literal, get_args, overload

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_numbers, as_strings
from salva._kernels import change_cases, find_patterns
from salva._kernels.constants import AS_CAPITAL, GROWTH
from salva._types import Ints8, Ints32
from salva.errors import UsageError
from salva.text.words import load_casing, load_characters

Pattern = Literal["lower", "title", "upper", "mixed"]
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
# The pattern to write for each pattern if a word keeps its own capitals.
_KEEPING = np.array([PATTERNS.index("mixed"), AS_CAPITAL, *map(PATTERNS.index, ("upper", "mixed"))], np.int8)


@overload
def detect(words: str) -> Pattern: ...
@overload
def detect(words: Any) -> pa.DictionaryArray: ...
def detect(words: Any) -> Pattern | pa.DictionaryArray:
    """Return the case pattern of a word, or the patterns of a column of words as a dictionary column.

    >>> [detect(word) for word in ("film", "Éclair", "ΠΛΑΤΩΝ", "iPhone", "映画")]
    ['lower', 'title', 'upper', 'mixed', 'mixed']
    """
    if isinstance(words, str):
        pattern: Pattern = detect([words])[0].as_py()
        return pattern
    column = as_strings(words)
    numbers = np.empty(len(column), np.int8)
    find_patterns(load_characters(), column.data, column.offsets, numbers)
    indices = as_numbers(numbers, column.array)
    return pa.DictionaryArray.from_arrays(indices, as_strings(PATTERNS).array)


@overload
def apply(pattern: Pattern, words: str, *, keep_capitals: bool = False) -> str: ...
@overload
def apply(pattern: Pattern, words: Any, *, keep_capitals: bool = False) -> pa.LargeStringArray: ...
def apply(pattern: Pattern, words: Any, *, keep_capitals: bool = False) -> str | pa.LargeStringArray:
    """Return a word, or a column of words, in the given case pattern; lengths may change.

    With `keep_capitals`, capital letters of the word itself are kept.

    >>> apply("upper", "straße"), apply("title", "ǆungla"), apply("lower", "ΟΔΟΣ"), apply("mixed", "McQueen")
    ('STRASSE', 'ǅungla', 'οδος', 'McQueen')
    >>> apply("title", "capital of Ireland", keep_capitals=True)
    'Capital of Ireland'
    """
    if pattern not in PATTERNS:
        raise UsageError(f"{pattern!r} is not a case pattern; expected one of {', '.join(PATTERNS)}")
    if isinstance(words, str):
        word: str = apply(pattern, [words], keep_capitals=keep_capitals)[0].as_py()
        return word
    column = as_strings(words)
    patterns = np.full(len(column), PATTERNS.index(pattern), np.int8)
    numbers = np.arange(len(column), dtype=np.int32)
    cased = in_patterns(column, numbers, patterns, keep_capitals=keep_capitals)
    return Strings.of(cased.data, cased.offsets, column.array).array


def in_patterns(words: Strings, numbers: Ints32, patterns: Ints8, *, keep_capitals: bool = False) -> Strings:
    """Return the words with the given numbers, each in its case pattern (an index into `PATTERNS`)."""
    if keep_capitals:
        patterns = _KEEPING[patterns]
    sizes = np.diff(words.offsets)[numbers]
    offsets, data = np.empty(len(numbers) + 1, np.int64), np.empty(GROWTH * int(sizes.sum()), np.uint8)
    tables = load_characters(), load_casing()
    change_cases(*tables, patterns, words.data, words.offsets, numbers, offsets, data)
    return Strings.of(data[: offsets[-1]].copy(), offsets)
