"""Kinds of settings: what each may be, how a wrong value is refused, and how it is written as TOML."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

from salva.errors import UsageError

__all__ = ["Pairs", "choice", "count", "flag", "rate", "resource", "toml_value", "weight", "words"]

Check = Callable[[str, Any], Any]


class Pairs(tuple[tuple[str, Any], ...]):
    """A mapping as settings keep it: its items, which cannot change."""

    __slots__ = ()


def rate(default: float, doc: str) -> Any:
    """Return the field of a probability or a share."""
    return _field(default, doc, _number(0, 1))


def weight(default: float, doc: str) -> Any:
    """Return the field of a weight."""
    return _field(default, doc, _number(0, 1e9))


def count(default: int, doc: str, *, least: int = 0) -> Any:
    """Return the field of a whole number."""

    def check(name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 31:
            raise UsageError(f"{name}={value!r} is no whole number from {least} on")
        return value

    return _field(default, doc, check)


def flag(default: bool, doc: str) -> Any:
    """Return the field of a yes or no."""

    def check(name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise UsageError(f"{name}={value!r} is neither true nor false")
        return value

    return _field(default, doc, check)


def choice(default: str, options: Iterable[str], doc: str) -> Any:
    """Return the field of one of some names."""
    names = tuple(options)

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise UsageError(f"{name}={value!r} is not known; use one of {', '.join(names)}")
        return value

    return _field(default, doc, check)


def resource(default: str, doc: str, own: Check | None = None) -> Any:
    """Return the field of something that ships, by its name, or of a file; `own` checks other values."""

    def check(name: str, value: Any) -> Any:
        if own is not None and not isinstance(value, str | os.PathLike):
            return own(name, value)
        if not isinstance(value, str | os.PathLike) or not os.fspath(value):
            raise UsageError(f"{name}={value!r} is no path; use {default!r} or the name of a file")
        return os.fspath(value)

    return _field(default, doc, check)


def words(default: str | tuple[str, ...], doc: str) -> Any:
    """Return the field of words: a list, or where a name is the default, something that ships, or a file."""

    def check(name: str, value: Any) -> str | tuple[str, ...]:
        if isinstance(value, str | os.PathLike):
            if isinstance(default, str):
                return os.fspath(value)
            raise UsageError(f"{name}={value!r} is no list; write {name}=[{os.fspath(value)!r}]")
        listed = tuple(value) if isinstance(value, Iterable) else (None,)
        if not all(isinstance(word, str) and word.strip() for word in listed):
            raise UsageError(f"{name}={value!r:.60} is no list of words")
        return listed

    return _field(default, doc, check)


def toml_value(value: Any) -> str:
    """Return a setting as TOML writes it.

    >>> toml_value(("a", "b")), toml_value(True), toml_value(0.5)
    ('["a", "b"]', 'true', '0.5')
    >>> toml_value(Pairs([("a", "sq")]))
    '{"a" = "sq"}'
    """
    if isinstance(value, Pairs):
        return f"{{{', '.join(f'{toml_value(key)} = {toml_value(own)}' for key, own in value)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    # JSON writes strings, numbers and true or false as TOML does, but for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _field(default: Any, doc: str, check: Check) -> Any:
    return field(default=default, metadata={"doc": doc, "check": check})


def _number(low: float, high: float) -> Check:
    def check(name: str, value: Any) -> float:
        number = not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
        if not number or not low <= value <= high:
            raise UsageError(f"{name}={value!r} is not between {low:g} and {high:g}")
        return float(value)

    return check
