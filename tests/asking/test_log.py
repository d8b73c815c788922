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

YES, NO = Answer("yes", 0.75, truncated=False), Answer("no", None, truncated=True)
ONE, TWO, THREE = (bytes([k]) * 16 for k in (1, 2, 3))
WRITER = """
import sys
from pathlib import Path
from salva.runs import Answer, AnswerStore
with AnswerStore(Path(sys.argv[1]), "m") as store:
    for batch in range(10_000):
        ids = [(batch * 100 + k).to_bytes(16, "big") for k in range(100)]
        store.add(dict.fromkeys(ids, Answer("a", None, False)))
        print(batch, flush=True)
"""


def test_an_answer_comes_back_as_it_was(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add({ONE: YES, TWO: NO})
    with AnswerStore(tmp_path / "run.db", "m") as store:
        assert store.find([ONE, TWO, THREE]) == {ONE: YES, TWO: NO}


def test_an_answer_of_another_model_is_never_found(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add({ONE: YES})
    with AnswerStore(tmp_path / "run.db", "other") as store:
        assert store.find([ONE]) == {}


def test_two_models_of_one_file_give_the_same_label(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store, AnswerStore(tmp_path / "run.db", "judge") as other:
        other.add({ONE: NO})
        store.add({ONE: YES, TWO: NO})
        other.add({TWO: YES})
        assert store.find([ONE, TWO]) == {ONE: YES, TWO: NO}
        assert other.find([ONE, TWO]) == {ONE: NO, TWO: YES}


def test_askings_are_kept_apart(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add({ONE: YES}, purpose=Purpose.AGAIN)
        assert store.find([ONE]) == {}
        assert (store.count(), store.count(purpose=Purpose.AGAIN)) == (0, 1)


def test_many_texts_are_found_at_once(tmp_path):
    ids = [k.to_bytes(16, "big") for k in range(2_345)]
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add(dict.fromkeys(ids, YES))
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
            store.add({k.to_bytes(16, "big"): YES for k in range(9_999)})
        assert store.find([(0).to_bytes(16, "big")]) == {}


def changed(path, statement, *values):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_an_answer_with_any_flipped_bit_is_never_given(tmp_path):
    path, ids = tmp_path / "run.db", [bytes([bit] * 16) for bit in range(192)]
    with AnswerStore(path, "m") as store:
        store.add(dict.fromkeys(ids, YES))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        stored = dict(connection.execute("SELECT text, answer FROM answers"))
        for bit, name in enumerate(ids):
            flipped = (int.from_bytes(stored[name], "big") ^ 1 << bit).to_bytes(24, "big")
            connection.execute("UPDATE answers SET answer = ? WHERE text = ?", (flipped, name))
        connection.commit()
    with AnswerStore(path, "m") as store:
        for name in ids:
            with pytest.raises(StorageError, match=r"run\.db: database holds an answer that was changed"):
                store.find([name])


@pytest.mark.parametrize(
    "change",
    [
        f"UPDATE answers SET text = x'{'02' * 16}' WHERE text < x'02'",
        "UPDATE answers SET purpose = 1",
        "UPDATE answers SET answer = substr(answer, 2)",
        "UPDATE labels SET name = 'yet' WHERE name = 'yes'",
        "DELETE FROM labels",
        "UPDATE models SET digest = 'x'",
    ],
)
def test_an_answer_to_another_question_is_never_given(tmp_path, change):
    path = tmp_path / "run.db"
    with AnswerStore(path, "m") as store:
        store.add({ONE: YES, THREE: NO})
    changed(path, change)
    with (
        AnswerStore(path, "x" if "models" in change else "m") as store,
        pytest.raises(StorageError, match=r"run\.db: database holds an answer that was changed"),
    ):
        store.find([ONE, TWO], Purpose.AGAIN if "purpose" in change else Purpose.FIRST)


OLD = """
CREATE TABLE models (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE answers (
    model INTEGER NOT NULL, purpose INTEGER NOT NULL, text BLOB NOT NULL,
    label INTEGER NOT NULL, probability REAL, truncated INTEGER NOT NULL,
    PRIMARY KEY (model, purpose, text)
) STRICT, WITHOUT ROWID;
INSERT INTO models VALUES (1, 'other'), (2, 'm');
INSERT INTO labels VALUES (1, 'yes'), (2, 'no');
INSERT INTO answers VALUES (2, 0, x'01010101010101010101010101010101', 1, 0.75, 0);
INSERT INTO answers VALUES (2, 0, x'02020202020202020202020202020202', 2, NULL, 1);
INSERT INTO answers VALUES (1, 1, x'03030303030303030303030303030303', 1, 0.75, 0);
"""
CHECKSUMS = """
ALTER TABLE answers ADD COLUMN checksum INTEGER;
UPDATE answers SET checksum = CASE label + model WHEN 3 THEN 3772097954 WHEN 4 THEN 4283158087 END;
"""


def write_old(path, version):
    """Write a store as an older version did; in version 2, most answers have checksums."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD + (CHECKSUMS if version == 2 else ""))
        connection.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_store_is_read_and_goes_on(tmp_path, version):
    path = tmp_path / "run.db"
    write_old(path, version)
    before = listed(tmp_path)
    with AnswerStore(path, "m", read_only=True) as store:
        assert store.find([ONE, TWO, THREE]) == {ONE: YES, TWO: NO}
    assert listed(tmp_path) == before
    with AnswerStore(path, "m") as store:
        store.add({THREE: NO})
        assert store.find([ONE, TWO, THREE]) == {ONE: YES, TWO: NO, THREE: NO}
    with AnswerStore(path, "other", read_only=True) as store:
        assert (store.find([THREE]), store.find([THREE], Purpose.AGAIN)) == ({}, {THREE: YES})


@pytest.mark.parametrize("read_only", [False, True])
def test_an_older_store_with_a_changed_answer_is_refused_and_left_as_it_is(tmp_path, read_only):
    path = tmp_path / "run.db"
    write_old(path, 2)
    changed(path, "UPDATE answers SET label = 2 WHERE label = 1 AND model = 2")
    for _ in range(2):
        with pytest.raises(StorageError, match="an answer that was changed"):
            AnswerStore(path, "m", read_only=read_only)


def listed(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())}


def test_reading_alone_writes_nothing(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add({ONE: YES})
    before = listed(tmp_path)
    with AnswerStore(tmp_path / "run.db", "m", read_only=True) as store:
        assert store.find([ONE]) == {ONE: YES}
    with AnswerStore(tmp_path / "run.db", "other", read_only=True) as store:
        assert (store.find([ONE]), store.count()) == ({}, 0)
    assert listed(tmp_path) == before


def test_reading_alone_finds_what_is_still_in_the_log(tmp_path):
    with AnswerStore(tmp_path / "run.db", "m") as store:
        store.add({ONE: YES})
        with AnswerStore(tmp_path / "run.db", "m", read_only=True) as reader:
            assert reader.find([ONE]) == {ONE: YES}


def test_reading_alone_makes_no_store(tmp_path):
    with pytest.raises(InputError, match=r"run.db: no such file; the answers of the run are gone"):
        AnswerStore(tmp_path / "run.db", "m", read_only=True)
    (tmp_path / "run.db").touch()
    with pytest.raises(InputError, match=r"run.db: holds no answers"):
        AnswerStore(tmp_path / "run.db", "m", read_only=True)
    assert listed(tmp_path).keys() == {tmp_path.name, "run.db"}
