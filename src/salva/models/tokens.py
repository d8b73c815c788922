"""Prepare texts for a transformer: split pairs, detect cut texts, batch by length, pad."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from salva._types import Ints64
from salva.models.protocol import Answers, Text

_CHUNK = 32


def two_columns(texts: Sequence[Text]) -> tuple[list[str], list[str] | None]:
    """Return the texts; for pairs, return the second texts as a separate list.

    >>> two_columns([("a", "b"), ("c", "d")])
    (['a', 'c'], ['b', 'd'])
    """
    if not any(isinstance(text, tuple) for text in texts):
        return [text for text in texts if isinstance(text, str)], None
    pairs = [text if isinstance(text, tuple) else (text, "") for text in texts]
    return [first for first, _ in pairs], [second for _, second in pairs]


class Tokens(NamedTuple):
    """One text, or a pair, as a transformer reads it; `cut` if it was too long."""

    ids: list[int]
    types: list[int]
    cut: bool


def set_limit(tokenizer: Any, limit: int | None, side: str = "right") -> None:
    """Make a `tokenizers.Tokenizer` cut texts that are too long, and leave the padding to us."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if limit is not None:
        tokenizer.enable_truncation(limit, direction=side)


def tokens_of(tokenizer: Any, texts: Sequence[Text]) -> list[Tokens]:
    """Return the tokens of texts from a `tokenizers.Tokenizer`, as it is set up, on several threads.

    The threads are ours: the first use of a transformers pipeline switches off the library's own for the
    whole process, and 15,000 reviews per second become 1,400.
    """
    parts = [list(texts[first : first + _CHUNK]) for first in range(0, len(texts), _CHUNK)]
    with ThreadPoolExecutor(_threads()) as pool:
        # The fast variant leaves out the offsets of the tokens in the text.
        encodings = [encoding for part in pool.map(tokenizer.encode_batch_fast, parts) for encoding in part]
    return [Tokens(encoding.ids, encoding.type_ids, bool(encoding.overflowing)) for encoding in encodings]


def slow_tokens_of(tokenizer: Any, texts: Sequence[Text], limit: int | None = None) -> list[Tokens]:
    """Return the tokens of texts from a transformers tokenizer, called as its documentation says.

    Without a `limit`, the tokenizer's own applies.
    """
    first, second = two_columns(texts)
    encoded = tokenizer(first, second, truncation=True, max_length=limit)
    whole = tokenizer(first, second, verbose=False)["input_ids"]
    types = encoded.get("token_type_ids") or [[0] * len(ids) for ids in encoded["input_ids"]]
    columns = zip(encoded["input_ids"], types, whole, strict=True)
    return [Tokens(ids, text_types, len(ids) < len(all_ids)) for ids, text_types, all_ids in columns]


def _threads() -> int:
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 32)
    return min(os.cpu_count() or 1, 32)


def with_tokens(answers: Answers, tokens: Sequence[Tokens]) -> Answers:
    """Return the answers, with the cut texts marked and an error for each text that has no tokens."""
    errors = [
        error if text.ids else "the tokenizer finds no token in the text"
        for text, error in zip(tokens, answers.errors, strict=True)
    ]
    return dataclasses.replace(answers, truncated=[text.cut for text in tokens], errors=errors)


def length_batches(tokens: Sequence[Tokens], budget: int) -> Iterator[Ints64]:
    """Yield the positions of texts in batches of similar length, longest first, up to `budget` tokens each.

    Padding counts, so a batch of long texts has few of them. The first batch needs the most memory. Texts
    without a token are left out.

    >>> some = [Tokens([7] * length, [], False) for length in (3, 9, 0, 4, 1)]
    >>> [batch.tolist() for batch in length_batches(some, 10)]
    [[1], [3, 0], [4]]
    """
    lengths = np.array([len(text.ids) for text in tokens], np.int64)
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    start = 0
    while start < len(order):
        rows = max(budget // int(lengths[order[start]]), 1)
        yield order[start : start + rows]
        start += rows


def padded(rows: Sequence[Sequence[int]], fill: int) -> Ints64:
    """Return rows of numbers as one table, padded on the right.

    >>> padded([[5, 6], [7]], 0).tolist()
    [[5, 6], [7, 0]]
    """
    table = np.full((len(rows), max(map(len, rows))), fill, np.int64)
    for place, row in zip(table, rows, strict=True):
        place[: len(row)] = row
    return table
