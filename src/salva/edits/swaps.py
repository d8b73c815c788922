"""Words that become others of the same kind, as tables for the kernel of `names` and `numbers`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from salva._arrow import as_numbers, as_strings
from salva._kernels import FirstSeen, StringTable, SwapWords, WordLists, plan_swaps
from salva._kernels.constants import NO_NUMBER_AFTER, NO_NUMBER_BEFORE
from salva.edits.chunk import Chunk, Edits, fill_edits
from salva.text.words import find_words, string_table


class Kind(NamedTuple):
    """Words that may replace one another, as written, and the rule of their neighbours."""

    words: tuple[str, ...]
    rule: int


class CompiledSwaps(NamedTuple):
    """The words of all kinds, and the table that they are looked up in."""

    swaps: SwapWords
    table: StringTable


def compile_swaps(
    kinds: Sequence[Kind],
    *,
    before: Iterable[str] = (),
    after: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> CompiledSwaps:
    """Compile kinds of words; no number follows a word of `before` or precedes a word of `after`."""
    flags: dict[str, int] = {}
    for names, flag in ((before, NO_NUMBER_AFTER), (after, NO_NUMBER_BEFORE)):
        for name in names:
            flags[name] = flags.get(name, 0) | flag
    excluded = {word.lower() for word in exclude}
    kind_of = _kinds_of_words(kinds)
    words = list(dict.fromkeys([*kind_of, *flags]))
    numbers = {word: number for number, word in enumerate(words)}
    members = [
        [numbers[word] for word in kind.words if kind_of[word] == k and word.lower() not in excluded]
        for k, kind in enumerate(kinds)
    ]
    texts = as_strings(words)
    swaps = SwapWords(
        np.array([kind_of.get(word, -1) for word in words], np.int32),
        np.array([kinds[kind_of[word]].rule if word in kind_of else 0 for word in words], np.uint8),
        np.array([flags.get(word, 0) for word in words], np.uint8),
        np.concatenate([[0], np.cumsum([len(own) for own in members])]).astype(np.int64),
        np.array([number for own in members for number in own], np.int32),
        WordLists(np.zeros(1, np.int64), texts.offsets, texts.data),
    )
    return CompiledSwaps(swaps, string_table(words))


def _kinds_of_words(kinds: Sequence[Kind]) -> Mapping[str, int]:
    """Return the kind of each word; a word of several kinds has none, because nobody knows which is meant."""
    kind_of: dict[str, int] = {}
    for k, kind in enumerate(kinds):
        for word in kind.words:
            kind_of[word] = k if kind_of.get(word, k) == k else -1
    return kind_of


def plan_kinds(compiled: CompiledSwaps, chunk: Chunk, rule: int) -> Edits:
    """Return all possible edits of a chunk."""
    types, swaps = chunk.types, compiled.swaps
    distinct = as_strings(chunk.words.array.take(as_numbers(types.firsts)))
    words = find_words(compiled.table, distinct, np.arange(len(distinct)))[types.numbers]
    seen = FirstSeen(*np.full((2, len(swaps.kinds)), -1))
    return fill_edits(chunk, partial(plan_swaps, swaps, chunk.tokens, words, rule, seen))
