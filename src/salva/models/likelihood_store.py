"""Log-probabilities of texts, kept in a file of SQLite; if it cannot be used, in memory."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

_SOME = 500  # variables per query
_WAIT = 10.0  # seconds for another process that is writing
_SCHEMA = """
CREATE TABLE IF NOT EXISTS likelihoods (
    model TEXT NOT NULL, text BLOB NOT NULL, score REAL NOT NULL, alone INTEGER NOT NULL,
    PRIMARY KEY (model, text)
) STRICT, WITHOUT ROWID
"""
_FIND = "SELECT text, score, alone FROM likelihoods WHERE model = ? AND text IN "
_ADD = "INSERT OR REPLACE INTO likelihoods VALUES (?, ?, ?, ?)"

_log = logging.getLogger("salva")


class Likelihood(NamedTuple):
    """The log-probability of a text, and whether the model was asked about it alone."""

    score: float
    alone: bool


class LikelihoodStore:
    """The log-probabilities by one model. A file that cannot be used costs time, never the result."""

    def __init__(self, path: Path, model: str) -> None:
        self._path, self._model = path, model
        self._held: dict[bytes, Likelihood] = {}  # what could not be written

    def find(self, texts: Iterable[bytes]) -> dict[bytes, Likelihood]:
        """Return what is known of some texts, which are given by their ids."""
        keys = list(texts)
        try:
            found = self._read(keys)
        except (OSError, sqlite3.Error):
            found = {}  # adding will say why
        return found | {key: self._held[key] for key in keys if key in self._held}

    def add(self, likelihoods: Mapping[bytes, Likelihood]) -> None:
        """Keep the log-probabilities of some texts."""
        rows = [(self._model, text, own.score, own.alone) for text, own in likelihoods.items()]
        try:
            with closing(self._open()) as connection, connection:
                connection.executemany(_ADD, rows)
        except (OSError, sqlite3.Error) as error:
            _log.info("log-probabilities are not kept: %s: %s", self._path, error)
            self._held |= likelihoods

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Likelihood]:
        found = {}
        with closing(self._open()) as connection:
            for first in range(0, len(keys), _SOME):
                some = keys[first : first + _SOME]
                marks = f"({','.join('?' * len(some))})"
                for text, score, alone in connection.execute(_FIND + marks, (self._model, *some)):
                    found[text] = Likelihood(score, bool(alone))
        return found

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._path, timeout=_WAIT)
        try:
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection
