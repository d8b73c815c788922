"""Fields of settings: what each may hold, how a wrong value is refused, and how it is written as TOML."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

from salva._arguments import check_number, check_whole
from salva.errors import UsageError

Check = Callable[[str, Any], Any]


class Pairs(tuple[tuple[str, Any], ...]):
    """A mapping as settings hold it: a tuple of its items, which cannot change."""

    __slots__ = ()


def rate(default: float, doc: str) -> Any:
    """Return a field for a probability or a share."""
    return _field(default, doc, _number(0, 1))


def weight(default: float, doc: str) -> Any:
    """Return a field for a weight."""
    return _field(default, doc, _number(0, 1e9))


def count(default: int, doc: str, *, least: int = 0) -> Any:
    """Return a field for a whole number."""

    def check(name: str, value: Any) -> int:
        return check_whole(name, value, least, (1 << 31) - 1)

    return _field(default, doc, check)


def flag(default: bool, doc: str) -> Any:
    """Return a field for true or false."""

    def check(name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise UsageError(f"{name}={value!r} must be true or false")
        return value

    return _field(default, doc, check)


def choice(default: str, options: Iterable[str], doc: str) -> Any:
    """Return a field for one of several names."""
    names = tuple(options)

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise UsageError(f"{name}={value!r} is not known; use one of {', '.join(names)}")
        return value

    return _field(default, doc, check)


def resource(default: str, doc: str, own: Check | None = None) -> Any:
    """Return a field for the name of a shipped resource, or a file; `own` checks values of other types."""

    def check(name: str, value: Any) -> Any:
        if own is not None and not isinstance(value, str | os.PathLike):
            return own(name, value)
        if not isinstance(value, str | os.PathLike) or not os.fspath(value):
            raise UsageError(f"{name}={value!r} must be a path; use {default!r} or the name of a file")
        return os.fspath(value)

    return _field(default, doc, check)


def words(default: str | tuple[str, ...], doc: str) -> Any:
    """Return a field for words: a list or, if the default is a name, a shipped resource or a file."""

    def check(name: str, value: Any) -> str | tuple[str, ...]:
        if isinstance(value, str | os.PathLike):
            if isinstance(default, str):
                return os.fspath(value)
            raise UsageError(f"{name}={value!r} must be a list; write {name}=[{os.fspath(value)!r}]")
        listed = tuple(value) if isinstance(value, Iterable) else (None,)
        if not all(isinstance(word, str) and word.strip() for word in listed):
            raise UsageError(f"{name}={value!r:.60} must be a list of words")
        return listed

    return _field(default, doc, check)


def toml_value(value: Any) -> str:
    """Return a setting written as TOML.

    >>> toml_value(("a", "b")), toml_value(True), toml_value(0.5)
    ('["a", "b"]', 'true', '0.5')
    >>> toml_value(Pairs([("a", "sq")]))
    '{"a" = "sq"}'
    """
    if isinstance(value, Pairs):
        return f"{{{', '.join(f'{toml_value(key)} = {toml_value(own)}' for key, own in value)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    # JSON writes strings, numbers and booleans as TOML does, except for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _field(default: Any, doc: str, check: Check) -> Any:
    return field(default=default, metadata={"doc": doc, "check": check})


def _number(low: float, high: float) -> Check:
    def check(name: str, value: Any) -> float:
        return check_number(name, value, low, high)

    return check
