"""What it takes to make, ask and score a table of questions: processor time, memory, writes, idle models.

    python benchmarks/asking.py [ROWS]

Needs the IMDB reviews in `../shared`: rows are pieces of 320 characters. Models are trivial functions, one of
which takes a millisecond for a text. Every run has a process of its own; no flip is explained.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from publish import ROOT, publish

IMDB = ROOT.parent / "shared/data/imdb"
PIECE = 320
SMALL, LARGE = 100_000, 1_000_000
SCRIPT = """
import json, resource, sys, time

import salva

asked, spent = [], []

def quick(texts):
    asked.append((time.perf_counter(), time.process_time()))
    return ["positive" if len(text) % 2 else "negative" for text in texts]

def slow(texts):
    answers = quick(texts)
    time.sleep(0.001 * len(texts))
    spent.append(time.perf_counter() - asked[-1][0])
    return answers

source, out, name, limit = sys.argv[1:]
options = salva.Options().replace(data={"limit": int(limit)}, measure={"blame_calls": 0})
presets = ["natural", "misspellings", "hybrid", "synonyms"]
run = salva.evaluate(source, globals()[name], presets=presets, severities=1.0, out=out, options=options)
used = resource.getrusage(resource.RUSAGE_SELF)
written = sum(path.stat().st_size for path in run.folder.rglob("*") if path.is_file())
with open("/proc/self/io") as lines:
    moved = dict(line.split(": ") for line in lines)
with open("/proc/self/status") as lines:  # ru_maxrss is also that of the process that started this one
    held = dict(line.split(":", 1) for line in lines)
print(json.dumps({
    "conditions": len(run.results.conditions),
    "processor": used.ru_utime + used.ru_stime,
    "peak": int(held["VmHWM"].split()[0]) / 1024,
    "written": int(moved["write_bytes"]) / 1e6,
    "kept": written / 1e6,
    "first": asked[0][1],
    "busy": sum(spent) / (asked[-1][0] + spent[-1] - asked[0][0]) if spent else None,
}))
"""


def write_pieces(path: Path, size: int) -> None:
    """Write so many pieces of reviews with their labels."""
    reviews = pq.read_table(IMDB / "test.parquet")
    whole = list(zip(reviews["text"].to_pylist(), reviews["label"].to_pylist(), strict=True))
    texts, labels = [], []
    for number in range(size):
        start, k = divmod(number, len(whole))
        text, label = whole[k]
        texts.append(text[start * PIECE :][:PIECE] or f"{text[:PIECE]} {start}")
        labels.append("positive" if label else "negative")
    pq.write_table(pa.table({"text": texts, "label": labels}), path)


def measure(source: Path, model: str, rows: int) -> dict[str, float]:
    """Return what a run took."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SCRIPT, str(source), f"{folder}/run", model, str(rows)]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found: dict[str, float] = json.loads(shown)
        return found


def main() -> None:
    """Measure and publish."""
    large = int(sys.argv[1]) if len(sys.argv) > 1 else LARGE
    small = min(SMALL, large)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pieces.parquet"
        write_pieces(source, large)
        some, many, slow = (
            measure(source, "quick", small),
            measure(source, "quick", large),
            measure(source, "slow", small // 5),
        )
    rows = [
        ["processor time", f"{some['processor']:.1f} s", f"{many['processor']:.0f} s"],
        ["memory at the peak", f"{some['peak']:.0f} MB", f"{many['peak']:.0f} MB"],
        ["written", f"{some['written']:.0f} MB", f"{many['written']:.0f} MB"],
        ["kept in the folder", f"{some['kept']:.0f} MB", f"{many['kept']:.0f} MB"],
        [
            "processor time until the first question, imports included",
            f"{some['first']:.1f} s",
            f"{many['first']:.1f} s",
        ],
        [f"a model of 1 ms for a text, {small // 5:,} rows: busy", f"{100 * slow['busy']:.1f} %", ""],
    ]
    publish("asking", [f"{some['conditions']} conditions", f"{small:,} rows", f"{large:,} rows"], rows)


if __name__ == "__main__":
    main()
