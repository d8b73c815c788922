"""Large files: `salva convert` and `salva transform` compared with `cp` and with a script, and their memory.

    python benchmarks/streaming.py [MEGABYTES [MEGABYTES_TO_TRANSFORM]]

The rows are short: the bundled reviews, repeated, 300 bytes each. Whole commands are measured, from start to
exit. Ratios are by the clock, on all cores, with the programs measured alternately: the machine must be idle.
Each program writes a new file: onto an old one, whose pages it frees first, `cp` takes twice as long.
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from publish import publish
from salva.rows import reviews

TURNS = 3
COMPILING = 20_000_000  # bytes, so many that the kernels that read files are compiled, too
PRESETS = ("typos", "synonyms", "corrupt", "hybrid", "natural")
SCRIPT = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], "w", encoding="utf-8") as target:
    for line in source:
        row = json.loads(line)
        row["text"] = " ".join(row["text"].split())
        target.write(json.dumps(row, ensure_ascii=False) + "\\n")
"""
SALVA = (sys.executable, "-m", "salva")


class Measured(NamedTuple):
    """What a command took: seconds by the clock and of the processor, and megabytes of memory at its peak."""

    seconds: float
    processor: float
    peak: float


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


def measured(*command: str, target: Path) -> Measured:
    """Return what a command takes that writes a file."""
    target.unlink(missing_ok=True)
    started = time.perf_counter()
    process = subprocess.Popen([*command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed with {status}")
    seconds = time.perf_counter() - started
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def alternate(*commands: tuple[str, ...], targets: Sequence[Path]) -> list[Measured]:
    """Return the medians of what each of some commands takes, run in turns, each with its target."""
    pairs = list(zip(commands, targets, strict=True))
    turns = [[measured(*command, target=target) for command, target in pairs] for _ in range(TURNS)]
    return [
        Measured(*(statistics.median(some) for some in zip(*runs, strict=True)))
        for runs in zip(*turns, strict=True)
    ]


def converting(folder: Path, kind: str, write: Callable[[Path, int], None], size: int) -> list[list[str]]:
    """Return the rows about `salva convert` from one format to itself and to the other."""
    source, copy = folder / f"in.{kind}", folder / "copy"
    write(source, size)
    megabytes = source.stat().st_size / 1e6
    table = []
    for other in ("csv", "jsonl"):
        target = folder / f"out.{other}"
        convert = (*SALVA, "convert", str(source), "-o", str(target), "--overwrite", "-q")
        measured(*convert, target=target)  # which may compile
        ours, cp, synced = alternate(
            convert,
            ("cp", str(source), str(copy)),
            ("sh", "-c", f"cp {source} {copy} && sync {copy}"),
            targets=[target, copy, copy],
        )
        what = f"`salva convert`, {kind} to {other}, {megabytes:.0f} MB"
        speed = f"{megabytes / ours.processor:.0f} MB per second of processor time"
        times, waited = ours.seconds / cp.seconds, ours.seconds / synced.seconds
        ratio = f"{times:.1f} times its time ({waited:.1f} times that of `cp` and `sync`)"
        table += [
            [what, "", f"{speed}, {ours.peak:.0f} MB of peak memory", "≥ 100 MB"],
            ["the same", "`cp`", ratio, "≤ 3" if kind == other else ""],
        ]
    return table


def transforming(folder: Path, size: int) -> list[list[str]]:
    """Return the rows about `salva transform`, each preset against a script."""
    source, target, small = folder / "in.jsonl", folder / "out.jsonl", folder / "small.jsonl"
    write_jsonl(source, size)
    write_jsonl(small, min(size, COMPILING))
    for preset in PRESETS:
        measured(*transform(small, target, preset), target=target)  # which may compile
    script_command = (sys.executable, "-c", SCRIPT, str(source), str(target))
    commands = [*(transform(source, target, preset) for preset in PRESETS), script_command]
    *ours, script = alternate(*commands, targets=[target] * len(commands))
    megabytes = source.stat().st_size / 1e6
    table = []
    for preset, took in zip(PRESETS, ours, strict=True):
        what = f"`salva transform --preset {preset}`, {megabytes:.0f} MB of jsonl"
        speed = f"{megabytes / took.seconds:.0f} MB/s, {megabytes / took.processor:.0f} MB per CPU second"
        ratio = (
            f"{took.seconds / script.seconds:.2f} times its time ({speed}, {took.peak:.0f} MB of peak memory)"
        )
        table.append([what, "a script that reads, splits, joins and writes", ratio, "≤ 1.5, ≥ 60 MB/s"])
    return table


def transform(source: Path, target: Path, preset: str) -> tuple[str, ...]:
    """Return the command that transforms a file."""
    return (*SALVA, "transform", str(source), "-o", str(target), "--preset", preset, "--overwrite", "-q")


def main() -> None:
    """Measure and publish."""
    given = [1_000_000 * int(argument) for argument in sys.argv[1:]]
    size, transformed = given + [1_000_000_000, 2_000_000_000][len(given) :]
    table = []
    for kind, write in {"csv": write_csv, "jsonl": write_jsonl}.items():
        with tempfile.TemporaryDirectory() as folder:
            table += converting(Path(folder), kind, write, size)
    with tempfile.TemporaryDirectory() as folder:
        table += transforming(Path(folder), transformed)
    publish("streaming", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
