"""The lines of a suite: JSON in one form only, each with a digest of itself, so that a changed byte is found.

Equal records give equal bytes, whatever the machine and its libraries: UTF-8, no spaces, keys in the order
of the record.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from salva.errors import InputError

MOST_LINE = 64 << 20
_DIGITS = 16
_START = b'{"digest":"'
_BODY = len(_START) + _DIGITS + 2  # behind the digest, its quote and a comma


class Line(NamedTuple):
    """One line of a file: its number, its record if it can be read, and what is wrong with it."""

    number: int
    record: dict[str, Any] | None
    problem: str | None


def seal(record: Mapping[str, Any]) -> bytes:
    r"""Return a record as a line that begins with the digest of the rest.

    >>> seal({"id": "a"})
    b'{"digest":"8489a5deb454a360","id":"a"}\n'
    """
    body = canonical(record)
    return b'%s%s",%s\n' % (_START, _digest(body), body[1:])


def canonical(value: Any) -> bytes:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_DIGITS].encode()


def read_lines(stream: BinaryIO, seen: Any) -> Iterator[Line]:
    """Yield the lines of a file, each checked against its digest; `seen.update` gets all bytes."""
    number = 0
    while raw := stream.readline(MOST_LINE + 1):
        number += 1
        seen.update(raw)
        if len(raw) > MOST_LINE:
            yield Line(number, None, f"is longer than {MOST_LINE >> 20} MB")
            return
        yield _open(number, raw)


def _open(number: int, raw: bytes) -> Line:
    record = _parse(raw)
    if not raw.endswith(b"\n"):
        return Line(number, record, "is cut off")
    body = b"{" + raw[_BODY:-1]
    if not raw.startswith(_START) or raw[_BODY - 2 : _BODY] != b'",':
        return Line(number, record, "does not begin with its digest")
    if raw[len(_START) : len(_START) + _DIGITS] != _digest(body):
        return Line(number, record, "was changed: its digest does not match")
    return Line(number, record, None if record else "is not a JSON object with an id")


def _parse(raw: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("id"), str) else None


def checked(path: Any, line: Line) -> dict[str, Any]:
    """Return the record of a line; refuse a line that is not as it was written."""
    if line.problem is not None or line.record is None:
        raise InputError.at(path, line.number, line.problem or "is not a JSON object with an id")
    return line.record
