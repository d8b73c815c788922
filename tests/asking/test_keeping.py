"""How soon answers are in the file: what a kill may lose."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time

import pytest

from salva.asking.log import AnswerLog
from salva.models import Answers


def test_batches_wait_for_each_other_for_20_ms_and_no_longer(tmp_path, monkeypatch):
    place = tmp_path / "answers.db"
    with AnswerLog(place, "sha256:1") as log, contextlib.closing(sqlite3.connect(place)) as reader:
        monkeypatch.setattr(time, "perf_counter", itertools.count(100, 0.015).__next__)
        for k in range(30):
            log.append([bytes([k]) * 16], Answers.of(["yes"]))
            (written,) = reader.execute("SELECT count(*) FROM answers").fetchone()
            assert written >= k


def test_what_an_interrupted_write_has_kept_is_not_written_again(tmp_path, monkeypatch):
    transaction = AnswerLog._transaction

    @contextlib.contextmanager
    def interrupted(log):
        with transaction(log):
            yield
        monkeypatch.undo()
        raise KeyboardInterrupt

    place = tmp_path / "answers.db"
    with AnswerLog(place, "sha256:1") as log:
        monkeypatch.setattr(AnswerLog, "_transaction", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append([bytes(16)], Answers.of(["yes"]))
        log.append([bytes([1] * 16)], Answers.of(["no"]))
        log.flush()
    with contextlib.closing(sqlite3.connect(place)) as reader:
        assert reader.execute("SELECT reply FROM answers").fetchall() == [("yes",), ("no",)]
