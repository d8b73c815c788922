"""A simple Transformer for film reviews, trained from scratch on a CPU in minutes.

    python examples/imdb/simple_transformer.py train.parquet -o simple-0 --seed 0
    SIMPLE_TRANSFORMER=simple-0 salva evaluate test.parquet --model python:simple_transformer:predict -o run

The second command is run where this file is. The shape is that of Keras's example, with which the README of
corrupted-text was measured: 20,000 words, the last 200 of a review, 32 dimensions, 2 heads, feed-forward 32.
Needs torch and safetensors.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import torch
from safetensors.torch import load_file, save_file
from torch import nn

WORDS, LENGTH, SIZE, HEADS, BATCH, STEPS = 20_000, 200, 32, 2, 32, 1564
PLACE = "SIMPLE_TRANSFORMER"  # the environment variable that names the folder of `predict`
# As Keras's tokenizer cuts words: these characters become spaces, all but the apostrophe.
MARKS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', " "))


class Classifier(nn.Module):
    """One block of attention over words and their places, then the mean of all."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, SIZE), nn.Embedding(LENGTH, SIZE)
        for table in (self.words, self.places):
            nn.init.uniform_(table.weight, -0.05, 0.05)
        self.attention = nn.MultiheadAttention(SIZE, HEADS, batch_first=True)
        self.feed = nn.Sequential(nn.Linear(SIZE, SIZE), nn.ReLU(), nn.Linear(SIZE, SIZE))
        self.norms = nn.ModuleList([nn.LayerNorm(SIZE), nn.LayerNorm(SIZE)])
        self.drop = nn.Dropout(0.1)
        self.head = nn.Sequential(
            nn.Dropout(0.1), nn.Linear(SIZE, 20), nn.ReLU(), nn.Dropout(0.1), nn.Linear(20, 2)
        )

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the scores of both labels."""
        x = self.words(rows) + self.places(torch.arange(LENGTH, device=rows.device))
        x = self.norms[0](x + self.drop(self.attention(x, x, x, need_weights=False)[0]))
        x = self.norms[1](x + self.drop(self.feed(x)))
        scores: torch.Tensor = self.head(x.mean(1))
        return scores


class Trained(NamedTuple):
    """A model and the numbers of its words."""

    model: Classifier
    numbers: dict[str, int]

    def predict(self, texts: Sequence[str]) -> list[int]:
        """Return the label of every text."""
        device = next(self.model.parameters()).device
        with torch.inference_mode():
            parts = torch.split(encode(texts, self.numbers), 512)
            found = [self.model(part.to(device)).argmax(1) for part in parts]
        labels: list[int] = torch.cat(found).tolist() if found else []
        return labels

    def save(self, folder: Path, about: dict[str, Any]) -> None:
        """Write the weights, the words in the order of their numbers, and how they were trained."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "words.json").write_text(json.dumps(list(self.numbers)), "utf-8")
        (folder / "training.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
        partial = folder / "model.partial"
        save_file(self.model.state_dict(), partial)
        partial.replace(folder / "model.safetensors")


def words_of(text: str) -> list[str]:
    """Return the words as Keras's tokenizer cuts them."""
    return text.lower().translate(MARKS).split()


def encode(texts: Sequence[str], numbers: dict[str, int]) -> torch.Tensor:
    """Return the last words of every text as numbers; 0 fills up, 1 is unknown."""
    out = np.zeros((len(texts), LENGTH), np.int64)
    for row, text in enumerate(texts):
        found = [numbers.get(word, 1) for word in words_of(text)[-LENGTH:]]
        out[row, LENGTH - len(found) :] = found
    return torch.from_numpy(out)


def train(texts: Sequence[str], labels: Sequence[int], *, seed: int = 0, steps: int = STEPS) -> Trained:
    """Return a model after a fixed number of steps."""
    torch.manual_seed(seed)
    counts = Counter(word for text in texts for word in words_of(text))
    numbers = {word: number for number, (word, _) in enumerate(counts.most_common(WORDS - 2), 2)}
    model, rows, wanted = Classifier().train(), encode(texts, numbers), torch.tensor(labels)
    optimiser, order = torch.optim.Adam(model.parameters(), eps=1e-7), torch.empty(0, dtype=torch.long)
    for _ in range(steps):
        if len(order) < BATCH:
            order = torch.randperm(len(rows))
        batch, order = order[:BATCH], order[BATCH:]
        loss = nn.functional.cross_entropy(model(rows[batch]), wanted[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return Trained(model.eval(), numbers)


def load(folder: Path) -> Trained:
    """Return the model in a folder, on a GPU if there is one."""
    words = json.loads((folder / "words.json").read_text("utf-8"))
    model = Classifier()
    model.load_state_dict(load_file(folder / "model.safetensors"))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return Trained(model.to(device).eval(), {word: number for number, word in enumerate(words, 2)})


@functools.cache
def _loaded() -> Trained:
    return load(Path(os.environ[PLACE]))


def predict(texts: list[str]) -> list[int]:
    """Return the labels of texts, by the model in the folder that the environment names."""
    return _loaded().predict(texts)


def main() -> None:
    """Train on a file with the columns text and label, and save the model."""
    parser = argparse.ArgumentParser(description="Train a simple Transformer on film reviews.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    table = pq.read_table(given.data, columns=["text", "label"])
    begun = time.perf_counter()
    texts, labels = table["text"].to_pylist(), table["label"].to_pylist()
    trained = train(texts, labels, seed=given.seed, steps=given.steps)
    about = {"rows": len(texts), "steps": given.steps, "seed": given.seed, "torch": str(torch.__version__)}
    trained.save(given.output, about | {"seconds": round(time.perf_counter() - begun, 1)})


if __name__ == "__main__":
    main()
