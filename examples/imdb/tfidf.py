"""TF-IDF and logistic regression on film reviews: the model that every other one should beat.

    python examples/imdb/tfidf.py train.parquet -o tfidf.skops
    salva evaluate test.parquet --model skops:tfidf.skops -o run

Words that occur in at least two reviews. Needs the extra `skops`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pyarrow.parquet as pq
import skops.io
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline


def train(texts: list[str], labels: list[int]) -> Pipeline:
    """Return the fitted pipeline."""
    words = TfidfVectorizer(min_df=2, sublinear_tf=True)
    return make_pipeline(words, LogisticRegression(max_iter=200)).fit(texts, labels)


def main() -> None:
    """Train on a file with the columns text and label, and save the model."""
    parser = argparse.ArgumentParser(description="Train TF-IDF and logistic regression on film reviews.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    table = pq.read_table(given.data, columns=["text", "label"])
    given.output.parent.mkdir(parents=True, exist_ok=True)
    partial = given.output.with_suffix(".partial")
    skops.io.dump(train(table["text"].to_pylist(), table["label"].to_pylist()), partial)
    partial.replace(given.output)


if __name__ == "__main__":
    main()
