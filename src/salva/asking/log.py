"""The log of answers: one SQLite file that only grows, for several models.

A batch is one transaction, so a killed process leaves whole batches. What is known of a model is read once,
when its log is opened; from then on an index in memory says where the answer to a question is. There is no
index in the file: keys are random, and SQLite would write most of its pages again with every batch (3.4 GB
for 500,000 answers instead of 56 MB).
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._types import Ints64
from salva.errors import InputError, StorageError
from salva.models import FAILED, Answers
from salva.models.protocol import REFUSED, STATUSES
from salva.questions.table import KeyIndex, heads_of, read_heads

VERSION = 4
CUT_INPUT = "the text was too long for the model and was cut"
_SCHEMA = """
CREATE TABLE models (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE statuses (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, model INTEGER NOT NULL, key BLOB NOT NULL,
    reply TEXT, probability REAL, status INTEGER NOT NULL, why TEXT
) STRICT;
CREATE VIEW log AS
SELECT answers.number, models.digest AS model, key, reply, probability, statuses.name AS status, why
FROM answers JOIN models ON models.number = model JOIN statuses ON statuses.number = status;
"""
_SPARSE = 4  # times as many rows between two numbers as are wanted; above this, each is looked up
_MOST_ROWS = 1 << 16  # read at a time
_AT_ONCE, _MOST_WAITING = 0.02, 8192  # seconds in which batches are written together, and answers in them


class LoggedAnswer(NamedTuple):
    """What came back for one question; `why` there is no reply, or what is to be known about it."""

    key: bytes
    reply: str | None
    probability: float | None
    status: str
    why: str | None


class AnswerLog:
    """The answers of one model in a file.

    `failed` are the numbers of answers that failed in earlier runs, unless another came since; `refused`
    counts the questions that the model refused there, which are not asked again.
    """

    def __init__(self, path: Path, digest: str, *, read_only: bool = False) -> None:
        self._path, self._read_only = path, read_only
        self._waiting: list[tuple[Any, ...]] = []
        self._flushed = 0.0
        with self._errors():
            self._connection = self._connect()
            try:
                self._prepare()
                self._model = self._find_model(digest)
                self._load()
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> AnswerLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def forget(self) -> None:
        """Forget where the answers are, when nothing is looked up any more: twelve bytes for each."""
        self._index = KeyIndex()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __len__(self) -> int:
        """Return how many questions were asked."""
        return len(self._index)

    def find(self, heads: np.ndarray) -> Ints64:
        """Return the numbers of answers, which may have failed; -1 for a question that was not asked."""
        return self._index.find(heads)

    def may_ask(self, numbers: Ints64) -> np.ndarray:
        """Return which questions to ask: those without an answer, and those that failed in an earlier run."""
        wanted = numbers < 0
        return wanted | np.isin(numbers, list(self.failed)) if self.failed else wanted

    def reserve(self, heads: np.ndarray) -> None:
        """Note that questions are on their way: their answers get the next numbers, in this order."""
        self._index.add(heads, np.arange(self._next, self._next + len(heads)))
        self._next += len(heads)

    def begin(self) -> None:
        """Begin to ask: numbers go on after those of all models."""
        with self._errors():
            (last,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM answers").fetchone()
        self._next = self._written = int(last) + 1

    def append(self, keys: Sequence[bytes], answers: Answers) -> None:
        """Keep the answers to a batch: all or, if the process is killed, none.

        Batches that come within some milliseconds are written together: each transaction writes whole pages,
        and what came so fast is soon asked again.
        """
        statuses = map(STATUSES.index, answers.statuses)
        why = (e or (CUT_INPUT if cut else None) for e, cut in zip(answers.errors, answers.cut, strict=True))
        rows = zip(keys, answers.labels, answers.probabilities, statuses, why, strict=True)
        self._waiting += [(number, self._model, *row) for number, row in enumerate(rows, self._written)]
        self._written += len(keys)
        if time.perf_counter() - self._flushed > _AT_ONCE or len(self._waiting) >= _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Write what waits; what an interrupted call has written already is not written again."""
        if not self._waiting:
            return
        insert = "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO NOTHING"
        with self._errors(), self._transaction():
            self._connection.executemany(insert, self._waiting)
        self._waiting = []
        self._flushed = time.perf_counter()

    def read(self, numbers: Ints64) -> dict[int, LoggedAnswer]:
        """Return answers by their numbers."""
        found: dict[int, LoggedAnswer] = {}
        wanted = np.unique(numbers[numbers >= 0])
        for start in range(0, len(wanted), _MOST_ROWS):
            some = wanted[start : start + _MOST_ROWS]
            first, last = int(some[0]), int(some[-1])
            columns = "SELECT number, key, reply, probability, status, why FROM answers WHERE"
            with self._errors():
                if last - first < _SPARSE * len(some):
                    rows = self._connection.execute(f"{columns} number BETWEEN ? AND ?", (first, last))
                else:
                    query = f"{columns} number IN (SELECT value FROM json_each(?))"  # noqa: S608
                    rows = self._connection.execute(query, (json.dumps(some.tolist()),))
                found |= {
                    number: LoggedAnswer(key, reply, probability, STATUSES[status], why)
                    for number, key, reply, probability, status, why in rows
                }
        return found

    def read_block(self, block: pa.Table) -> list[LoggedAnswer | None]:
        """Return the answers to the questions in a block of the table; None for one that was not asked."""
        numbers = self.find_block(block)
        logged = self.read(numbers)
        return [logged.get(number) for number in numbers.tolist()]

    def read_replies(self, block: pa.Table) -> list[str | None]:
        """Return the replies to the questions in a block; None for one that has none."""
        return [one and one.reply for one in self.read_block(block)]

    def find_block(self, block: pa.Table) -> Ints64:
        """Return the numbers of the answers to the questions in a block; -1 for none."""
        heads, asked = read_heads(block["key"])
        return np.where(asked, self.find(heads), -1)

    @property
    def last(self) -> int:
        """The number of the last answer of any model."""
        return self._written - 1

    def list_replies(self) -> list[str]:
        """Return all different replies: for a model that gives labels, its labels."""
        with self._errors():
            query = "SELECT DISTINCT reply FROM answers WHERE model = ? AND reply IS NOT NULL"
            return sorted(reply for (reply,) in self._connection.execute(query, (self._model,)))

    def count_failures(self) -> dict[str, int]:
        """Return why questions have no reply, with how many there are for each reason, each question once."""
        with self._errors():
            query = "SELECT number, key, why FROM answers WHERE model = ? AND reply IS NULL"
            rows = self._connection.execute(query, (self._model,)).fetchall()
        last = self.find(heads_of([key for _, key, _ in rows])).tolist()
        reasons = (why for (number, _, why), k in zip(rows, last, strict=True) if number == k)
        return dict(Counter(why or "the model gave no answer" for why in reasons))

    def _connect(self) -> sqlite3.Connection:
        if not self._read_only:
            return sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        if not self._path.is_file():
            raise InputError.at(self._path, None, "no such file; the answers of the run are gone")
        log = self._path.with_name(f"{self._path.name}-wal")
        # Without a log, SQLite writes nothing next to the file, not even a lock.
        mode = "mode=ro" if log.is_file() and log.stat().st_size else "immutable=1"
        place = f"{self._path.absolute().as_uri()}?{mode}"
        return sqlite3.connect(place, isolation_level=None, uri=True, check_same_thread=False)

    def _prepare(self) -> None:
        """Make the tables, or refuse those of another version."""
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            problem = f"has version {version}, and this Salva reads version {VERSION}"
            raise InputError.at(self._path, None, f"{problem}; start a new run")
        if self._read_only:
            if version == 0:
                remedy = f"continue the run with {argument('resume', True)}"
                raise InputError.at(self._path, None, f"holds no answers; {remedy}")
            return
        for setting in ("journal_mode = WAL", "synchronous = NORMAL"):
            self._connection.execute(f"PRAGMA {setting}")
        if version == 0:
            with self._transaction():
                for statement in _SCHEMA.split(";"):
                    self._connection.execute(statement)
                self._connection.executemany("INSERT INTO statuses VALUES (?, ?)", enumerate(STATUSES))
                self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def _find_model(self, digest: str) -> int:
        """Return the number of a model; a new one gets the next."""
        if not self._read_only:
            self._connection.execute("INSERT OR IGNORE INTO models (digest) VALUES (?)", (digest,))
        row = self._connection.execute("SELECT number FROM models WHERE digest = ?", (digest,)).fetchone()
        return -1 if row is None else int(row[0])

    def _load(self) -> None:
        """Read where the answers are; of several to one question, the last counts."""
        self._index = KeyIndex()
        failed: dict[int, bytes] = {}
        query = (
            "SELECT number, key, status FROM answers WHERE number > ? AND model = ? ORDER BY number LIMIT ?"
        )
        last = self.refused = 0
        while rows := self._connection.execute(query, (last, self._model, _MOST_ROWS)).fetchall():
            numbers, keys, statuses = zip(*rows, strict=True)
            if any(len(key) != 16 for key in keys):
                raise sqlite3.DatabaseError("a key has another length than it had")
            if not set(statuses) <= set(range(len(STATUSES))):
                raise sqlite3.DatabaseError("an answer has a status that there is not")
            self._index.add(heads_of(keys), np.array(numbers, np.int64))
            failed |= {number: key for number, key, status in rows if status == STATUSES.index(FAILED)}
            self.refused += statuses.count(STATUSES.index(REFUSED))
            last = numbers[-1]
        last_answers = self.find(heads_of(list(failed.values()))).tolist()
        self.failed = {number for number, other in zip(failed, last_answers, strict=True) if number == other}
        self.begin()

    def _transaction(self) -> sqlite3.Connection:
        """Begin a transaction; as a context manager, the connection commits it, or undoes it."""
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            hint = "is it a file written by Salva?"
            if "full" in str(error):
                hint = f"free some space and run again with {argument('resume', True)}"
            if "unable to open" in str(error):  # the log of a killed run is read only where one can write
                hint = "copy the folder to a place that can be written"
            raise StorageError(f"{self._path}: {error}; {hint}") from None


def holds_answers(path: Path) -> bool:
    """Return whether a file holds answers of any model, not only failures, or cannot be read."""
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            query = "SELECT EXISTS (SELECT 1 FROM answers WHERE status <> ?)"
            return bool(connection.execute(query, (STATUSES.index(FAILED),)).fetchone()[0])
    except sqlite3.DatabaseError as error:
        return "no such table" not in str(error)
