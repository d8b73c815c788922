"""Bounded memory: a gigabyte of csv and of jsonl, read, checked and written by `salva convert`.

    python benchmarks/streaming.py [MEGABYTES]

The rows are the bundled reviews, repeated. Times are relative to `cp` of the same file in this run.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from publish import publish
from salva.datasets import reviews


def rows() -> Iterator[dict[str, str]]:
    """Yield reviews forever, each with its own id."""
    base = [*reviews("train").to_pylist(), *reviews("test").to_pylist()]
    number = 0
    while True:
        for row in base:
            number += 1
            yield row | {"id": str(number)}


def write_csv(path: Path, size: int) -> None:
    """Write at least `size` bytes of csv."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, ["id", "text", "label"])
        writer.writeheader()
        for row in rows():
            writer.writerow(row)
            if int(row["id"]) % 1000 == 0 and stream.tell() >= size:
                return


def write_jsonl(path: Path, size: int) -> None:
    """Write at least `size` bytes of JSON lines."""
    with path.open("w", encoding="utf-8") as stream:
        for row in rows():
            stream.write(json.dumps(row | {"stars": 3.50, "tags": ["a", {"b": None}]}) + "\n")
            if int(row["id"]) % 1000 == 0 and stream.tell() >= size:
                return


def measured(*command: str) -> tuple[float, float]:
    """Return the seconds and the peak resident megabytes of a command."""
    started = time.perf_counter()
    process = subprocess.Popen([*command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed with {status}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def main() -> None:
    """Measure and publish."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    table = []
    for kind, write in {"csv": write_csv, "jsonl": write_jsonl}.items():
        with tempfile.TemporaryDirectory() as folder:
            source, target, copy = (Path(folder) / f"{name}.{kind}" for name in ("in", "out", "copy"))
            write(source, megabytes * 1_000_000)
            size = source.stat().st_size / 1e6
            copied, _ = measured("cp", str(source), str(copy))
            copy.unlink()
            salva = str(Path(sys.executable).parent / "salva")
            taken, peak = measured(salva, "convert", str(source), "-o", str(target))
        table.append(
            [kind, f"{size:.0f} MB", f"{peak:.0f} MB", f"{size / taken:.0f} MB/s", f"{taken / copied:.0f}"]
        )
    publish("streaming", ["format", "file", "peak memory", "speed", "times the time of `cp`"], table)


if __name__ == "__main__":
    main()
