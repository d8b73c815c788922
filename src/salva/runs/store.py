"""The answers of models, saved as soon as a batch is answered, and found again by model and text.

SQLite in WAL mode, one transaction per batch: a process that is killed leaves only whole batches. The key
includes the digest of the model, so no answer is taken for that of another one. SQLite does not notice a
flipped bit, so every answer has a checksum; in a store of version 1 it has none. A store opened for reading
is neither created nor changed, so it may be in a place that cannot be written.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from salva._arguments import argument
from salva.errors import InputError, StorageError

VERSION = 2
_SOME = 500  # variables per query
_NOBODY = -1  # a model without answers, in a read-only store
_COLUMNS = "text, label, probability, truncated"
_INSERT = (
    "INSERT OR IGNORE INTO answers (model, purpose, text, label, probability, truncated, checksum)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SCHEMA = """
CREATE TABLE models (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE answers (
    model INTEGER NOT NULL, purpose INTEGER NOT NULL, text BLOB NOT NULL,
    label INTEGER NOT NULL, probability REAL, truncated INTEGER NOT NULL, checksum INTEGER,
    PRIMARY KEY (model, purpose, text)
) STRICT, WITHOUT ROWID;
"""
_CHECKSUMS = "ALTER TABLE answers ADD COLUMN checksum INTEGER"


class Answer(NamedTuple):
    """The answer to one text, as it is stored."""

    label: str
    probability: float | None
    truncated: bool


class Purpose(IntEnum):
    """Why a text is sent; the answers to the same text for different purposes are kept apart."""

    FIRST = 0
    AGAIN = 1
    ALONE = 2
    BLAME = 3


def holds_answers(path: Path) -> bool:
    """Return whether a file holds answers of any model, or cannot be read."""
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM answers)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return "no such table" not in str(error)


class AnswerStore:
    """The answers of one model in a file."""

    def __init__(self, path: Path, model_digest: str, *, read_only: bool = False) -> None:
        self._path, self._digest = path, model_digest
        with self._errors():
            self._connection = self._connected(read_only=read_only)
            try:
                version = self._prepare(read_only=read_only)
                self._found = f"{_COLUMNS}, {'NULL' if version == 1 else 'checksum'}"
                self._model = self._number(model_digest, read_only=read_only)
                self._names: dict[int, str] = dict(
                    self._connection.execute("SELECT number, name FROM labels")
                )
            except BaseException:
                self._connection.close()
                raise
        self._numbers = {name: number for number, name in self._names.items()}

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def find(self, texts: Sequence[bytes], purpose: Purpose = Purpose.FIRST) -> dict[bytes, Answer]:
        """Return the answers to those texts that have one; a text is given by its id."""
        answers: dict[bytes, Answer] = {}
        query = f"SELECT {self._found} FROM answers WHERE model = ? AND purpose = ? AND text IN "  # noqa: S608
        with self._errors():
            for first in range(0, len(texts), _SOME):
                some = texts[first : first + _SOME]
                marks = f"({','.join('?' * len(some))})"
                for text, label, probability, truncated, checksum in self._connection.execute(
                    query + marks, (self._model, purpose, *some)
                ):
                    answer = Answer(self._names.get(label, ""), probability, bool(truncated))
                    if checksum not in (None, self._checksum(text, answer, purpose)):
                        raise sqlite3.DatabaseError("database holds an answer that was changed")
                    answers[text] = answer
        return answers

    def _checksum(self, text: bytes, answer: Answer, purpose: Purpose) -> int:
        probability = None if answer.probability is None else float(answer.probability)
        fields = (self._digest, int(purpose), text, answer.label, probability, bool(answer.truncated))
        return zlib.crc32(repr(fields).encode())

    def add(self, answers: Sequence[tuple[bytes, Answer]], purpose: Purpose = Purpose.FIRST) -> None:
        """Save the answers of a batch: all of them or, if the process is killed, none."""
        with self._errors(), self._transaction():
            rows = [
                (
                    self._model,
                    purpose,
                    text,
                    self._label(answer.label),
                    answer.probability,
                    int(answer.truncated),
                    self._checksum(text, answer, purpose),
                )
                for text, answer in answers
            ]
            self._connection.executemany(_INSERT, rows)

    def count(self, purpose: Purpose = Purpose.FIRST) -> int:
        """Return how many answers of the model are stored."""
        with self._errors():
            query = "SELECT count(*) FROM answers WHERE model = ? AND purpose = ?"
            row: tuple[int] = self._connection.execute(query, (self._model, purpose)).fetchone()
        return row[0]

    def _connected(self, *, read_only: bool) -> sqlite3.Connection:
        if not read_only:
            return sqlite3.connect(self._path, isolation_level=None)
        if not self._path.is_file():
            raise InputError.at(self._path, None, "no such file; the answers of the run are gone")
        log = self._path.with_name(f"{self._path.name}-wal")
        # Without a log, SQLite writes nothing next to the file, not even a lock.
        mode = "mode=ro" if log.is_file() and log.stat().st_size else "immutable=1"
        place = f"{self._path.absolute().as_uri()}?{mode}"
        return sqlite3.connect(place, isolation_level=None, uri=True)

    def _prepare(self, *, read_only: bool) -> int:
        """Make the tables, or those of an older version new; return the version of what is there."""
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            problem = f"has version {version}, but this Salva reads only {VERSION}; use a newer Salva"
            raise InputError.at(self._path, None, problem)
        if read_only:
            if version == 0:
                remedy = f"continue the run with {argument('resume', True)}"
                raise InputError.at(self._path, None, f"holds no answers; {remedy}")
            return version
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if version < VERSION:
            with self._transaction():
                for statement in (_SCHEMA if version == 0 else _CHECKSUMS).split(";"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {VERSION}")
        return VERSION

    def _number(self, digest: str, *, read_only: bool) -> int:
        if not read_only:
            self._connection.execute("INSERT OR IGNORE INTO models (digest) VALUES (?)", (digest,))
        row = self._connection.execute("SELECT number FROM models WHERE digest = ?", (digest,)).fetchone()
        return row[0] if row else _NOBODY

    def _label(self, name: str) -> int:
        if name not in self._numbers:
            self._connection.execute("INSERT OR IGNORE INTO labels (name) VALUES (?)", (name,))
            query = "SELECT number FROM labels WHERE name = ?"
            number: int = self._connection.execute(query, (name,)).fetchone()[0]
            self._numbers[name], self._names[number] = number, name
        return self._numbers[name]

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            full, shut = "full" in str(error), "unable to open" in str(error)
            again = f"free some space and run again with {argument('resume', True)}"
            hint = again if full else "is it a file written by Salva?"
            # A run that was killed leaves a log, which SQLite can only read where it can write.
            hint = "copy the folder to a place that can be written" if shut else hint
            raise StorageError(f"{self._path}: {error}; {hint}") from None
