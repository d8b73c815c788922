"""The beginning that prompts share, such as a system message or examples: a causal model reads it once.

Keys and values of the shared tokens are kept, and every prompt goes on from there. Padding is between the
shared tokens and the rest, where the mask hides it and positions do not count it.
"""

from __future__ import annotations

import copy
import inspect
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from salva._torch import inference
from salva._types import Ints64
from salva.models.tokens import Tokens

# Tokens. A small model on a CPU is 1.1 times as fast with 8 of them, 1.3 with 32, 2.5 with 128, 6 with 512.
LEAST = 32


class Padded(NamedTuple):
    """Rows of tokens as one table, the mask of those that are not padding, and the cache to go on from."""

    ids: Any
    mask: Any
    cache: Any


class SharedPrefix:
    """The first tokens of some rows, if they are the same in all of them and worth keeping."""

    def __init__(self, model: Any, rows: list[list[int]]) -> None:
        self._model, self.tokens = model, find_prefix(rows)
        self._cache: Any = None
        if len(self.tokens) >= LEAST and "position_ids" in inspect.signature(model.forward).parameters:
            self._cache = self._read()
        if self._cache is None:
            self.tokens = []

    def _read(self) -> Any:
        """Return the keys and values of the prefix; None if the model keeps anything else."""
        import torch
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer

        ids = torch.tensor([self.tokens], device=self._model.device)
        with inference():
            cache = self._model(input_ids=ids, use_cache=True).past_key_values
        # A layer with a window forgets the beginning, and some models keep states that padding would change.
        plain = type(cache) is DynamicCache and all(type(layer) is DynamicLayer for layer in cache.layers)
        return cache if plain else None

    def pad(self, rows: list[list[int]], filler: int) -> Padded:
        """Return some of the rows with padding after the prefix, and a cache of their own."""
        import torch

        size, device = len(self.tokens), self._model.device
        # Padding is on the left of the rest, so that all rows end at the same place.
        rest = np.flip(pad_right([row[size:][::-1] for row in rows], filler), axis=1)
        begin = np.tile(np.array(self.tokens, np.int64), (len(rows), 1))
        ids = np.concatenate([begin, rest], axis=1)
        hidden = ids.shape[1] - np.array([len(row) for row in rows])
        places = np.arange(ids.shape[1])
        mask = (places < size) | (places >= size + hidden[:, None])
        cache = None
        if self._cache is not None:
            cache = copy.deepcopy(self._cache)
            cache.batch_repeat_interleave(len(rows))
        seen = torch.from_numpy(mask.astype(np.int64)).to(device)
        return Padded(torch.from_numpy(ids).to(device), seen, cache)


def pad_right(rows: list[list[int]], filler: int = 0) -> Ints64:
    """Return rows of tokens as one table, padded on the right."""
    tokens = Tokens.of(rows, [False] * len(rows))
    table = np.empty((len(rows), int(tokens.lengths.max())), np.int64)
    tokens.padded_ids(np.arange(len(rows)), filler, table)
    return table


def find_prefix(rows: list[list[int]]) -> list[int]:
    """Return the tokens with which all rows begin; of every row, at least one token is left over.

    >>> find_prefix([[1, 2, 3, 4], [1, 2, 3], [1, 2, 5, 6]]), find_prefix([[1, 2]]), find_prefix([])
    ([1, 2], [], [])
    """
    if len(rows) < 2:
        return []
    low, high = min(rows), max(rows)  # what these two share, all rows between them share, too
    same = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))]
    return same[: max(min(map(len, rows)) - 1, 0)]
