"""Settings: those that all presets have, and the fields of any: what each may hold, and how TOML writes it.

The metadata of a field: `doc`; `check`, which returns the value or refuses it; and, if the value may name a
file, `shipped` (the names that are not files), `locate` (from a name to a path) and `names` (from a value to
the names in it).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from salva._arguments import check_number, check_whole
from salva.edits.render import RENDERS
from salva.errors import UsageError

Check = Callable[[str, Any], Any]

RENDER = "How to rebuild the text: splice, spaces or treebank."
_POLARITY = "Replace praise with praise, blame with blame, and other words with words that are neither."
_EXCLUDE = "Words never to put into a text: offensive (the shipped list), a file, or a list."


class Pairs(tuple[tuple[str, Any], ...]):
    """A mapping as settings hold it: a tuple of its items, which cannot change."""

    __slots__ = ()


def rate(default: float, doc: str) -> Any:
    """Return a field for a probability or a share."""
    return _field(default, doc, partial(check_number, least=0, most=1))


def amount(default: float, doc: str) -> Any:
    """Return a field for a number that is not negative, such as a weight."""
    return _field(default, doc, partial(check_number, least=0, most=1e9))


def count(default: int, doc: str, *, least: int = 0) -> Any:
    """Return a field for a whole number."""
    return _field(default, doc, partial(check_whole, least=least, most=(1 << 31) - 1))


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
            raise UsageError(f"{name}={value!r} is unknown; use one of {', '.join(names)}")
        return value

    return _field(default, doc, check)


def resource(
    default: str,
    doc: str,
    *,
    shipped: Iterable[str] = (),
    freeze: Check | None = None,
    locate: Callable[[str], Path] = Path,
) -> Any:
    """Return a field for the name of a shipped resource or of a file.

    `freeze` checks values of other types and makes them immutable.
    """

    def check(name: str, value: Any) -> Any:
        if freeze is not None and not isinstance(value, str | os.PathLike):
            return freeze(name, value)
        if not isinstance(value, str | os.PathLike) or not os.fspath(value):
            raise UsageError(f"{name}={value!r} must be a path; use {default!r} or the name of a file")
        return os.fspath(value)

    return _field(default, doc, check, shipped=(default, *shipped), locate=locate, names=_one_name)


def resources(default: str, doc: str, *, shipped: Iterable[str] = ()) -> Any:
    """Return a field for the names of one or more shipped resources or files."""
    shipped = tuple(shipped)

    def check(name: str, value: Any) -> str | tuple[str, ...]:
        listed = value if isinstance(value, list | tuple) else [value]
        names = tuple(os.fspath(own) if isinstance(own, os.PathLike) else own for own in listed)
        if not names or not all(isinstance(own, str) and own for own in names):
            known = ", ".join(map(repr, (default, *shipped)))
            raise UsageError(f"{name}={value!r:.60} must be {known}, the name of a file, or a list of these")
        return names[0] if len(names) == 1 else names

    return _field(default, doc, check, shipped=(default, *shipped), locate=Path, names=_all_names)


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

    return _field(default, doc, check, shipped=(default,), locate=Path, names=_one_name)


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


def _one_name(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else ()


def _all_names(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _field(default: Any, doc: str, check: Check, **more: Any) -> Any:
    return field(default=default, metadata={"doc": doc, "check": check, **more})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that all presets have."""

    exclude: str | tuple[str, ...] = words("offensive", _EXCLUDE)
    keep_polarity: bool = flag(True, _POLARITY)
    protect: bool = flag(False, "Leave URLs, email addresses, @names, #tags, HTML tags and entities alone.")
    protect_markup: bool = flag(True, "Leave HTML tags and entities alone, with or without protect.")
    protect_words: tuple[str, ...] = words((), "Words and phrases to leave alone, whatever their case.")
    protect_patterns: tuple[str, ...] = words((), "Regular expressions for what to leave alone.")
    render: str = choice("splice", RENDERS, RENDER)


@dataclass(frozen=True, kw_only=True)
class SpliceSettings(Settings):
    """The settings of presets that change nothing but what they edit."""

    protect: bool = flag(True, "Leave URLs, email addresses, @names, #tags, HTML tags and entities alone.")
    render: str = choice(
        "splice", ["splice"], "How to rebuild the text: only splice, which changes nothing else."
    )


@runtime_checkable
class VocabularySettings(Protocol):
    """The settings of a preset that uses common words, which can be fitted."""

    @property
    def vocabulary(self) -> str | tuple[str, ...]:
        """A shipped list, a file, or the words, most frequent first."""

    @property
    def dictionary_size(self) -> int:
        """How many common words to use."""
