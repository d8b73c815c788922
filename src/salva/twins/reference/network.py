"""The network of the reference model: a pre-norm Transformer with scaled embeddings.

This is the only module that imports torch at the top level: other modules import it inside a function, behind
the extra `torch`. Sources, targets and the output share one embedding table, so that a copied symbol has the
same representation everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from salva.twins.reference.vocabulary import EOS, FIRST, PAD


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network."""

    width: int = 512
    layers: int = 6
    heads: int = 8
    hidden: int = 2048
    dropout: float = 0.1


class _Attention(nn.Module):
    """Attention of a sequence to itself or to another; `seen` holds the keys and values it attends to."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query = nn.Linear(shape.width, shape.width, bias=False)
        self.key_value = nn.Linear(shape.width, 2 * shape.width, bias=False)
        self.out = nn.Linear(shape.width, shape.width, bias=False)

    def seen(self, of: Any) -> tuple[Any, Any]:
        key, value = self.key_value(of).chunk(2, dim=-1)
        return self._apart(key), self._apart(value)

    def forward(self, x: Any, seen: tuple[Any, Any], *, mask: Any = None, causal: bool = False) -> Any:
        key, value = seen
        out = functional.scaled_dot_product_attention(
            self._apart(self.query(x)), key, value, attn_mask=mask, is_causal=causal
        )
        return self.out(out.transpose(1, 2).flatten(2))

    def _apart(self, x: Any) -> Any:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class _Layer(nn.Module):
    """Self-attention, attention to the source in a decoder, and a feed-forward step at each position."""

    def __init__(self, shape: Shape, *, decodes: bool) -> None:
        super().__init__()
        self.itself, self.norm = _Attention(shape), nn.LayerNorm(shape.width)
        self.source = _Attention(shape) if decodes else None
        self.source_norm = nn.LayerNorm(shape.width) if decodes else None
        self.step_norm = nn.LayerNorm(shape.width)
        self.step = nn.Sequential(
            nn.Linear(shape.width, shape.hidden),
            nn.ReLU(),
            nn.Dropout(shape.dropout),
            nn.Linear(shape.hidden, shape.width),
        )
        self.drop = nn.Dropout(shape.dropout)

    def encode(self, x: Any, mask: Any) -> Any:
        y = self.norm(x)
        x = x + self.drop(self.itself(y, self.itself.seen(y), mask=mask))
        return x + self.drop(self.step(self.step_norm(x)))

    def decode(self, x: Any, source: tuple[Any, Any], mask: Any) -> Any:
        y = self.norm(x)
        x = x + self.drop(self.itself(y, self.itself.seen(y), causal=True))
        return self._after(x, source, mask)

    def write(self, x: Any, kept: tuple[Any, Any], at: int, source: tuple[Any, Any], mask: Any) -> Any:
        """Return the state of the next position, and add its keys and values to `kept`."""
        y = self.norm(x)
        for table, new in zip(kept, self.itself.seen(y), strict=True):
            table[:, :, at : at + 1] = new
        x = x + self.itself(y, (kept[0][:, :, : at + 1], kept[1][:, :, : at + 1]))
        return self._after(x, source, mask)

    def _after(self, x: Any, source: tuple[Any, Any], mask: Any) -> Any:
        assert self.source is not None  # noqa: S101
        assert self.source_norm is not None  # noqa: S101
        x = x + self.drop(self.source(self.source_norm(x), source, mask=mask))
        return x + self.drop(self.step(self.step_norm(x)))


class Network(nn.Module):
    """The complete network: maps sources to targets."""

    def __init__(self, words: int, shape: Shape) -> None:
        super().__init__()
        self.shape, self.scale = shape, math.sqrt(shape.width)
        self.embedding = nn.Embedding(words, shape.width, padding_idx=PAD)
        self.encoder: Any = nn.ModuleList(_Layer(shape, decodes=False) for _ in range(shape.layers))
        self.decoder: Any = nn.ModuleList(_Layer(shape, decodes=True) for _ in range(shape.layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(shape.width), nn.LayerNorm(shape.width)
        self.drop = nn.Dropout(shape.dropout)
        self._places: Any = None
        self.reset()

    def reset(self) -> None:
        """Initialise the weights: Glorot, with embeddings of expected length 1 before they are scaled."""
        for name, weights in self.named_parameters():
            if weights.dim() > 1 and not name.startswith("embedding"):
                nn.init.xavier_uniform_(weights)
        nn.init.normal_(self.embedding.weight, std=self.shape.width**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD].zero_()

    def forward(self, source: Any, target: Any) -> Any:
        """Return the scores for each next word of the targets, which begin with FIRST."""
        states, mask = self.encode(source)
        x = self._embedded(target, 0)
        for layer in self.decoder:
            x = layer.decode(x, layer.source.seen(states), mask)
        return self.scores(x)

    def encode(self, source: Any) -> tuple[Any, Any]:
        """Return the states of sources, and a mask that is true where they are not padding."""
        mask = (source != PAD)[:, None, None, :]
        x = self._embedded(source, 0)
        for layer in self.encoder:
            x = layer.encode(x, mask)
        return self.encoder_norm(x), mask

    def scores(self, x: Any) -> Any:
        """Return the scores of all words after the last layer."""
        return functional.linear(self.decoder_norm(x), self.embedding.weight)

    @torch.inference_mode()
    def write(self, source: Any, most: int) -> Any:
        """Return the most likely words, one by one, up to EOS or `most` words; padded on the right."""
        states, mask = self.encode(source)
        seen = [layer.source.seen(states) for layer in self.decoder]
        rows, heads = len(source), self.shape.heads
        room = (rows, heads, most, self.shape.width // heads)
        kept = [tuple(torch.empty(room, device=x.device, dtype=x.dtype) for x in pair) for pair in seen]
        out = torch.full((rows, most), PAD, device=source.device)
        word = torch.full((rows, 1), FIRST, device=source.device)
        ended = torch.zeros(rows, 1, dtype=torch.bool, device=source.device)
        for at in range(most):
            x = self._embedded(word, at)
            for layer, pair, at_source in zip(self.decoder, kept, seen, strict=True):
                x = layer.write(x, pair, at, at_source, mask)
            word = self.scores(x).argmax(-1).masked_fill(ended, PAD)
            out[:, at : at + 1] = word
            ended |= word == EOS
            if at % 8 == 7 and bool(ended.all()):  # rarely, since each check waits for the GPU
                break
        return out

    def _embedded(self, words: Any, at: int) -> Any:
        x = self.embedding(words) * self.scale
        return self.drop(x + self._positions(at + words.shape[1], x)[at:])

    def _positions(self, size: int, like: Any) -> Any:
        """Return the sines and cosines of the positions, which are cached."""
        known = self._places
        if known is None or len(known) < size or known.device != like.device or known.dtype != like.dtype:
            count, half = max(size, 512), self.shape.width // 2
            rates = torch.exp(torch.arange(half, device=like.device) * (-math.log(10_000.0) / half))
            angles = torch.arange(count, device=like.device)[:, None] * rates
            self._places = torch.cat([angles.sin(), angles.cos()], dim=1).to(like.dtype)
        return self._places[:size]
