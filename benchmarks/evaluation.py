"""What an evaluation costs in addition to the model's own predictions.

    python benchmarks/evaluation.py [ROWS]

Needs the IMDB reviews in `../shared` and scikit-learn. Its default TfidfVectorizer with LogisticRegression is
trained, then asked about the test reviews and their twins: four presets at three severities, blame off.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from publish import ROOT, publish
from salva import Options
from salva.evaluation import Run, evaluate

IMDB = ROOT.parent / "shared/data/imdb"
STAGES = ("model", "store", "join", "flips", "score", "report")


def trained(rows: int) -> Pipeline:
    """Return the model."""
    table = pq.read_table(IMDB / "train.parquet").slice(0, rows)
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
    return model.fit(table["text"].to_pylist(), table["label"].to_pylist())


def evaluated(model: Pipeline, rows: int | None) -> Run:
    """Return a run over the test reviews."""
    with tempfile.TemporaryDirectory() as folder:
        data, options = IMDB / "test.parquet", Options()
        evaluate(data, model, options=options.replace(data={"limit": 50}))  # imports modules
        options = options.replace(data={"limit": rows}, measure={"blame_calls": 0, "noise": 0})
        run: Run = evaluate(data, model, out=Path(folder) / "run", options=options)
    return run


def main() -> None:
    """Measure and publish."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else None
    run = evaluated(trained(25_000), rows)
    spent = run.timings
    own = spent["model"]
    lines = [[stage, f"{spent[stage]:.1f}", f"{spent[stage] / own:.2f}"] for stage in STAGES]
    rest = sum(spent[stage] for stage in STAGES) - own
    lines.append(["everything but the model", f"{rest:.1f}", f"{rest / own:.2f}"])
    total = spent["total"]  # less than the sum: stages overlap with the model
    lines.append(["from beginning to end", f"{total:.1f}", f"{total / own:.2f}"])
    print(run.summary())
    if rows is None:
        publish("evaluation", ["stage", "seconds", "relative to the model"], lines)
    else:
        print("\n".join("\t".join(line) for line in lines))


if __name__ == "__main__":
    main()
