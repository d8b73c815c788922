"""Small tables of questions, made by hand, and a model that answers with an exclamation mark."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np

from salva._arrow import as_numbers
from salva.asking.asker import Asker
from salva.asking.log import AnswerLog
from salva.models import Answers
from salva.questions import Condition, Limits
from salva.questions.table import CLEAN, MEASURE, STAY, About, keys_of, make_block

ABOUT = About(conditions=(Condition(name=CLEAN),), grading={"kind": "label"})


class Echo:
    """Answers every text but some, and keeps the batches that it was asked."""

    name, digest, classes, batch_size = "echo", "sha256:1", None, 4

    def __init__(self, fails=()):
        self.fails, self.batches = fails, []

    def predict(self, texts):
        self.batches.append(list(texts))
        return Answers.of([None if text in self.fails else f"{text}!" for text in texts])

    def close(self):
        pass


def block_of(texts, purpose=MEASURE, time=0):
    """Return questions about texts; None is a row without one."""
    return make_block(
        len(texts),
        key=keys_of(texts, time, "" if purpose == MEASURE else purpose),
        item=as_numbers(np.arange(len(texts))),
        id=list(map(str, range(len(texts)))),
        condition=CLEAN,
        purpose=purpose,
        must=STAY,
        parts=[[text] for text in texts],
    )


def ask(model, log, *groups, limits=None, **more):
    """Ask about some groups of texts with a new asker, which is returned."""
    asker = Asker(model, log, limits or Limits(), **more)
    asker.ask(map(block_of, groups), ABOUT)
    return asker


def replies(log, texts, **asked):
    """Return the replies in a log to the questions about some texts; None for none."""
    return [one and one.reply for one in log.read_block(block_of(texts, **asked))]


def logged(path):
    """Return what a log has, as any reader of SQLite sees it."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT model, key, reply, probability, status, why FROM log")
        return rows.fetchall()


def open_log(folder, digest=Echo.digest, **more):
    """Open the log in a folder."""
    return AnswerLog(folder / "answers.db", digest, **more)
