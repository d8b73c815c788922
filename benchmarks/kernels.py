"""Whole presets beside those of another checkout, and how kernels share the processor.

    python benchmarks/kernels.py CHECKOUT [PYTHON]

CHECKOUT is another version of Salva, such as the last one whose kernels numba compiled; PYTHON runs it, if it
needs other packages. Both rewrite 700 reviews on one thread, by turns, in processes of their own.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish
from salva._arrow import as_strings
from salva.text.tokens import cut_nltk, cut_sentences

REVIEWS = ROOT.parent / "shared/data/imdb/test.parquet"
ROUNDS, CALLS = 4, 5
PRESETS = ["hybrid", "synonyms", "typos", "corrupt", "natural", "misspellings", "case", "punctuation"]
PRESETS += ["spaces", "contractions", "antonyms", "names", "negation", "numbers"]


def processor_time(work: Callable[[], object]) -> float:
    """Return the least processor time of some calls, after one that fills caches."""
    work()
    spent = []
    for _ in range(CALLS):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


def read_texts(rows: int) -> pa.Array:
    """Return some reviews."""
    return pq.read_table(REVIEWS)["text"].slice(0, rows).combine_chunks()


def measure() -> None:
    """Print the time of each preset, in the version that this process imports."""
    texts = read_texts(700)
    times = {
        name: processor_time(partial(salva.preset(name).transform, texts, threads=1)) for name in PRESETS
    }
    print(json.dumps(times))


def compare(checkout: Path, python: str) -> list[list[str]]:
    """Return the rows about presets here and in another checkout."""
    best: dict[tuple[Path, str], float] = {}
    for _ in range(ROUNDS):
        for root, interpreter in ((ROOT, sys.executable), (checkout, python)):
            environment = os.environ | {"PYTHONPATH": f"{root / 'src'}:{ROOT / 'benchmarks'}"}
            command = [interpreter, __file__, "--measure"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            for name, taken in json.loads(done.stdout.splitlines()[-1]).items():
                best[root, name] = min(best.get((root, name), math.inf), taken)
    speeds = {name: best[checkout, name] / best[ROOT, name] for name in PRESETS}
    table = [
        [f"`{name}`", "the other version", f"{speed:.2f} times its speed", "≥ 0.8"]
        for name, speed in speeds.items()
    ]
    mean = statistics.geometric_mean(speeds.values())
    return [
        *table,
        ["all presets, geometric mean", "the other version", f"{mean:.2f} times its speed", "≥ 0.9"],
    ]


def share_outside_lock(work: Callable[[], object]) -> float:
    """Return the share of a call on another thread in which this one runs Python."""
    thread = threading.Thread(target=work)
    started, spent = time.perf_counter(), time.thread_time()
    thread.start()
    while thread.is_alive():
        pass
    return (time.thread_time() - spent) / (time.perf_counter() - started)


def sharing() -> list[list[str]]:
    """Return the rows about Python's lock and about two threads."""
    texts = read_texts(8000)
    column = as_strings(texts)
    table = []
    for name, cut in {"sentences": cut_sentences, "words": cut_nltk}.items():
        share = max(share_outside_lock(partial(cut, column)) for _ in range(9))
        what = f"kernels that cut {name}: another thread runs Python"
        table.append([what, "all of their time", f"{100 * share:.0f} %", "≥ 95 %"])
    for name in ("corrupt", "natural"):
        one, two = (
            processor_time(partial(salva.preset(name).transform, texts, threads=count)) for count in (1, 2)
        )
        what = f"`{name}`, two threads: processor time"
        table.append([what, "one thread", f"{two / one:.2f} times its time", "≤ 1.1"])
    return table


def main() -> None:
    """Measure and publish."""
    if sys.argv[1] == "--measure":
        measure()
        return
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    table = compare(Path(sys.argv[1]).resolve(), python) + sharing()
    publish("kernels", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
