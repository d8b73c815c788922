"""Large files: `salva transform`, its memory, and a plain script that reads, transforms and writes.

    python benchmarks/streaming.py [MEGABYTES [MEGABYTES_OF_THE_LARGEST]]

The rows are short: the bundled reviews, repeated, 300 bytes each. Whole commands are measured, from start to
exit, in processor time, with the programs measured alternately. The script uses the same libraries, and has
one thread; it neither checks rows nor digests files.
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from publish import publish
from salva.rows import reviews

TURNS = 3
SCRIPT = """
import sys
import msgspec, pyarrow as pa, pyarrow.csv, pyarrow.parquet as pq
import salva

source, target = sys.argv[1:]
transform = salva.preset("typos")

def change(batch):
    place = batch.schema.get_field_index("text")
    texts = transform.transform(batch.column(place), threads=1).transformed
    return batch.set_column(place, batch.schema.field(place), pa.array(texts, batch.schema.field(place).type))

if source.endswith("jsonl"):
    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    encode_lines = msgspec.json.Encoder().encode_lines
    with open(source, "rb") as lines, open(target, "wb") as out:
        while some := lines.readlines(1 << 20):
            rows = [decode(line) for line in some]
            texts = transform.transform([msgspec.json.decode(row["text"]) for row in rows], threads=1)
            for row, text in zip(rows, texts.transformed):
                row["text"] = text
            out.write(encode_lines(rows))
elif source.endswith("csv"):
    types = pa.csv.ConvertOptions(column_types=dict.fromkeys(["id", "text", "label"], pa.large_string()))
    read = pa.csv.ReadOptions(use_threads=False)
    with pa.csv.open_csv(source, read, pa.csv.ParseOptions(newlines_in_values=True), types) as batches:
        with pa.csv.CSVWriter(target, batches.schema) as out:
            for batch in batches:
                out.write_batch(change(batch))
else:
    file = pq.ParquetFile(source)
    with pq.ParquetWriter(target, file.schema_arrow, compression="zstd") as out:
        for batch in file.iter_batches(4096, use_threads=False):
            out.write_batch(change(batch))
"""


class Measured(NamedTuple):
    """What a command took: seconds of the processor, and megabytes of memory at its peak."""

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


def write_parquet(path: Path, size: int) -> None:
    """Write rows of at least `size` bytes of text as Parquet."""
    schema, some, written = pa.schema(dict.fromkeys(["id", "text", "label"], pa.string())), [], 0
    with pq.ParquetWriter(path, schema) as out:
        for row in rows():
            some.append(row)
            written += len(row["text"])
            if len(some) == 10_000:
                out.write_table(pa.Table.from_pylist(some, schema))
                some = []
                if written >= size:
                    return


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}


def measured(*command: str) -> Measured:
    """Return what a command takes."""
    process = subprocess.Popen([*command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed with {status}")
    return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def command(source: Path, target: Path, preset: str) -> tuple[str, ...]:
    """Return the command that transforms a file."""
    salva = (sys.executable, "-m", "salva", "transform", str(source), "-o", str(target), "--overwrite", "-q")
    return *salva, "--threads", "1", "--preset", preset


def compare(folder: Path, kind: str, size: int, largest: int) -> list[list[str]]:
    """Return the rows about one format."""
    source, target = folder / f"in.{kind}", folder / f"out.{kind}"
    WRITERS[kind](source, size)
    script = (sys.executable, "-c", SCRIPT, str(source), str(target))
    measured(*command(source, target, "typos"))  # which may compile
    usual, none = command(source, target, "typos"), command(source, target, "none")
    turns = [[measured(*each) for each in (usual, script, none)] for _ in range(TURNS)]
    times = (statistics.median(run.processor for run in runs) for runs in zip(*turns, strict=True))
    ours, theirs, passing = times
    peak = turns[0][0].peak
    WRITERS[kind](source, largest)
    grown = measured(*usual)
    return [
        [
            f"`salva transform --preset typos`, {kind}, {size // 1_000_000} MB",
            "a script that reads, transforms and writes",
            f"{ours / theirs:.2f} times its processor time ({ours:.1f} s)",
            "≤ 1.5",
        ],
        [f"`salva transform --preset none`, {kind}", "", f"{size / passing / 1e6:.0f} MB per CPU second", ""],
        [
            f"memory with {kind}, {size // 1_000_000} and {largest // 1_000_000} MB",
            "",
            f"{peak:.0f} and {grown.peak:.0f} MB at the peak",
            "flat",
        ],
    ]


def main() -> None:
    """Measure and publish."""
    given = [1_000_000 * int(argument) for argument in sys.argv[1:]]
    size, largest = given + [200_000_000, 2_000_000_000][len(given) :]
    table = []
    for kind in WRITERS:
        with tempfile.TemporaryDirectory() as folder:
            table += compare(Path(folder), kind, size, largest)
    publish("streaming", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
