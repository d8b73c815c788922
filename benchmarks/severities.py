"""Measure changed words and accuracy by severity: `TextCorruptor`, corrupted-text, `corrupt`.

    python benchmarks/severities.py FOLDER [MODEL…]

FOLDER holds the peers' environments and NLTK's data, made as `compare/README.md` says; what the package gave
is kept there and used again. A MODEL is a folder that `examples/imdb/simple_transformer.py` has written; by
default, one is trained. Everything is fitted on IMDB's train and test, as in the README of corrupted-text,
whose accuracies are shown too. FOLDER/package.json gets all numbers. DATA (a folder with imdb/) and ROWS (how
many reviews) are taken from the environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish
from salva.transforms.corruptor import PACKAGE, REALISED

sys.path.insert(0, str(ROOT / "examples/imdb"))
from simple_transformer import Trained, load, train

SEED, ROWS = 1, int(os.environ.get("ROWS", "2000"))
SEVERITIES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
DOCUMENT = (0.87, 0.81, 0.78, 0.75, 0.71, 0.66, 0.64)
NAMES = ("corrupted-text 0.2.0", "`TextCorruptor`", "`corrupt`")
TOKEN = re.compile(r"\w+|[^\w\s]+")


def package_texts(folder: Path, given: dict[str, Any]) -> dict[float, Any]:
    """Return what the package makes of the texts, and how many words it changes; one process per severity."""
    asked = folder / "severities-input.json"
    if not asked.is_file():
        asked.write_text(json.dumps(given), "utf-8")
    python, script = (
        folder / "corrupted-text/bin/python",
        ROOT / "benchmarks/compare/corrupted_text_severities.py",
    )
    environment = os.environ | {"NLTK_DATA": str(folder / "nltk_data")}
    thesauri = list(folder.glob("thesaurus.jsonl"))

    def made(severity: float) -> Any:
        done = folder / f"severities-{severity:g}.json"
        if not done.is_file():
            command: list[str | Path] = [python, script, asked, str(severity), done, *thesauri]
            subprocess.run(command, check=True, env=environment)
        return json.loads(done.read_text("utf-8"))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(SEVERITIES, pool.map(made, SEVERITIES), strict=True))


def split(name: str) -> tuple[list[str], list[int]]:
    """Return the texts and labels of a part of IMDB."""
    data = Path(os.environ.get("DATA", ROOT.parent / "shared/data"))
    table = pq.read_table(data / f"imdb/{name}.parquet")
    return table["text"].to_pylist(), table["label"].to_pylist()


def measure(folder: Path, models: Sequence[Path]) -> dict[str, Any]:
    """Return the share of changed words and the accuracies of all models, by severity and corruptor."""
    test, test_labels = split("test")
    train_texts, train_labels = split("train")
    rows = np.random.default_rng(0).permutation(len(test))[:ROWS].tolist()
    texts, labels, base = [test[row] for row in rows], [test_labels[row] for row in rows], test + train_texts
    theirs = package_texts(folder, {"base": base, "texts": texts, "seed": SEED})
    trained = [load(place) for place in models] or [train(train_texts, train_labels)]
    own = salva.preset("corrupt").fit(base)
    package = salva.preset("corrupt", **PACKAGE, **REALISED).with_vocabulary(own.vocabulary)
    count = sum(any(map(str.isalpha, token)) for text in texts for token in TOKEN.findall(text))
    found: dict[str, Any] = {"0": {name: [0.0, accuracies(trained, texts, labels)] for name in NAMES}}
    for severity, peer in theirs.items():
        twins = [one.transform(texts, seed=SEED, severity=severity) for one in (package, own)]
        changed = [peer["changed"], *(one.summary.edits for one in twins)]
        shown = [peer["texts"], *(one.transformed for one in twins)]
        found[f"{severity:g}"] = {
            name: [part / count, accuracies(trained, some, labels)]
            for name, part, some in zip(NAMES, changed, shown, strict=True)
        }
    digest = hashlib.sha256(json.dumps([one["texts"] for one in theirs.values()]).encode()).hexdigest()
    signature = (
        f"texts:{digest[:12]}|rows:{len(texts)}|seed:{SEED}|models:{len(trained)}|salva:{salva.__version__}"
    )
    return {"signature": signature, "rows": len(texts), "severities": found}


def accuracies(models: Sequence[Trained], texts: list[str], labels: list[int]) -> list[float]:
    """Return the share of right labels of every model."""
    return [float(np.mean(np.equal(model.predict(texts), labels))) for model in models]


def main() -> None:
    """Train or load models, corrupt three ways, and publish what changed and what it cost."""
    folder = Path(sys.argv[1])
    found = measure(folder, [Path(place) for place in sys.argv[2:]])
    (folder / "package.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    table = []
    for (severity, by_name), published in zip(found["severities"].items(), DOCUMENT, strict=True):
        shares = (f"{by_name[name][0]:.3f}" if by_name[name][0] else "0" for name in NAMES)
        means = (f"{statistics.fmean(by_name[name][1]):.3f}" for name in NAMES)
        table.append((severity, *shares, *means, f"{published:.2f}"))
    columns = ("severity", *(f"changed: {name}" for name in NAMES), *(f"accuracy: {name}" for name in NAMES))
    publish("severities", (*columns, "accuracy: the package's README"), table)


if __name__ == "__main__":
    main()
