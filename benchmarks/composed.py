"""Composed presets compared with their parts, one after the other.

    python benchmarks/composed.py [ROWS]

Needs the IMDB reviews in `../shared`. Seconds are those of the processor, so that other programs on the
machine matter little.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish

REVIEWS = ROOT.parent / "shared/data/imdb/test.parquet"
NAMES = ("natural+typos", "natural+hybrid", "hybrid+corrupt", "natural+hybrid+typos")
SEVERITIES = (1.0, 0.5)
TURNS = 5


def processor_seconds(work: Callable[[], object]) -> float:
    """Return how long a call keeps the processor busy."""
    started = time.process_time()
    work()
    return time.process_time() - started


def ratio(name: str, severity: float, column: pa.Array) -> float:
    """Return the time of a composition divided by that of its parts, both measured alternately."""
    transforms = (salva.preset(each, render="splice", protect=True) for each in (name, *name.split("+")))
    both, *parts = (partial(each.transform, column, severity=severity, threads=1) for each in transforms)
    for work in (both, *parts):
        work()  # looks up the words
    turns = [(processor_seconds(both), sum(map(processor_seconds, parts))) for _ in range(TURNS)]
    return statistics.median(ours / theirs for ours, theirs in turns)


def main() -> None:
    """Measure and publish."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    column = pq.read_table(REVIEWS)["text"].combine_chunks().slice(0, rows)
    publish(
        "composed",
        ["what", "against", *(f"at severity {severity:g}" for severity in SEVERITIES)],
        [
            [
                f"`{name}`",
                ", then ".join(f"`{part}`" for part in name.split("+")),
                *(f"{ratio(name, severity, column):.1f} times their time" for severity in SEVERITIES),
            ]
            for name in NAMES
        ],
    )


if __name__ == "__main__":
    main()
