"""Transforms compared with copying text: the library, the whole command, its memory, and two threads.

    python benchmarks/transforms.py [ROWS] [--no-memory]

Needs the IMDB reviews in `../shared`. The least that a Python program can do with a text is to split and join
it; every figure is a ratio to that, with both measured alternately in the same run.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish
from timing import control_gain, seconds

REVIEWS = ROOT.parent / "shared/data/imdb/test.parquet"
SCRIPT = """
import sys, pyarrow as pa, pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
texts = [" ".join(text.split()) for text in table["text"].to_pylist()]
table = table.set_column(table.column_names.index("text"), "text", pa.array(texts))
pq.write_table(table, sys.argv[2], compression="zstd")
"""
TURNS = 5
BIG_BYTES = 2_000_000_000


def split_and_join(texts: list[str]) -> list[str]:
    """Do the least that a Python program can do with a text."""
    return [" ".join(text.split()) for text in texts]


def ratio(
    ours: Callable[[], object], theirs: Callable[[], object], turns: int = TURNS
) -> tuple[float, float]:
    """Return their time divided by ours, both medians over the turns, and our seconds."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(turns)]
    own, other = statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)
    return other / own, own


def copying(column: pa.Array) -> list[list[str]]:
    """Return the rows that compare splicing, with edit arrays filled, with split and join."""
    texts = column.to_pylist()
    return [row for name in salva.presets() for row in copying_by(name, column, texts)]


def copying_by(name: str, column: pa.Array, texts: list[str]) -> list[list[str]]:
    """Return the rows about one preset at its default severity."""
    transform = salva.preset(name, render="splice")

    def work() -> object:
        return transform.transform(column, threads=1).places

    cold = seconds(work)
    twins = transform.transform(column, threads=1)
    strings = seconds(lambda: twins.edits)
    speed, own = ratio(work, lambda: split_and_join(texts))
    title = f"`{name}` at {transform.severity:g}, splice, one thread"
    measured = f"{speed:.2f} times its speed ({column.nbytes / 1e6 / own:.0f} MB/s)"
    rest = f"{cold / own:.1f} and {strings / own:.2f} times its time"
    return [
        [title, "split and join", measured, "≥ 0.4" if name in ("corrupt", "typos") else ""],
        [
            f"`{name}`: total time on new words; extra time for the edits as strings",
            "the row above",
            rest,
            "",
        ],
    ]


def threads(column: pa.Array) -> list[list[str]]:
    """Return the rows about two threads."""
    control = control_gain()
    table = []
    for name in salva.presets():
        transform = salva.preset(name)
        transform.transform(column)

        def work(count: int, transform: salva.transforms.Transform = transform) -> object:
            return transform.transform(column, threads=count).column

        gain = statistics.median(seconds(partial(work, 1)) / seconds(partial(work, 2)) for _ in range(TURNS))
        measured = f"{gain / control:.2f} of that ({gain:.2f} times as fast)"
        against = f"digesting bytes, {control:.2f} times as fast"
        table.append([f"`{name}`: two threads instead of one", against, measured, "≥ 0.85"])
    return table


def command(rows: int) -> list[list[str]]:
    """Return the rows about the whole command, with compiled kernels and two threads."""
    table = []
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        pq.write_table(pq.read_table(REVIEWS).slice(0, rows), source)
        run = partial(subprocess.run, capture_output=True, check=True)
        for name in salva.presets():
            arguments = ["transform", source, "-o", out, "--preset", name, "--threads", "2", "--overwrite"]
            ours = partial(run, [sys.executable, "-m", "salva", *map(str, arguments)])
            ours()
            speed, _ = ratio(ours, partial(run, [sys.executable, "-c", SCRIPT, source, out]), 5)
            against = "a script that reads, splits, joins and writes"
            table.append(
                [f"`salva transform --preset {name}`", against, f"{1 / speed:.1f} times its time", "≤ 4"]
            )
    return table


def memory() -> list[list[str]]:
    """Return the row about a file of two gigabytes."""
    texts = pq.read_table(REVIEWS)["text"].to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        with source.open("w") as stream:
            row = 0
            while stream.tell() < BIG_BYTES:
                stream.writelines(json.dumps({"id": row + i, "text": t}) + "\n" for i, t in enumerate(texts))
                row += len(texts)
        arguments = ["transform", str(source), "-o", str(out), "--preset", "corrupt", "-q"]
        taken = seconds(lambda: subprocess.run([sys.executable, "-m", "salva", *arguments], check=True))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        size = source.stat().st_size / 1e6
    measured = f"{peak:.0f} MB of peak memory ({size / taken:.0f} MB/s)"
    return [["`salva transform` of 2 GB of jsonl", "", measured, "< 600 MB"]]


def main() -> None:
    """Measure and publish."""
    options = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    rows = int(options[0]) if options else 25_000
    table = [] if "--no-memory" in sys.argv else memory()
    column = pq.read_table(REVIEWS)["text"].slice(0, rows).combine_chunks().cast(pa.large_string())
    table = copying(column) + threads(column) + command(rows) + table
    publish("transforms", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
