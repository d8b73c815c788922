"""How soon answers are in the file: what a kill may lose."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time

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
