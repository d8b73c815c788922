"""Texts on their way into a transformer: pairs apart, the cut ones known, batches of like length, padding."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from salva.models.answers import Answers
from salva.models.protocol import Text

__all__ = ["cut_texts", "length_batches", "padded", "two_columns", "was_cut", "with_lengths"]


def two_columns(texts: Sequence[Text]) -> tuple[list[str], list[str] | None]:
    """Return the texts, and where they are pairs the second ones apart.

    >>> two_columns([("a", "b"), ("c", "d")])
    (['a', 'c'], ['b', 'd'])
    """
    if not any(isinstance(text, tuple) for text in texts):
        return [text for text in texts if isinstance(text, str)], None
    pairs = [text if isinstance(text, tuple) else (text, "") for text in texts]
    return [first for first, _ in pairs], [second for _, second in pairs]


def cut_texts(tokenizer: Any, texts: Sequence[Text]) -> list[bool]:
    """Return which texts are longer than a transformers tokenizer lets through."""
    first, second = two_columns(texts)
    return was_cut(tokenizer, tokenizer(first, second, truncation=True), first, second)


def was_cut(tokenizer: Any, encoded: Any, first: list[str], second: list[str] | None) -> list[bool]:
    """Return which texts lost their end when they were encoded."""
    if encoded.encodings is not None:
        return [bool(encoding.overflowing) for encoding in encoded.encodings]
    whole = tokenizer(first, second, truncation=False, verbose=False)["input_ids"]
    return [len(kept) < len(all_of_it) for kept, all_of_it in zip(encoded["input_ids"], whole, strict=True)]


def with_lengths(answers: Answers, lengths: Sequence[int], cut: Sequence[bool]) -> Answers:
    """Return the answers, and with them which texts were cut, and which had nothing in them to ask about."""
    errors = [
        error if length else "the tokenizer leaves nothing of the text"
        for length, error in zip(lengths, answers.errors, strict=True)
    ]
    return dataclasses.replace(answers, truncated=list(cut), errors=errors)


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[NDArray[np.int64]]:
    """Yield the places of texts in batches of like length, the longest first, of up to `budget` tokens each.

    Padding counts, so a batch of long texts has few. The first batch is the one that memory must hold.

    >>> [batch.tolist() for batch in length_batches([3, 9, 4, 1], 10)]
    [[1], [2, 0], [3]]
    """
    order = np.argsort(-np.asarray(lengths, np.int64), kind="stable")
    start = 0
    while start < len(order):
        rows = max(budget // max(lengths[order[start]], 1), 1)
        yield order[start : start + rows]
        start += rows


def padded(rows: Sequence[Sequence[int]], fill: int) -> NDArray[np.int64]:
    """Return rows of numbers as one table, filled up on the right.

    >>> padded([[5, 6], [7]], 0).tolist()
    [[5, 6], [7, 0]]
    """
    table = np.full((len(rows), max(map(len, rows))), fill, np.int64)
    for place, row in zip(table, rows, strict=True):
        place[: len(row)] = row
    return table
