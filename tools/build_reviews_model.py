"""Train the built-in film review classifier on the bundled training split, and write its weights.

    python -m tools.build_reviews_model

Logistic regression on which words occur in a review, fitted by Newton's method, so nothing is random.
`salva.models.builtin` reads the result; a test trains it again and compares.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from salva.models.builtin import features
from salva.rows import reviews

OUT = Path(__file__).parents[1] / "src/salva/models/data/reviews.json"
CLASSES = ("negative", "positive")
LEAST_REVIEWS = 2
PENALTY = 1.0
SCALE = 10_000
ROUNDS = 12


def trained() -> dict[str, Any]:
    """Return the classifier in the form in which it is stored."""
    table = reviews("train")
    found = [features(text) for text in table["text"].to_pylist()]
    counts = Counter(feature for row in found for feature in row)
    names = sorted(feature for feature, count in counts.items() if count >= LEAST_REVIEWS)
    number = {name: i for i, name in enumerate(names)}
    rows = np.zeros((len(found), len(names) + 1))
    rows[:, -1] = 1.0
    for row, present in zip(rows, found, strict=True):
        row[[number[feature] for feature in present if feature in number]] = 1.0
    positive = np.array([label == CLASSES[1] for label in table["label"].to_pylist()], np.float64)
    weights = (newton(rows, positive) * SCALE).round().astype(int).tolist()
    return {
        "classes": list(CLASSES),
        "bias": weights[-1],
        "weights": {name.decode(): weight for name, weight in zip(names, weights, strict=False) if weight},
    }


def newton(rows: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights that minimise the loss; the last one, the bias, is not penalised."""
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[-1] = 1e-6
    weights = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - target) + penalty * weights
        bend = (rows.T * (chance * (1 - chance))) @ rows + np.diag(penalty)
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def main() -> None:
    """Write the weights next to the code that reads them."""
    OUT.write_text(json.dumps(trained(), indent=0, ensure_ascii=False) + "\n", "utf-8")
    print(f"{OUT.name}: {OUT.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
