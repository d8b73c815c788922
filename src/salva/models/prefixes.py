"""What a causal model keeps in memory: the beginning that prompts share, and as many tokens as fit on a GPU.

A shared beginning, such as a system message or examples, is read once. Keys and values of its tokens are
kept, and every prompt goes on from there. Padding is between the shared tokens and the rest, where the mask
hides it and positions do not count it.
"""

from __future__ import annotations

import copy
import inspect
import sys
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from salva._torch import inference
from salva._types import Ints64
from salva.models.tokens import Tokens

# Tokens. A small model on a CPU is 1.1 times as fast with 8 of them, 1.3 with 32, 2.5 with 128, 6 with 512.
LEAST = 32
_INNER = 8  # tensors as wide as the widest of a layer that exist at the same time
_LOGITS = 3  # copies of a row of the vocabulary, of four bytes per number


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


def token_room(model: Any) -> int:
    """Return how many tokens need half of a GPU's memory next to the weights; on a CPU, no limit.

    How much of the memory is free does not matter, so that a run that is continued has the same batches.
    """
    if model.device.type != "cuda":
        return sys.maxsize
    import torch

    half = torch.cuda.get_device_properties(model.device).total_memory // 2
    weights = sum(own.numel() * own.element_size() for own in model.parameters())
    return max(int((half - weights) // bytes_per_token(model.config, model.dtype.itemsize)), 1)


def logits_room(model: Any) -> int:
    """Return for how many tokens the scores of the whole vocabulary need an eighth of a GPU's memory."""
    if model.device.type != "cuda":
        return sys.maxsize
    import torch

    eighth = torch.cuda.get_device_properties(model.device).total_memory // 8
    return max(int(eighth // (_LOGITS * 4 * model.config.get_text_config().vocab_size)), 1)


def bytes_per_token(config: Any, size: int) -> int:
    """Return how many bytes a token takes in a model whose numbers have `size` bytes.

    >>> from types import SimpleNamespace
    >>> sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 16}
    >>> about = SimpleNamespace(**sizes)
    >>> about.get_text_config = lambda: about
    >>> bytes_per_token(about, 2)  # 2 x 2 layers x 8 numbers, and 8 x 16
    320
    """
    own = config.get_text_config()
    wide = own.hidden_size
    heads = own.num_attention_heads
    kept = getattr(own, "num_key_value_heads", None) or heads
    each = getattr(own, "head_dim", None) or wide // heads
    inner = getattr(own, "intermediate_size", None) or 4 * wide
    return int(size * (2 * own.num_hidden_layers * kept * each + _INNER * inner))
