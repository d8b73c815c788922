"""Measure changed words and accuracy by severity: `TextCorruptor`, corrupted-text, `corrupt`.

    python benchmarks/severities.py FOLDER

FOLDER holds the peers' environments and NLTK's data, made as `compare/README.md` says; what the package gave
is kept there and used again. The model is the small transformer of Keras's examples, trained on IMDB train
for two epochs; everything is fitted on train and test, as in the README of corrupted-text, whose accuracies
are shown too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import torch
from torch import nn

import salva
from publish import ROOT, publish
from salva.transforms.corruptor import PACKAGE, REALISED

SEED, ROWS = 1, 2000
SEVERITIES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
DOCUMENT = (0.87, 0.81, 0.78, 0.75, 0.71, 0.66, 0.64)
WORDS, LENGTH, SIZE, HEADS, BATCH, STEPS = 20_000, 200, 32, 2, 32, 1564
MARKS = re.compile(r"""[!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~\t\n]""")
TOKEN = re.compile(r"\w+|[^\w\s]+")


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
        x = self.words(rows) + self.places(torch.arange(LENGTH))
        x = self.norms[0](x + self.drop(self.attention(x, x, x, need_weights=False)[0]))
        x = self.norms[1](x + self.drop(self.feed(x)))
        scores: torch.Tensor = self.head(x.mean(1))
        return scores


def words_of(text: str) -> list[str]:
    """Return the words as Keras's tokenizer cuts them."""
    return MARKS.sub(" ", text.lower()).split()


def encode(texts: list[str], numbers: dict[str, int]) -> torch.Tensor:
    """Return the last words of every text as numbers; 0 fills up, 1 is unknown."""
    out = np.zeros((len(texts), LENGTH), np.int64)
    for row, text in enumerate(texts):
        found = [numbers.get(word, 1) for word in words_of(text)[-LENGTH:]]
        out[row, LENGTH - len(found) :] = found
    return torch.from_numpy(out)


def train(texts: list[str], labels: list[int]) -> tuple[Classifier, dict[str, int]]:
    """Return a model after a fixed number of steps, and the numbers of its words."""
    torch.manual_seed(0)
    counts = Counter(word for text in texts for word in words_of(text))
    numbers = {word: number for number, (word, _) in enumerate(counts.most_common(WORDS - 2), 2)}
    model, rows, wanted = Classifier().train(), encode(texts, numbers), torch.tensor(labels)
    optimiser, order = torch.optim.Adam(model.parameters(), eps=1e-7), torch.empty(0, dtype=torch.long)
    for _ in range(STEPS):
        if len(order) < BATCH:
            order = torch.randperm(len(rows))
        batch, order = order[:BATCH], order[BATCH:]
        loss = nn.functional.cross_entropy(model(rows[batch]), wanted[batch])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return model.eval(), numbers


def package_texts(folder: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the package makes of the texts, and how many words it changes."""
    done = folder / "severities.json"
    if not done.is_file():
        asked = folder / "severities-input.json"
        asked.write_text(json.dumps(given), "utf-8")
        python = folder / "corrupted-text/bin/python"
        script = ROOT / "benchmarks/compare/corrupted_text_severities.py"
        environment = os.environ | {"NLTK_DATA": str(folder / "nltk_data")}
        subprocess.run([python, script, asked, done], check=True, env=environment)
    found: dict[str, Any] = json.loads(done.read_text("utf-8"))
    return found


def split(name: str) -> tuple[list[str], list[int]]:
    """Return the texts and labels of a part of IMDB."""
    table = pq.read_table(ROOT.parent / f"shared/data/imdb/{name}.parquet")
    return table["text"].to_pylist(), table["label"].to_pylist()


def main() -> None:
    """Train, corrupt three ways, and publish what changed and what it cost."""
    test, test_labels = split("test")
    train_texts, train_labels = split("train")
    rows = np.random.default_rng(0).permutation(len(test))[:ROWS].tolist()
    texts, base = [test[row] for row in rows], test + train_texts
    labels = torch.tensor([test_labels[row] for row in rows])
    given = {"base": base, "texts": texts, "seed": SEED, "severities": SEVERITIES}
    theirs = package_texts(Path(sys.argv[1]), given)
    model, numbers = train(train_texts, train_labels)
    own = salva.preset("corrupt").fit(base)
    package = salva.preset("corrupt", **PACKAGE, **REALISED).with_vocabulary(own.vocabulary)
    count = sum(any(map(str.isalpha, token)) for text in texts for token in TOKEN.findall(text))

    def accuracy(some: list[str]) -> str:
        with torch.no_grad():
            parts = torch.split(encode(some, numbers), 500)
            answers = torch.cat([model(part).argmax(1) for part in parts])
        return f"{(answers == labels).float().mean():.3f}"

    table = [("0", *["0"] * 3, *[accuracy(texts)] * 3, f"{DOCUMENT[0]:.2f}")]
    for severity, published in zip(SEVERITIES, DOCUMENT[1:], strict=True):
        peer = theirs[str(severity)]
        twins = [one.transform(texts, seed=SEED, severity=severity) for one in (package, own)]
        changed = [peer["changed"], *(one.summary.edits for one in twins)]
        shown = [peer["texts"], *(one.transformed for one in twins)]
        shares = (f"{part / count:.3f}" for part in changed)
        table.append((f"{severity:g}", *shares, *map(accuracy, shown), f"{published:.2f}"))
    names = ("corrupted-text 0.2.0", "`TextCorruptor`", "`corrupt`")
    columns = ("severity", *(f"changed: {name}" for name in names), *(f"accuracy: {name}" for name in names))
    publish("severities", (*columns, "accuracy: the package's README"), table)


if __name__ == "__main__":
    main()
