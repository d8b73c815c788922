"""Ray and Spark give the bytes of the local engine, also when a worker is killed in the middle of a part."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest

import salva
from salva._ray import joined
from salva.rows import open_rows
from salva.transforms import transform_batches, transform_folder
from tests.transforms.conftest import PRESETS
from tests.transforms.test_folders import write_parts

pytestmark = pytest.mark.slow
ENGINES = ("ray", "spark")


@pytest.fixture(scope="module")
def ray():
    """One Ray for all tests, which transforms find and leave running."""
    with joined(cpus=2) as ray:
        yield ray


@pytest.fixture(scope="module")
def spark():
    """One Spark for all tests."""
    import sys

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2,4]").config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(params=ENGINES)
def engine(request):
    request.getfixturevalue(request.param)
    return request.param


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> Path:
    return write_parts(tmp_path_factory.mktemp("data") / "in", 5, "jsonl", rows=60)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_gives_the_same_bytes_on_every_engine(engine, parts, tmp_path, name):
    fit = "self" if name == "corrupt" else None
    here, there = (
        transform_folder(
            parts,
            tmp_path / where,
            preset=name,
            seed=3,
            fit=fit,
            engine=where,
            edits=tmp_path / f"edits-{where}",
        )
        for where in ("local", engine)
    )
    assert here == there
    files = [
        path.relative_to(tmp_path / "local") for path in (tmp_path / "local").rglob("*") if path.is_file()
    ]
    for path in files:
        assert (tmp_path / "local" / path).read_bytes() == (tmp_path / engine / path).read_bytes(), path


def test_a_worker_killed_in_the_middle_of_a_part_changes_nothing(engine, tmp_path):
    folder = write_parts(tmp_path / "in", 4, "jsonl", rows=200)
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes() * 400)
    whole = transform_folder(folder, tmp_path / "whole", preset="hybrid")
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_writer, args=(tmp_path / "out", killed))
    killer.start()
    again = transform_folder(folder, tmp_path / "out", preset="hybrid", engine=engine)
    killer.join()
    assert killed
    assert again == whole
    assert not list((tmp_path / "out").glob(".tmp-*"))


def kill_a_writer(folder: Path, killed: list[int]) -> None:
    """Kill the first process seen that has a half-written part open: stopped first, so that it stays so."""
    while not (folder / "_SUCCESS").exists():
        for pid in writers(folder):
            os.kill(pid, signal.SIGSTOP)
            if pid in writers(folder):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.01)


def writers(folder: Path) -> set[int]:
    """Return the other processes that have a file in a scratch folder open."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.startswith(f"{folder}/.tmp-") and int(link.parts[2]) != os.getpid():
            found.add(int(link.parts[2]))
    return found


def test_a_bad_part_is_one_line_on_every_engine(engine, salva, tmp_path):
    write_parts(tmp_path / "in", 3)
    (tmp_path / "in/part-00001.csv").write_text("text,label\na,b\na,b,c\n")
    done = salva("transform", "in", "-o", "out", "--preset", "typos", "--engine", engine)
    assert done.code == 3
    assert done.err.startswith("salva: in/part-00001.csv:3: ")
    assert "--on-bad-row keep" in done.err
    assert (tmp_path / "out/part-00002.csv").exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # Ray's and Spark's own
def test_batches_of_ray_and_spark_become_what_a_call_makes_of_them(ray, spark, parts):
    with open_rows(parts / "part-00000.jsonl") as rows:
        texts = [text for batch in rows for text in batch.column("text").to_pylist()]
    transform = salva.preset("hybrid")
    expected = transform.transform(texts, seed=1).transformed

    def rewrite(batches):
        return transform_batches(batches, preset=transform, seed=1, threads=1)

    def rewrite_table(table):
        return pa.Table.from_batches(rewrite(table.to_batches()))

    import ray.data

    table = pa.table({"text": texts})
    assert ray.data.from_arrow(table).map_batches(rewrite_table, batch_format="pyarrow").take_all() == [
        {"text": text} for text in expected
    ]
    frame = spark.createDataFrame([(text,) for text in texts], "text string").coalesce(1)
    assert [row.text for row in frame.mapInArrow(rewrite, "text string").collect()] == expected
