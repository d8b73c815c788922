"""The answers of models, saved as soon as a batch is answered, and found again by model and text.

SQLite in WAL mode, one transaction per batch: a process that is killed leaves only whole batches. The key
includes the digest of the model, so no answer is taken for that of another one. SQLite does not notice a
flipped bit, so every answer has a checksum. A store opened for reading is neither created nor changed, so it
may be in a place that cannot be written; one of an older version is then copied to memory.

A batch goes in and out as one block of bytes, cut into rows by one statement, so that Python's lock is free
meanwhile: 4 µs per answer, of which 0.5 µs with the lock. Statements for single rows took 36 µs next to
threads that compute, because each waits for the lock again.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from salva._arguments import argument
from salva.errors import InputError, StorageError
from salva.runs.old_stores import CHANGED, OLD_TABLES, read_old
from salva.runs.records import ID_BYTES, RECORD, Answer, Purpose, checksums, hash_of, pack

VERSION = 3
_SOME = 1 << 16  # texts per query
_NOBODY = -1  # a model without answers, in a read-only store
_CACHE = "cache_size = -65536"  # kilobytes; ids are random, so that a batch touches most pages
# Parameters: model, purpose, ids of 16 bytes, how many, records of 24 bytes.
_INSERT = """
WITH RECURSIVE places(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM places WHERE k + 1 < ?4)
INSERT OR IGNORE INTO answers (model, purpose, text, answer)
SELECT ?1, ?2, substr(?3, 16 * k + 1, 16), substr(?5, 24 * k + 1, 24) FROM places
"""
_FIND = """
WITH RECURSIVE places(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM places WHERE k + 1 < ?4)
SELECT group_concat(hex(text), ''), group_concat(hex(answer), '') FROM places
CROSS JOIN answers ON model = ?1 AND purpose = ?2 AND text = substr(?3, 16 * k + 1, 16)
"""
_SCHEMA = """
CREATE TABLE models (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE answers (
    model INTEGER NOT NULL, purpose INTEGER NOT NULL, text BLOB NOT NULL, answer BLOB NOT NULL,
    PRIMARY KEY (model, purpose, text)
) STRICT, WITHOUT ROWID;
"""


@lru_cache(maxsize=1 << 16)  # models that write have many
def _hash_of_label(name: str) -> int:
    return hash_of(name)


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
        self._path, self._digest, self._read_only = path, model_digest, read_only
        self._names: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        with self._errors():
            self._connection = self._connected()
            try:
                self._prepare()
                self._model = self._number(model_digest, new=not read_only)
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def find(self, texts: Sequence[bytes], purpose: Purpose = Purpose.FIRST) -> dict[bytes, Answer]:
        """Return the answers to those texts that have one; a text is given by its id."""
        answers: dict[bytes, Answer] = {}
        with self._errors():
            for first in range(0, len(texts), _SOME):
                some = texts[first : first + _SOME]
                values = (self._model, int(purpose), b"".join(some), len(some))
                ids, records = self._connection.execute(_FIND, values).fetchone()
                if ids is not None:
                    answers |= self._unpack(bytes.fromhex(ids), bytes.fromhex(records), purpose)
        return answers

    def _unpack(self, ids: bytes, packed: bytes, purpose: Purpose) -> dict[bytes, Answer]:
        names = [ids[first : first + ID_BYTES] for first in range(0, len(ids), ID_BYTES)]
        if len(packed) != len(names) * RECORD.itemsize:
            raise sqlite3.DatabaseError(CHANGED)
        records = np.frombuffer(packed, RECORD)
        labels = [self._names.get(number, "") for number in records["label"].tolist()]
        seed, hashes = hash_of(self._digest, int(purpose)), list(map(_hash_of_label, labels))
        if (checksums(ids, records, seed=seed, hashes=hashes) != records["checksum"]).any():
            raise sqlite3.DatabaseError(CHANGED)
        probabilities = [None if math.isnan(p) else p for p in records["probability"].tolist()]
        truncated = records["truncated"].astype(bool).tolist()
        return dict(zip(names, map(Answer, labels, probabilities, truncated), strict=True))

    def add(self, answers: Mapping[bytes, Answer], purpose: Purpose = Purpose.FIRST) -> None:
        """Save the answers of a batch, by the ids of their texts: all or, if the process is killed, none."""
        with self._errors(), self._transaction():
            self._insert(self._model, self._digest, answers, purpose)

    def _insert(self, model: int, digest: str, answers: Mapping[bytes, Answer], purpose: int) -> None:
        if not answers:
            return
        ids = b"".join(answers)
        names = [answer.label for answer in answers.values()]
        labels, hashes = list(map(self._label, names)), list(map(_hash_of_label, names))
        seed = hash_of(digest, int(purpose))
        records = pack(ids, labels, answers.values(), seed=seed, hashes=hashes)
        values = (model, int(purpose), ids, len(answers), records.tobytes())
        self._connection.execute(_INSERT, values)

    def count(self, purpose: Purpose = Purpose.FIRST) -> int:
        """Return how many answers of the model are stored."""
        with self._errors():
            query = "SELECT count(*) FROM answers WHERE model = ? AND purpose = ?"
            row: tuple[int] = self._connection.execute(query, (self._model, int(purpose))).fetchone()
        return row[0]

    def _connected(self) -> sqlite3.Connection:
        if not self._read_only:
            return sqlite3.connect(self._path, isolation_level=None)
        if not self._path.is_file():
            raise InputError.at(self._path, None, "no such file; the answers of the run are gone")
        log = self._path.with_name(f"{self._path.name}-wal")
        # Without a log, SQLite writes nothing next to the file, not even a lock.
        mode = "mode=ro" if log.is_file() and log.stat().st_size else "immutable=1"
        place = f"{self._path.absolute().as_uri()}?{mode}"
        return sqlite3.connect(place, isolation_level=None, uri=True)

    def _prepare(self) -> None:
        """Make the tables, or make those of an older version new."""
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            problem = f"has version {version}, but this Salva reads only {VERSION}; use a newer Salva"
            raise InputError.at(self._path, None, problem)
        if self._read_only and version == 0:
            remedy = f"continue the run with {argument('resume', True)}"
            raise InputError.at(self._path, None, f"holds no answers; {remedy}")
        if not self._read_only:
            for setting in ("journal_mode = WAL", "synchronous = NORMAL", _CACHE):
                self._connection.execute(f"PRAGMA {setting}")
        if version == 0:
            with self._transaction():
                self._make_tables()
        elif version < VERSION:
            self._renew(version)
        self._names = dict(self._connection.execute("SELECT number, name FROM labels"))
        self._numbers = {name: number for number, name in self._names.items()}

    def _make_tables(self) -> None:
        for statement in _SCHEMA.split(";"):
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def _renew(self, version: int) -> None:
        """Copy the answers of an older version to the tables of this one: in the file, or in memory."""
        old, before = self._connection, "" if self._read_only else "old_"
        if self._read_only:
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
        renamed = OLD_TABLES if before else ()
        with contextlib.closing(old) if self._read_only else contextlib.nullcontext(), self._transaction():
            for table in renamed:
                old.execute(f"ALTER TABLE {table} RENAME TO {before}{table}")
            self._make_tables()
            for digest, purpose, answers in read_old(old, version, before):
                self._insert(self._number(digest, new=True), digest, answers, purpose)
            for table in renamed:
                old.execute(f"DROP TABLE {before}{table}")

    def _number(self, digest: str, *, new: bool) -> int:
        """Return the number of a model; `new` says whether to give it one."""
        row = self._connection.execute("SELECT number FROM models WHERE digest = ?", (digest,)).fetchone()
        if row is None and new:
            return (
                self._connection.execute("INSERT INTO models (digest) VALUES (?)", (digest,)).lastrowid or 0
            )
        return row[0] if row else _NOBODY

    def _label(self, name: str) -> int:
        if name not in self._numbers:
            # Another store may be open on the same file.
            self._connection.execute("INSERT OR IGNORE INTO labels (name) VALUES (?)", (name,))
            find = "SELECT number FROM labels WHERE name = ?"
            number: int = self._connection.execute(find, (name,)).fetchone()[0]
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
