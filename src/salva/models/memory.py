"""How many tokens a causal model can hold on a GPU at once, with their keys and values."""

from __future__ import annotations

from typing import Any

_INNER = 8  # tensors as wide as the widest of a layer that exist at the same time
_LOGITS = 3  # copies of a row of the vocabulary, of four bytes per number


def token_room(model: Any) -> int | None:
    """Return how many tokens need half of a GPU's memory next to the weights; None on a CPU.

    How much of the memory is free does not matter, so that a run that is continued has the same batches.
    """
    if model.device.type != "cuda":
        return None
    import torch

    half = torch.cuda.get_device_properties(model.device).total_memory // 2
    weights = sum(own.numel() * own.element_size() for own in model.parameters())
    return max(int((half - weights) // bytes_per_token(model.config, model.dtype.itemsize)), 1)


def logits_room(model: Any) -> int | None:
    """Return for how many tokens the scores of the whole vocabulary need an eighth of a GPU's memory."""
    if model.device.type != "cuda":
        return None
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
