"""Engines: one folder on threads, Ray and Spark: digests, speed after start-up, and memory of a worker.

    python benchmarks/engines.py [GIGABYTES]…

The rows are the bundled reviews, repeated; every eighth has a word that occurs nowhere else. The engines take
turns over each folder, with two workers each; a small folder before it makes them load what they need.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from publish import publish
from salva.rows import reviews
from salva.transforms import ENGINES, transform_folder

PARTS, PART_BYTES = 10, 50_000_000  # at least so many, at most so large
WORKERS = 2
# How the command lines of workers look; the local engine has only the process itself.
TITLES = {"ray": "ray::", "spark": "pyspark.daemon"}
BARS = {"ray": "≥ 0.8", "spark": "≥ 0.6"}


class Run(NamedTuple):
    """What was measured: start-up and work in seconds, the peak of a worker in megabytes, the digest."""

    startup: float
    seconds: float
    peak: float
    digest: str


def lines() -> Iterator[bytes]:
    """Yield reviews as JSON lines forever, each with an id of its own."""
    base = [*reviews("train").to_pylist(), *reviews("test").to_pylist()]
    texts = [(json.dumps(row["text"])[1:-1], json.dumps(row["label"])) for row in base]
    number = 0
    while True:
        for text, label in texts:
            number += 1
            new = "" if number % 8 else f" {new_word(number)}."
            yield f'{{"id": {number}, "text": "{text}{new}", "label": {label}}}\n'.encode()


def new_word(number: int) -> str:
    """Return a word of eight letters, another one for every number."""
    letters = []
    for _ in range(8):
        number, letter = divmod(number, 26)
        letters.append(chr(97 + letter))
    return "".join(letters)


def write_folder(folder: Path, size: int) -> float:
    """Write parts of JSON lines, about `size` bytes in all; return how many megabytes they have."""
    folder.mkdir()
    rows, written, part = lines(), 0, min(size // PARTS, PART_BYTES)
    while written < size:
        path = folder / f"part-{written // part:05}.jsonl"
        with path.open("wb") as stream:
            while stream.tell() < part:
                stream.write(b"".join(islice(rows, 1000)))
            written += stream.tell()
    return written / 1e6


def measure(engine: str, folder: Path, source: Path) -> Run:
    """Transform a folder in a process of its own, and watch its workers."""
    command = [sys.executable, __file__, "--run", engine, str(folder), str(source)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0.0
    while process.poll() is None:
        peak = max([peak, *(peak_of(pid) for pid in workers(process.pid, engine))])
        time.sleep(0.5)
    if process.returncode or process.stdout is None:
        raise SystemExit(f"{command} failed with {process.returncode}")
    with process.stdout as stream:
        startup, seconds, digest = json.loads(stream.read().splitlines()[-1])
    return Run(startup, seconds, peak, digest)


def workers(parent: int, engine: str) -> list[int]:
    """Return the processes that an engine works in."""
    if engine == "local":
        return [parent]
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parts[2])] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family = {parent}
    while more := {pid for pid, above in parents.items() if above in family} - family:
        family |= more
    return [pid for pid in family if TITLES[engine] in command_line(pid)]


def command_line(pid: int) -> str:
    """Return the command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def peak_of(pid: int) -> float:
    """Return the peak resident megabytes of a process."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line), 0.0)


def run(engine: str, folder: Path, source: Path) -> None:
    """Start an engine, let its workers load what they need, and transform a folder."""
    started = time.perf_counter()
    with ENGINES[engine](None, WORKERS):
        how: dict[str, Any] = {"preset": "hybrid", "engine": engine, "threads": WORKERS}
        transform_folder(folder / "warm", folder / "warm-out", **how)
        begun = time.perf_counter()
        done = transform_folder(source, folder / "out", **how)
        ended = time.perf_counter()
    for name in ("warm-out", "out"):
        shutil.rmtree(folder / name)
    print(json.dumps([begun - started, ended - begun, done.digest]))


def main() -> None:
    """Measure and publish."""
    table: list[list[str]] = []
    paces: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_folder(folder / "warm", 8_000_000)
        for gigabytes in map(float, sys.argv[1:] or ["0.5", "5"]):
            size = write_folder(folder / "in", int(gigabytes * 1e9))
            runs = {engine: measure(engine, folder, folder / "in") for engine in ENGINES}
            shutil.rmtree(folder / "in")
            if len({each.digest for each in runs.values()}) > 1:
                raise SystemExit(f"the digests differ: {runs}")
            for engine, each in runs.items():
                pace = paces.setdefault(engine, each.seconds / size)
                ratio = runs["local"].seconds / each.seconds
                table.append(
                    [
                        f"`{engine}`, {size / 1000:.1f} GB",
                        f"{size / each.seconds:.1f} MB/s",
                        f"{ratio:.2f}",
                        BARS.get(engine, ""),
                        f"{each.seconds / size / pace:.2f}",
                        f"{each.peak:.0f} MB",
                        f"{each.startup:.0f} s",
                    ]
                )
                print(table[-1], flush=True)
    columns = [
        "engine, folder",
        "speed",
        "times the speed of `local`",
        "bar",
        "time per byte, against the first size",
    ]
    publish("engines", [*columns, "peak memory of a worker (< 1,000 MB)", "start-up"], table)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
