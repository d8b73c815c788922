"""A small Transformer for PCFG SET: train it on one of the conditions, and ask it about the pairs there.

    salva twins generate -o data
    python examples/pcfg/model.py data/substitutivity/primitive -o model --size tiny --steps 3000
    PCFG_MODEL=model salva evaluate data/substitutivity/primitive --model python:model:answer -o run

The last command is run where this file is. Needs torch and safetensors, but not Salva, so a model can be
trained on another machine. Sources, targets and answers share one table of words, so that a symbol that is
copied has the same representation everywhere.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import math
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

PAD, END, FIRST, UNKNOWN = range(4)  # FIRST is what an answer begins with
LONGEST = 256  # words; lines with a longer target are left out
ASKED = 512  # lines that are answered at a time
PLACE = "PCFG_MODEL"  # the environment variable that names the folder of `answer`

Line: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Size:
    """The shape of a network, and how fast it learns."""

    width: int
    layers: int
    heads: int
    dropout: float
    batch: int
    rate: float
    warmup: int


SIZES = {
    "tiny": Size(96, 1, 4, 0.0, 64, 4e-3, 60),  # for a CPU
    "small": Size(256, 3, 4, 0.1, 256, 1e-3, 60),
    "paper": Size(512, 6, 8, 0.1, 256, 5e-4, 1000),  # that of Hupkes et al. (2020): 44 million weights
}


class Network(nn.Module):
    """A Transformer whose normalisation comes first, from the numbers of words to those of an answer."""

    def __init__(self, words: int, size: Size) -> None:
        super().__init__()
        shape: dict[str, Any] = {"d_model": size.width, "nhead": size.heads, "dropout": size.dropout}
        shape |= {"dim_feedforward": 4 * size.width, "batch_first": True, "norm_first": True}
        encoder, decoder = nn.TransformerEncoderLayer(**shape), nn.TransformerDecoderLayer(**shape)
        last = nn.LayerNorm(size.width), nn.LayerNorm(size.width)
        self.encoder = nn.TransformerEncoder(encoder, size.layers, last[0], enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(decoder, size.layers, last[1])
        self.words = nn.Embedding(words, size.width, padding_idx=PAD)
        self.drop = nn.Dropout(size.dropout)
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)
        nn.init.normal_(self.words.weight, std=size.width**-0.5)
        with torch.no_grad():
            self.words.weight[PAD] = 0

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the scores of each next word of the targets, which begin with FIRST."""
        return self.decode(*self.encode(source), target)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of sources, and where they are padding."""
        padding = source == PAD
        return self.encoder(self.embed(source), src_key_padding_mask=padding), padding

    def decode(self, states: Tensor, padding: Tensor, target: Tensor) -> Tensor:
        """Return the scores of each next word."""
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1], device=target.device)
        options = {"tgt_mask": mask, "tgt_is_causal": True, "memory_key_padding_mask": padding}
        x = self.decoder(self.embed(target), states, **options)
        return nn.functional.linear(x, self.words.weight)

    def embed(self, words: Tensor) -> Tensor:
        """Return the vectors of words, and the sines and cosines of their places."""
        half = self.words.embedding_dim // 2
        rates = torch.exp(torch.arange(half, device=words.device) * (-math.log(10_000) / half))
        angles = torch.arange(words.shape[1], device=words.device)[:, None] * rates
        places = torch.cat([angles.sin(), angles.cos()], dim=1)
        out: Tensor = self.drop(self.words(words) * math.sqrt(2 * half) + places)
        return out


@dataclass(frozen=True)
class Trained:
    """A network, its words in the order of their numbers, and how it was trained."""

    network: Network
    words: list[str]
    about: dict[str, Any]

    @functools.cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every word."""
        return {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}

    def encode(self, line: str) -> list[int]:
        """Return the numbers of a line and its end."""
        return [*(self.numbers.get(word, UNKNOWN) for word in line.split()), END]

    def decode(self, numbers: Sequence[int]) -> str:
        """Return the words before the end."""
        before = itertools.takewhile(lambda number: number != END, numbers)
        return " ".join(self.words[number - UNKNOWN - 1] for number in before if number > UNKNOWN)

    @torch.inference_mode()
    def answer(self, lines: Sequence[str]) -> list[str]:
        """Return the most likely answer to every line, word by word."""
        out, network = [""] * len(lines), self.network.eval()
        order = sorted(range(len(lines)), key=lambda k: len(lines[k].split()))
        for first in range(0, len(order), ASKED):
            rows = order[first : first + ASKED]
            source = pad([self.encode(lines[k]) for k in rows]).to(network.words.weight.device)
            states, padding = network.encode(source)
            said = torch.full_like(source[:, :1], FIRST)
            while said.shape[1] <= self.about["longest"] and not (said == END).any(1).all():
                word = network.decode(states, padding, said)[:, -1:].argmax(-1)
                said = torch.cat([said, word], dim=1)
            for k, numbers in zip(rows, said.tolist(), strict=True):
                out[k] = self.decode(numbers)
        return out

    def save(self, folder: Path) -> None:
        """Write the weights, the words and how the model was trained."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "words.json").write_text(json.dumps(self.words), "utf-8")
        (folder / "training.json").write_text(json.dumps(self.about, indent=1) + "\n", "utf-8")
        partial = folder / "model.partial"
        save_file(self.network.state_dict(), partial)
        partial.replace(folder / "model.safetensors")


def load(folder: Path) -> Trained:
    """Return the model in a folder, on a GPU if there is one."""
    words, about = (
        json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("words", "training")
    )
    network = Network(len(words) + UNKNOWN + 1, SIZES[about["size"]])
    network.load_state_dict(load_file(folder / "model.safetensors"))
    return Trained(network.to(find_device()), words, about)


@functools.cache
def _loaded() -> Trained:
    return load(Path(os.environ[PLACE]))


def answer(texts: list[str]) -> list[str]:
    """Return the answers to lines, by the model in the folder that the environment names."""
    found: list[str] = _loaded().answer(texts)
    return found


def find_device() -> str:
    """Return where to compute."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows of numbers as one table, padded on the right."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])


