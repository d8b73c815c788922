"""The log of answers: whole batches, with what became of every question, read by any reader of SQLite."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from salva.errors import InputError, StorageError
from salva.evaluation import evaluate
from salva.models import Answers
from salva.questions import Limits
from salva.questions.table import CLEAN
from tests.asking.tables import Echo, ask, block_of, logged, open_log, replies
from tests.conftest import ROOT
from tests.flat import flat

MANY = [str(k) for k in range(2_345)]
WRITER = """
import sys
from pathlib import Path
from tests.asking.tables import Echo, ask, open_log
with open_log(Path(sys.argv[1])) as log:
    for batch in range(10_000):
        ask(Echo(), log, [f"{batch} {k}" for k in range(8)])
        print(batch, flush=True)
"""


class Moody(Echo):
    """Answers, is cut off, refuses or fails, as the text says."""

    def predict(self, texts):
        self.batches.append(list(texts))
        words = [text.rpartition(" ")[2] for text in texts]
        given = [None if word in {"answered", "cut"} else word for word in words]
        labels = [None if word == "failed" else "yes" for word in words]
        return Answers.of(labels, statuses=given, cut=[word == "cut" for word in words])


def ask_moody(folder, **more):
    data = [(f"it is {word}", "yes") for word in ("answered", "truncated", "cut", "refused", "failed")]
    options = flat(noise=0, blame_calls=0, errors=0.9)
    return evaluate(
        data, model := Moody(), presets="case", severities=1, out=folder, options=options, **more
    ), model


def test_the_log_says_what_became_of_every_question(tmp_path):
    run, _ = ask_moody(tmp_path / "run")
    known = {row[1]: row[2:] for row in logged(tmp_path / "run/answers.db")}
    answers = pq.read_table(tmp_path / "run/answers.parquet").to_pylist()
    assert [known[one["key"]] for one in answers if one["condition"] == CLEAN] == [
        ("yes", None, "answered", None),
        ("yes", None, "truncated", None),
        ("yes", None, "answered", "the text was too long for the model and was cut"),
        (None, None, "refused", "the model refused to answer: 'yes'"),
        (None, None, "failed", "the model gave no answer"),
    ]
    assert all(known[one["key"]][2] == one["status"] for one in answers)
    assert [one.error for one in run.results.failures] == [
        "the model gave no answer",
        "the model refused to answer: 'yes'",
    ]


def test_of_all_questions_only_those_that_failed_are_asked_by_the_next_process(tmp_path):
    first, _ = ask_moody(tmp_path / "run")
    again, model = ask_moody(tmp_path / "run", resume=True)
    assert model.batches == [["it is failed"]]
    assert again.results == first.results


def test_an_answer_comes_back_as_it_was(tmp_path, log):
    ask(Echo("b"), log, "ab", limits=Limits(errors=1))
    with open_log(tmp_path) as again:
        assert again.read_block(block_of("abc")) == log.read_block(block_of("abc"))
        assert replies(again, "abc") == ["a!", None, None]


def test_models_of_one_log_have_their_own_answers(tmp_path, log):
    with open_log(tmp_path, "sha256:2") as other:
        ask(Echo(), log, "ab")
        ask(Echo("b"), other, "ab", limits=Limits(errors=1))
        ask(Echo(), log, "c")
        assert (replies(log, "abc"), replies(other, "abc")) == (["a!", "b!", "c!"], ["a!", None, None])


def test_a_question_that_is_asked_again_has_an_answer_of_its_own(log):
    ask(Echo(), log, "a")
    assert (replies(log, "a"), replies(log, "a", time=1)) == (["a!"], [None])


def test_many_answers_are_found_side_by_side_and_far_apart(tmp_path, log):
    ask(Echo(), log, MANY)
    with open_log(tmp_path) as again:
        for some in (MANY, MANY[::-1], MANY[::100]):
            assert replies(again, some) == [f"{text}!" for text in some]


def test_a_kill_leaves_whole_batches(tmp_path):
    command = [sys.executable, "-c", WRITER, tmp_path]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    for _ in range(20):
        process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with open_log(tmp_path) as log:
        kept = len(log)
        assert (kept >= 160, kept % 4) == (True, 0)
        ask(model := Echo(), log, [f"0 {k}" for k in range(8)])
        assert not model.batches


def change(path, statement):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("PRAGMA user_version = 7", "has version 7, and this Salva reads version 4; start a new run"),
        ("UPDATE answers SET key = x'00'", "a key has another length than it had; is it a file written by"),
        ("UPDATE answers SET status = 9", "an answer has a status that there is not; is it a file"),
    ],
)
def test_a_log_that_was_changed_or_is_newer_is_refused(tmp_path, log, statement, problem):
    ask(Echo(), log, "ab")
    log.close()
    change(tmp_path / "answers.db", statement)
    with pytest.raises((InputError, StorageError), match=rf"answers\.db: {problem}"):
        open_log(tmp_path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "answers.db").write_bytes(b"not a database" * 100)
    with pytest.raises(
        StorageError, match=r"answers\.db: file is not a database; is it a file written by Salva\?"
    ):
        open_log(tmp_path)


def test_a_full_disk_is_one_line(tmp_path, log):
    log._connection.execute("PRAGMA max_page_count = 10")
    with pytest.raises(StorageError, match="full; free some space and run again with resume=True"):
        ask(Echo(), log, MANY)
    with open_log(tmp_path) as again:
        assert len(again) % 4 == 0


def listed(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}


def test_reading_alone_writes_nothing(tmp_path, log):
    ask(Echo(), log, "a")
    log.close()
    before = listed(tmp_path)
    for digest, found in ((Echo.digest, ["a!"]), ("sha256:2", [None])):
        with open_log(tmp_path, digest, read_only=True) as reader:
            assert replies(reader, "a") == found
    assert listed(tmp_path) == before


def test_reading_alone_finds_what_another_process_has_just_written(tmp_path, log):
    ask(Echo(), log, "a")
    with open_log(tmp_path, read_only=True) as reader:
        assert replies(reader, "a") == ["a!"]


def test_reading_alone_makes_no_log(tmp_path):
    with pytest.raises(InputError, match=r"answers\.db: no such file; the answers of the run are gone"):
        open_log(tmp_path, read_only=True)
    (tmp_path / "answers.db").touch()
    with pytest.raises(InputError, match=r"answers\.db: holds no answers"):
        open_log(tmp_path, read_only=True)
    assert listed(tmp_path).keys() == {tmp_path.name, "answers.db"}
