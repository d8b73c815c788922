"""Prepare texts for a transformer: split pairs, detect cut texts, batch by length, pad."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from salva._types import Bools, Ints32, Ints64
from salva.models.protocol import Answers, Text, as_text

_CHUNK = 32


def two_columns(texts: Sequence[Text]) -> tuple[list[str], list[str] | None]:
    """Return the texts; for pairs, return the second texts as a separate list.

    >>> two_columns([("a", "b"), ("c", "d")])
    (['a', 'c'], ['b', 'd'])
    """
    if not any(isinstance(text, tuple) for text in texts):
        return [as_text(text) for text in texts], None
    pairs = [text if isinstance(text, tuple) else (as_text(text), "") for text in texts]
    return [first for first, _ in pairs], [second for _, second in pairs]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Texts, or pairs, as a transformer reads them; `cut` marks those that were too long.

    The tokens of text `i` are `ids[offsets[i]:offsets[i + 1]]`; `types` says in the same way which text of a
    pair a token belongs to, and is None if there are no pairs.
    """

    ids: Ints32
    offsets: Ints64
    cut: Bools
    types: Ints32 | None = None

    @classmethod
    def of(
        cls, ids: Sequence[Sequence[int]], cut: Sequence[bool], types: Sequence[Sequence[int]] | None = None
    ) -> Tokens:
        """Return texts that are given as lists of tokens.

        >>> Tokens.of([[5, 6], [7]], [False, True]).lengths.tolist()
        [2, 1]
        """
        offsets = np.cumsum([0, *map(len, ids)], dtype=np.int64)
        flat, kinds = (
            np.fromiter(chain.from_iterable(some), np.int32, int(offsets[-1])) for some in (ids, types or ids)
        )
        paired = types is not None and bool(kinds.any())
        return cls(flat, offsets, np.array(cut, np.bool_), kinds if paired else None)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints64:
        """How many tokens each text has."""
        return np.diff(self.offsets)

    def padded_ids(self, texts: Ints64, fill: int, out: Ints64) -> None:
        """Fill `out` with the tokens of some texts, one line per text, padded on the right and below.

        >>> out = np.empty((3, 2), np.int64)
        >>> Tokens.of([[5, 6], [7]], [False, False]).padded_ids(np.array([1, 0]), 0, out)
        >>> out.tolist()
        [[7, 0], [5, 6], [0, 0]]
        """
        self._pad(self.ids, texts, fill, out)

    def padded_types(self, texts: Ints64, out: Ints64) -> None:
        """Do the same with the types of the tokens."""
        if self.types is None:
            out.fill(0)
        else:
            self._pad(self.types, texts, 0, out)

    def _pad(self, values: Ints32, texts: Ints64, fill: int, out: Ints64) -> None:
        out.fill(fill)
        for line, text in zip(out, texts, strict=False):  # lines that are left over are padding
            start, stop = self.offsets[text], self.offsets[text + 1]
            line[: stop - start] = values[start:stop]


def set_limit(tokenizer: Any, limit: int | None, side: str = "right") -> None:
    """Make a `tokenizers.Tokenizer` cut texts that are too long, and leave the padding to us."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if limit is not None:
        tokenizer.enable_truncation(limit, direction=side)


def encode(tokenizer: Any, texts: Sequence[Text], **options: bool) -> list[Any]:
    """Return what a `tokenizers.Tokenizer` makes of texts, on several threads.

    The threads are ours: the first use of a transformers pipeline switches off the library's own for the
    whole process, and 15,000 reviews per second become 1,400.
    """
    parts = [list(texts[first : first + _CHUNK]) for first in range(0, len(texts), _CHUNK)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with ThreadPoolExecutor(min(cores, 32)) as pool:
        # The fast variant leaves out the offsets of the tokens in the text.
        encoded = pool.map(lambda part: tokenizer.encode_batch_fast(part, **options), parts)
        return [encoding for part in encoded for encoding in part]


def tokens_of(tokenizer: Any, texts: Sequence[Text]) -> Tokens:
    """Return the tokens of texts from a `tokenizers.Tokenizer`, as it is set up."""
    encodings = encode(tokenizer, texts)
    return Tokens.of(
        [encoding.ids for encoding in encodings],
        [bool(encoding.overflowing) for encoding in encodings],
        [encoding.type_ids for encoding in encodings],
    )


def slow_tokens_of(tokenizer: Any, texts: Sequence[Text], limit: int | None = None) -> Tokens:
    """Return the tokens of texts from a transformers tokenizer, called as its documentation says.

    Without a `limit`, the tokenizer's own applies.
    """
    first, second = two_columns(texts)
    encoded = tokenizer(first, second, truncation=True, max_length=limit)
    whole = tokenizer(first, second, verbose=False)["input_ids"]
    ids = encoded["input_ids"]
    cut = [len(some) < len(all_ids) for some, all_ids in zip(ids, whole, strict=True)]
    return Tokens.of(ids, cut, encoded.get("token_type_ids"))


def with_tokens(answers: Answers, tokens: Tokens) -> Answers:
    """Return the answers, with the cut texts marked and an error for each text that has no tokens."""
    errors = [
        error if length else "the tokenizer finds no token in the text"
        for length, error in zip(tokens.lengths.tolist(), answers.errors, strict=True)
    ]
    return dataclasses.replace(answers, cut=tokens.cut.tolist(), errors=errors)


def length_batches(lengths: Ints64, budget: int, multiple: int = 1) -> Iterator[Ints64]:
    """Yield the positions of texts in batches of similar length, longest first, up to `budget` tokens each.

    Padding to a `multiple` of so many tokens counts, so a batch of long texts has few of them. The first
    batch needs the most memory. Texts without a token are left out.

    >>> [batch.tolist() for batch in length_batches(np.array([3, 9, 0, 4, 1]), 10)]
    [[1], [3, 0], [4]]
    """
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    start = 0
    while start < len(order):
        rows = max(budget // round_up(int(lengths[order[start]]), multiple), 1)
        yield order[start : start + rows]
        start += rows


def round_up(number: int, multiple: int) -> int:
    """Return the next multiple of a number.

    >>> round_up(33, 32), round_up(64, 32)
    (64, 64)
    """
    return -(-number // multiple) * multiple


def round_rows(rows: int) -> int:
    """Return the next number of rows of the form 2ⁿ or 3 · 2ⁿ, at most a third more.

    >>> [round_rows(rows) for rows in (1, 3, 5, 9, 1000, 1100)]
    [1, 3, 6, 12, 1024, 1536]
    """
    return round_up(rows, 1 << max(rows.bit_length() - 2, 0))
