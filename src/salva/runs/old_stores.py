"""Read stores of versions 1 and 2, which had a column for each part of an answer.

In version 2 an answer has a checksum of 32 bits, in version 1 none.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from itertools import groupby, islice
from typing import NamedTuple

from salva.runs.records import ID_BYTES, Answer

CHANGED = "database holds an answer that was changed"
OLD_TABLES = ("models", "labels", "answers")
_SOME = 10_000  # answers at a time


class OldAnswers(NamedTuple):
    """Some answers of a model."""

    digest: str
    purpose: int
    answers: dict[bytes, Answer]


def read_old(connection: sqlite3.Connection, version: int, before: str = "") -> Iterator[OldAnswers]:
    """Yield all answers of a store of version 1 or 2; `before` is put before the names of its tables."""
    models, labels, answers = (f"{before}{name}" for name in OLD_TABLES)
    query = f"""
        SELECT digest, purpose, text, name, probability, truncated, {"NULL" if version == 1 else "checksum"}
        FROM {answers} JOIN {models} ON {models}.number = model LEFT JOIN {labels} ON {labels}.number = label
        ORDER BY model, purpose
        """  # noqa: S608
    for (digest, purpose), rows in groupby(connection.execute(query), lambda row: row[:2]):
        while some := list(islice(rows, _SOME)):
            yield OldAnswers(digest, purpose, dict(map(_answer, some)))


def _answer(row: tuple[str, int, bytes, str | None, float | None, int, int | None]) -> tuple[bytes, Answer]:
    digest, purpose, text, label, probability, truncated, checksum = row
    fields = (digest, purpose, text, label or "", probability, bool(truncated))
    damaged = (
        not isinstance(text, bytes) or len(text) != ID_BYTES or not isinstance(probability, float | None)
    )
    if damaged or checksum not in (None, zlib.crc32(repr(fields).encode())):
        raise sqlite3.DatabaseError(CHANGED)
    return text, Answer(label or "", probability, bool(truncated))