def make_batches(lines: Sequence[Line], size: int, seed: int) -> Iterator[list[Line]]:
    """Yield batches of lines that are about equally long, endlessly, in a new order in every epoch."""
    draw = random.Random(seed)  # noqa: S311
    while True:
        order = sorted(draw.sample(lines, len(lines)), key=lambda line: len(line[0]) + len(line[1]))
        parts = [order[k : k + size] for k in range(0, len(order), size)]
        yield from draw.sample(parts, len(parts))


def train(sources: Sequence[str], targets: Sequence[str], *, size: str, steps: int, seed: int = 0) -> Trained:
    """Return a model after a fixed number of steps; its learning rate rises, then falls."""
    torch.manual_seed(seed)
    begun, device, shape = time.perf_counter(), find_device(), SIZES[size]
    kept = [pair for pair in zip(sources, targets, strict=True) if len(pair[1].split()) <= LONGEST]
    words = sorted({word for pair in kept for line in pair for word in line.split()})
    network = Network(len(words) + UNKNOWN + 1, shape).to(device).train()
    about = {"size": size, "seed": seed, "steps": steps, "epochs": steps * shape.batch / len(kept)}
    about |= {"lines": len(kept), "longest": 1 + max(len(target.split()) for _, target in kept)}
    about |= {"parameters": sum(weights.numel() for weights in network.parameters())}
    trained = Trained(network, words, about)
    lines = [(trained.encode(source), [FIRST, *trained.encode(target)]) for source, target in kept]
    optimiser = torch.optim.AdamW(network.parameters(), shape.rate, (0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda k: min(1, (k + 1) / shape.warmup) * (0.02 + 0.49 * (1 + math.cos(math.pi * k / steps))),
    )
    for step, batch in enumerate(itertools.islice(make_batches(lines, shape.batch, seed), steps), 1):
        source, target = (pad(rows).to(device) for rows in zip(*batch, strict=True))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            scores = network(source, target[:, :-1])
        loss = nn.functional.cross_entropy(
            scores.float().flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD
        )
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if step % max(steps // 20, 1) == 0:
            print(f"{step:,} of {steps:,} steps, loss {loss.item():.3f}", flush=True)
    where = torch.cuda.get_device_name() if device == "cuda" else device
    about |= {"device": where, "torch": str(torch.__version__), "seconds": time.perf_counter() - begun}
    return trained


def main() -> None:
    """Train on train.src and train.tgt in a folder, and save the model."""
    parser = argparse.ArgumentParser(description="Train a small Transformer on PCFG SET.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    files = (given.data / name for name in ("train.src", "train.tgt"))
    sources, targets = (path.read_text("utf-8").splitlines() for path in files)
    train(sources, targets, size=given.size, steps=given.steps, seed=given.seed).save(given.output)


if __name__ == "__main__":
    main()
