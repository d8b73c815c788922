"""Folders in, folders out with the local engine: parts, resuming, faults, fitting, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import salva
from salva._files import digest
from salva.errors import InputError, UsageError
from salva.rows import WriteOptions, reviews
from salva.rows.write import write_table
from salva.transforms import transform_folder
from tests.rows.passing import pass_through
from tests.transforms.conftest import PRESETS

TEXTS = reviews("train")["text"].to_pylist()


def write_parts(folder: Path, count: int, ending: str = "csv", rows: int = 30) -> Path:
    """Write rows of the bundled reviews as parts of a folder."""
    folder.mkdir(parents=True)
    table = reviews("train").slice(0, rows)
    size = -(-rows // count)
    for i in range(count):
        path = folder / f"part-{i:05}.{ending}"
        write_table(path, table.slice(i * size, size), text_column="text")
    return folder


def texts_of(folder: Path) -> list[str]:
    """Return the texts of all parts, in order."""
    found = []
    for path in sorted(path for path in folder.iterdir() if not path.name.startswith(("_", "."))):
        with salva.rows.open_rows(path) as rows:
            found += [text for batch in rows for text in batch.column("text").to_pylist()]
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", PRESETS)
def test_any_partitioning_gives_the_texts_of_one_file(home, name):
    expected = salva.preset(name).transform(TEXTS[:30], seed=5).transformed
    for count in (1, 7):
        transform_folder(write_parts(home / f"in{count}", count), f"out{count}", preset=name, seed=5)
        assert texts_of(home / f"out{count}") == expected


def test_each_part_has_its_name_and_the_run_a_manifest_with_all_digests(home):
    write_parts(home / "in", 2)
    pass_through("in/part-00000.csv", "in/more.jsonl.gz")
    (home / "in/year=2024").mkdir()
    pass_through("in/part-00000.csv", "in/year=2024/a.parquet")
    for name in ("_SUCCESS", ".hidden.csv", "year=2024/_part.csv"):
        (home / "in" / name).write_text("text\nbad\n")
    manifest = transform_folder("in", "out", preset="typos", edits="edits", seed=2)
    outputs = ["more.jsonl.gz", "part-00000.csv", "part-00001.csv", "year=2024/a.parquet"]
    records = [f"_salva/parts/{name}.json" for name in outputs]
    assert names(home / "out") == sorted(
        [*outputs, *records, "_SUCCESS", "_manifest.json", "_salva/settings.json"]
    )
    assert [part.output for part in manifest.parts] == outputs
    for part in manifest.parts:
        assert part.output_digest == digest(home / "out" / part.output)
        assert part.edits_digest == digest(home / "edits" / part.edits)
    written = json.loads((home / "out/_manifest.json").read_text())
    assert written["digest"] == manifest.digest
    assert written["transform"]["summary"]["rows"] == manifest.rows_out == 60
    alone = [
        salva.transform_file(
            f"in/{name}", "x.jsonl", preset="typos", seed=2, output=WriteOptions(overwrite=True)
        ).transform["summary"]["edits"]
        for name in outputs
    ]
    assert (
        written["transform"]["summary"]["edits"]
        == sum(alone)
        == sum(pq.read_table(home / "edits" / part.edits).num_rows for part in manifest.parts)
    )


def test_a_finished_run_is_left_alone_and_what_is_missing_or_changed_is_done_again(home):
    write_parts(home / "in", 4)
    whole = transform_folder("in", "out", preset="typos", seed=1)
    states = {name: (home / "out" / name).stat().st_mtime_ns for name in names(home / "out")}
    assert transform_folder("in", "out", preset="typos", seed=1, resume=True) == whole
    assert states == {name: (home / "out" / name).stat().st_mtime_ns for name in names(home / "out")}
    (home / "out/part-00000.csv").unlink()
    (home / "out/part-00001.csv").write_text("damaged")
    (home / "out/_salva/parts/part-00002.csv.json").write_text("{")
    assert transform_folder("in", "out", preset="typos", seed=1, resume=True) == whole
    changed = [name for name in states if (home / "out" / name).stat().st_mtime_ns != states[name]]
    assert "part-00003.csv" not in changed
    assert {f"part-0000{i}.csv" for i in range(3)} <= set(changed)
    (home / "in/part-00003.csv").write_text("text\nanother text\n")
    again = transform_folder("in", "out", preset="typos", seed=1, resume=True)
    assert again.digest != whole.digest
    assert again.parts[:3] == whole.parts[:3]


def test_a_bad_part_is_named_and_the_others_stay(home, salva):
    write_parts(home / "in", 3)
    good = (home / "in/part-00001.csv").read_text()
    (home / "in/part-00001.csv").write_text(good + "1,2,3,4,5\n")
    done = salva("transform", "in", "-o", "out", "--preset", "typos")
    assert done.code == 3
    assert done.err.startswith("salva: in/part-00001.csv:12: ")
    assert done.err.count("\n") == 1
    assert "--on-bad-row keep" in done.err
    assert [name for name in names(home / "out") if not name.startswith("_")] == [
        "part-00000.csv",
        "part-00002.csv",
    ]
    assert not (home / "out/_SUCCESS").exists()
    kept = (home / "out/part-00000.csv").stat().st_mtime_ns
    (home / "in/part-00001.csv").write_text(good)
    done = salva("transform", "in", "-o", "out", "--preset", "typos", "--resume")
    assert (done.code, (home / "out/part-00000.csv").stat().st_mtime_ns) == (0, kept)
    assert "out, 3 parts: 30 rows in, 30 out" in done.out
    assert (home / "out/_SUCCESS").exists()


def test_a_run_without_a_finished_part_leaves_nothing_behind(home):
    write_parts(home / "in", 2)
    for path in (home / "in").iterdir():
        path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"^in/part-00000.csv: no text column.+; 1 other part failed too$"):
        transform_folder("in", "out", preset="typos")
    assert not (home / "out").exists()


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_bytes(home):
    write_parts(home / "in", 40, rows=240)
    for path in (home / "in").iterdir():
        path.write_text(path.read_text() + "".join(path.read_text().splitlines(True)[1:]) * 100)
    command = [sys.executable, "-m", "salva", "transform", "in", "--preset", "hybrid", "--threads", "2"]
    process = subprocess.Popen([*command, "-o", "out"])
    records = home / "out/_salva/parts"
    while not list(records.glob("*.json")):
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (home / "out/_SUCCESS").exists()
    kept = {path.name: path.stat().st_ino for path in records.glob("*.json")}
    resumed = transform_folder("in", "out", preset="hybrid", resume=True)
    whole = transform_folder("in", "whole", preset="hybrid")
    assert resumed == whole
    assert kept.items() <= {path.name: path.stat().st_ino for path in records.glob("*.json")}.items()
    assert not list((home / "out").glob(".tmp-*"))


def test_words_are_counted_over_all_parts(home):
    write_parts(home / "in", 3)
    (home / "corpus.txt").write_text("movies moved moving\n")
    manifest = transform_folder("in", "out", preset="corrupt", fit=["self", "corpus.txt"])
    pass_through("in/part-00000.csv", "rest.csv")
    files = [*sorted((home / "in").iterdir()), "corpus.txt"]
    [fitted] = salva.transforms.fit_files([salva.preset("corrupt")], files)
    assert tuple(manifest.transform["settings"]["vocabulary"]) == fitted.vocabulary
    assert texts_of(home / "out") == fitted.transform(TEXTS[:30]).transformed


def test_another_format_gives_other_names(home):
    write_parts(home / "in", 2)
    transform_folder("in", "out", preset="typos", output=WriteOptions(format="parquet"))
    assert texts_of(home / "out") == salva.preset("typos").transform(TEXTS[:30]).transformed
    assert (home / "out/part-00000.parquet").exists()
    shutil.copy("in/part-00000.csv", "in/part-00000.tsv")
    with pytest.raises(InputError, match=r"'part-00000.csv' and 'part-00000.tsv' would both become"):
        transform_folder("in", "new", preset="typos", output=WriteOptions(format="parquet"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "dask"}, "engine='dask' must be one of local, ray, spark"),
        ({"address": "ray://x"}, "is for a cluster; name its engine: ray or spark"),
        ({"fit": "self"}, "preset typos has nothing to fit"),
        ({"target": "in"}, "need folders of their own"),
        ({"edits": "out"}, "need folders of their own"),
        ({"severity": 2}, "severity=2 must be between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(home, arguments, message):
    write_parts(home / "in", 1)
    with pytest.raises(UsageError, match=message):
        transform_folder(**{"source": "in", "target": "out", "preset": "typos"} | arguments)
    assert sorted(path.name for path in home.iterdir()) == ["in"]


def test_an_older_run_is_continued_replaced_or_refused(home):
    write_parts(home / "in", 2)
    transform_folder("in", "out", preset="typos", edits="edits")
    with pytest.raises(InputError, match=r"out: holds a run; pass resume=True to continue it"):
        transform_folder("in", "out", preset="typos")
    with pytest.raises(UsageError, match=r"different settings: transform.seed was 0 and is now 1; resume"):
        transform_folder("in", "out", preset="typos", edits="edits", seed=1, resume=True)
    (home / "in/part-00001.csv").unlink()
    with pytest.raises(InputError, match=r"has the part 'part-00001.csv', which the input no longer has"):
        transform_folder("in", "out", preset="typos", edits="edits", resume=True)
    transform_folder("in", "out", preset="typos", edits="edits", seed=1, output=WriteOptions(overwrite=True))
    assert [name for name in names(home / "out") if not name.startswith("_")] == ["part-00000.csv"]
    assert names(home / "edits") == ["part-00000.csv.parquet"]
    (home / "other").mkdir()
    (home / "other/file.csv").write_text("text\n")
    with pytest.raises(InputError, match=r"other: is not empty and holds no run; give another folder"):
        transform_folder("in", "other", preset="typos", output=WriteOptions(overwrite=True))


def test_options_for_folders_are_refused_for_files_and_the_reverse(salva, home):
    write_parts(home / "in", 1)
    one = "in/part-00000.csv"
    done = salva("transform", one, "-o", "out.csv", "--preset", "typos", "--engine", "ray")
    assert (done.code, "is for a folder of data files" in done.err) == (2, True)
    for option in ("--limit", "--preview"):
        output = () if option == "--preview" else ("-o", "out")
        done = salva("transform", "in", *output, "--preset", "typos", option, "3")
        assert (done.code, "is for one file" in done.err) == (2, True)


def test_a_missing_engine_names_its_extra(salva, home, monkeypatch):
    write_parts(home / "in", 1)
    for engine, package in {"ray": "ray", "spark": "pyspark"}.items():
        monkeypatch.setitem(sys.modules, package, None)
        done = salva("transform", "in", "-o", "out", "--preset", "typos", "--engine", engine)
        assert (done.code, f"pip install 'salva[{engine}]'" in done.err) == (2, True)
        assert not (home / "out").exists()
