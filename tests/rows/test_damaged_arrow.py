"""Arrow and Parquet files that are cut off, damaged, or larger than they look."""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva._arrow import as_strings
from salva.errors import SalvaError
from salva.rows import open_rows
from salva.rows.write import WriteOptions, write_table
from tests.rows.passing import pass_through
from tests.rows.test_bad_bytes import NONE, refused

SCHEMA = pa.schema([("text", pa.string()), ("kind", pa.string())], metadata={"made by": "ours"})
TABLE = pa.table([[f"review {i}" for i in range(40)], ["a", "b"] * 20], schema=SCHEMA)


def stream_of(batches, **options):
    """Return the bytes of an Arrow stream, and where each of its batches ends."""
    sink, ends = io.BytesIO(), []
    with pa.ipc.new_stream(sink, SCHEMA, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
            ends.append(sink.tell())
    return sink.getvalue(), ends


@pytest.mark.parametrize("legacy", [False, True])
def test_46_an_arrow_stream_without_its_end_is_refused(salva, tmp_path, legacy):
    whole, ends = stream_of(TABLE.to_batches(max_chunksize=10), use_legacy_format=legacy)
    for end in ends:
        (tmp_path / "a.arrow").write_bytes(whole[:end])
        assert refused(salva(*NONE, "a.arrow", "-o", "b.csv"), "a.arrow: is cut off: the stream does not")
        assert not (tmp_path / "b.csv").exists()
    (tmp_path / "a.arrow").write_bytes(whole)
    assert salva(*NONE, "a.arrow", "-o", "b.csv").code == 0


@pytest.mark.parametrize("kind", ["file", "stream", "parquet"])
def test_50_names_and_metadata_that_are_not_utf8_are_one_line(salva, tmp_path, kind):
    name = "a.parquet" if kind == "parquet" else "a.arrow"
    sink = io.BytesIO()
    if kind == "parquet":
        pq.write_table(TABLE, sink, store_schema=False)
    else:
        with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(sink, SCHEMA) as writer:
            writer.write_table(TABLE)
    for broken in (b"te\xffxt", b"k\xffnd", b"ki\x80d"):
        sound = b"text" if len(broken) == 5 and broken.startswith(b"te") else b"kind"
        data = sink.getvalue().replace(sound, broken[: len(sound)])
        (tmp_path / name).write_bytes(data)
        refused(salva(*NONE, name, "-o", "b.csv"), name)


@pytest.mark.slow
def test_50_no_flipped_bit_escapes(tmp_path):
    draw = random.Random(50)
    pq.write_table(TABLE, tmp_path / "whole.parquet")
    for kind in (pa.ipc.new_file, pa.ipc.new_stream):
        with kind(tmp_path / f"{kind.__name__}.arrow", SCHEMA) as writer:
            writer.write_table(TABLE)
    for whole in list(tmp_path.iterdir()):
        damaged = tmp_path / f"damaged{whole.suffix}"
        for _ in range(300):
            data = bytearray(whole.read_bytes())
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            damaged.write_bytes(data)
            with contextlib.suppress(SalvaError):
                pass_through(damaged, tmp_path / "out.jsonl", output=WriteOptions(overwrite=True))


def test_an_offset_buffer_of_an_odd_size_is_read():
    offsets = pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0\7")
    column = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    assert as_strings(column).array.to_pylist() == ["a", "b"]


PEAK = """
import re, sys
from pathlib import Path
from salva.rows import open_rows

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10

before = peak()
with open_rows(sys.argv[1]) as rows:
    count = sum(batch.num_rows for batch in rows)
print(count, peak() - before)
"""


def sorted_by_length(path):
    """Write 5,000 short texts, then 4,000 of 100 KB: 400 MB that their first rows do not announce."""
    texts = [*("short" for _ in range(5000)), *(os.urandom(20).hex() * 2500 for _ in range(4000))]
    pq.write_table(pa.table({"text": texts}), path, compression="zstd", row_group_size=1 << 20)
    return len(texts)


def one_long_value(path):
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 4000, pa.int32()), pa.array(["x" * 1_000_000]))
    pq.write_table(pa.table({"text": texts}), path, compression="zstd")
    return 4000


@pytest.mark.slow
@pytest.mark.parametrize("write", [sorted_by_length, one_long_value])
def test_51_memory_is_bounded_by_bytes_not_by_rows(tmp_path, write):
    count = write(tmp_path / "a.parquet")
    command = [sys.executable, "-c", PEAK, tmp_path / "a.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows, megabytes = map(int, done.stdout.split())
    assert (rows, megabytes < 500) == (count, True), megabytes


def test_rows_that_were_decoded_a_few_at_a_time_come_in_large_batches(tmp_path):
    kinds = pa.array(["a", "b"] * 5000).dictionary_encode()
    table = pa.table({"text": [f"review {i}" for i in range(10_000)], "kind": kinds})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=3000)
    with open_rows(tmp_path / "a.parquet") as rows:
        batches = [batch for batch in rows if batch.num_rows]
    assert len(batches) <= 8
    assert pa.Table.from_batches(batches)["text"].to_pylist() == table["text"].to_pylist()


@pytest.mark.slow
def test_a_line_with_many_escaped_keys_takes_as_long_as_it_is(tmp_path):
    """Each copy of the rest of the line would be 50 MB: all of them together take hours."""
    keys = "".join(f'"\\u0041{i}":1,' for i in range(200_000))
    (tmp_path / "a.jsonl").write_text(f'{{{keys}"text":"{"x" * 50_000_000}"}}\n')
    with open_rows(tmp_path / "a.jsonl") as rows:
        assert sum(batch.num_rows for batch in rows) == 1


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "csv"])
def test_27_a_text_that_is_too_long_is_refused_in_every_format(salva, tmp_path, ending):
    table = pa.table({"text": ["short", "x" * 2000]})
    write_table(tmp_path / f"a.{ending}", table, text_column="text")
    outcome = salva(*NONE, f"a.{ending}", "-o", "b.csv", "--max-line-bytes", "1000")
    assert refused(outcome, "longer than", "--max-line-bytes")
    assert salva(*NONE, f"a.{ending}", "-o", "b.csv", "--max-line-bytes", "3000").code == 0
