"""Stored answers: whole batches, found by model and text."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from salva.errors import InputError, StorageError
from salva.runs import Answer, AnswerStore, Purpose

YES = Answer("yes", 0.75, truncated=False)
WRITER = """
import sys
from pathlib import Path
from salva.runs import Answer, AnswerStore
with AnswerStore(Path(sys.argv[1]), "m") as store:
    for batch in range(10_000):
        ids = [(batch * 100 + k).to_bytes(16, "big") for k in range(100)]
        store.add([(name, Answer("a", None, False)) for name in ids])
        print(batch, flush=True)
"""


def test_an_answer_comes_back_as_it_was(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES), (b"2", Answer("no", None, truncated=True))])
    with AnswerStore(tmp_path / "run.db", "m") as store:
        assert store.find([b"1", b"2", b"3"]) == {b"1": YES, b"2": Answer("no", None, truncated=True)}


def test_an_answer_of_another_model_is_never_found(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES)])
    with AnswerStore(tmp_path / "run.db", "other") as store:
        assert store.find([b"1"]) == {}


def test_askings_are_kept_apart(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES)], purpose=Purpose.AGAIN)
        assert store.find([b"1"]) == {}
        assert (store.count(), store.count(purpose=Purpose.AGAIN)) == (0, 1)


def test_many_texts_are_found_at_once(tmp_path):
    ids = [k.to_bytes(16, "big") for k in range(2_345)]
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(name, YES) for name in ids])
        assert len(store.find(ids)) == len(ids)


def test_a_kill_leaves_whole_batches(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, tmp_path / "run.db"], stdout=subprocess.PIPE, text=True
    )
    for _ in range(20):
        process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with AnswerStore(tmp_path / "run.db", "m") as store:
        assert store.count() >= 2_000
        assert store.count() % 100 == 0


def test_a_file_of_another_kind_or_a_newer_one_is_refused(tmp_path):
    (tmp_path / "text.db").write_bytes(b"not a data base" * 100)
    with pytest.raises(StorageError, match="not a database"):
        AnswerStore(tmp_path / "text.db", "m")
    with sqlite3.connect(tmp_path / "new.db") as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(InputError, match="has version 7"):
        AnswerStore(tmp_path / "new.db", "m")


def test_a_full_disk_is_one_line(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store._connection.execute("PRAGMA max_page_count = 10")
        with pytest.raises(StorageError, match="full; free some space and run again with resume=True"):
            store.add(
                [(k.to_bytes(16, "big"), Answer("x" * 100, None, truncated=False)) for k in range(9_999)]
            )
        assert store.find([(0).to_bytes(16, "big")]) == {}


@pytest.mark.parametrize(
    "change", ["label = 9", "label = 2", "probability = 0.5", "truncated = 1", "text = x'32'"]
)
def test_an_answer_that_was_changed_is_never_given(tmp_path, change):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES), (b"3", Answer("no", None, truncated=False))])
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        connection.execute(f"UPDATE answers SET {change} WHERE text = x'31'")
        connection.commit()
    with (
        AnswerStore(tmp_path / "run.db", "m") as store,
        pytest.raises(StorageError, match=r"run\.db: database holds an answer that was changed"),
    ):
        store.find([b"1", b"2"])


def test_a_store_without_checksums_is_read_and_goes_on(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES)])
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        connection.execute("ALTER TABLE answers DROP COLUMN checksum")
        connection.execute("PRAGMA user_version = 1")
    with AnswerStore(tmp_path / "run.db", "m", read_only=True) as store:
        assert store.find([b"1"]) == {b"1": YES}
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"2", YES)])
        assert store.find([b"1", b"2"]) == {b"1": YES, b"2": YES}


def listed(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())}


def test_reading_alone_writes_nothing(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES)])
    before = listed(tmp_path)
    with AnswerStore(tmp_path / "run.db", "m", read_only=True) as store:
        assert store.find([b"1"]) == {b"1": YES}
    with AnswerStore(tmp_path / "run.db", "other", read_only=True) as store:
        assert (store.find([b"1"]), store.count()) == ({}, 0)
    assert listed(tmp_path) == before


def test_reading_alone_finds_what_is_still_in_the_log(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add([(b"1", YES)])
        with AnswerStore(tmp_path / "run.db", "m", read_only=True) as reader:
            assert reader.find([b"1"]) == {b"1": YES}


def test_reading_alone_makes_no_store(tmp_path):
    with pytest.raises(InputError, match=r"run.db: no such file; the answers of the run are gone"):
        AnswerStore(tmp_path / "run.db", "m", read_only=True)
    (tmp_path / "run.db").touch()
    with pytest.raises(InputError, match=r"run.db: holds no answers"):
        AnswerStore(tmp_path / "run.db", "m", read_only=True)
    assert listed(tmp_path).keys() == {tmp_path.name, "run.db"}
