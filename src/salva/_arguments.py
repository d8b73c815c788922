"""Checks of the values that a caller passes, how messages name arguments, and hints for unknown names.

Each check returns the value, or raises a UsageError that names the argument, the value and what was expected.
"""

from __future__ import annotations

import contextlib
import difflib
import math
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, TypeAlias

from salva.errors import UsageError

MOST = (1 << 64) - 1  # the largest seed, replicate or limit


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """Return the question for a mistyped name, or `otherwise` if no known name is near.

    >>> did_you_mean("hybird", ["hybrid", "typos"])
    "did you mean 'hybrid'?"
    """
    near = difflib.get_close_matches(name[:100], list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


Flags: TypeAlias = Mapping[str, str]
"""How a command spells arguments whose flag is not their name with hyphens: `noise` is `-S noise`."""

_flags: ContextVar[Flags | None] = ContextVar("salva_flags", default=None)
_keywords: ContextVar[Mapping[str, str]] = ContextVar("salva_keywords", default=MappingProxyType({}))


@contextlib.contextmanager
def on_command_line(flags: Flags | None = MappingProxyType({})) -> Iterator[None]:
    """Let messages that arise inside this block name flags; None is what `flags_shown` gives outside."""
    token = _flags.set(flags)
    try:
        yield
    finally:
        _flags.reset(token)


@contextlib.contextmanager
def in_python(keywords: Mapping[str, str]) -> Iterator[None]:
    """Let messages that arise inside this block name keywords as its caller does.

    >>> with in_python({"text_column": "text"}):
    ...     argument("text_column")
    'text='
    """
    token = _keywords.set(keywords)
    try:
        yield
    finally:
        _keywords.reset(token)


def flags_shown() -> Flags | None:
    """Return how messages name flags now, for a worker of another process; None if they name keywords."""
    flags = _flags.get()
    return None if flags is None else dict(flags)


def argument(name: str, value: Any = None, *, flag: str | None = None) -> str:
    """Return how the caller passes an argument: a keyword in Python, a flag on the command line.

    `flag` is needed if it is not the name with hyphens; the command may have another one. Mappings and lists
    become one flag per item.

    >>> argument("text_column"), argument("resume", True), argument("label_map", {"POS": "1"})
    ('text_column=', 'resume=True', "label_map={'POS': '1'}")
    >>> with on_command_line():
    ...     argument("text_column"), argument("resume", True), argument("label_map", {"POS": "1", "NEG": "0"})
    ('--text-column', '--resume', '--label-map POS=1 --label-map NEG=0')
    >>> with on_command_line({"noise": "-S noise"}):
    ...     argument("noise", 5)
    '-S noise=5'
    """
    flags = _flags.get()
    if flags is None:
        name = _keywords.get().get(name, name)
        return f"{name}=" if value is None else f"{name}={value!r}"
    flag = flags.get(name) or flag or f"--{name.replace('_', '-')}"
    if " " in flag:  # the key of a setting
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        return flag if value is None else f"{flag}={shlex.quote(shown)}"
    if isinstance(value, Mapping):
        value = [f"{key}={item}" for key, item in value.items()]
    if isinstance(value, list | tuple):
        return " ".join(f"{flag} {shlex.quote(str(item))}" for item in value)
    return flag if value is None or value is True else f"{flag} {shlex.quote(str(value))}"


def is_short_number(text: str) -> bool:
    """Return whether a text is a whole number of few digits; Python refuses to read one of over 4,300."""
    digits = text.strip()
    return digits.isdecimal() and len(digits) < 20


def check_whole(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """Return a whole number from `least` to `most`; a boolean is not one, a number of numpy is.

    >>> check_whole("limit", -1)
    Traceback (most recent call last):
    salva.errors.UsageError: limit=-1 must be a whole number from 0 to 2**64 - 1
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        end = "2**64 - 1" if most == MOST else f"{most:,}"
        raise UsageError(f"{name}={value!r:.60} must be a whole number from {least} to {end}")
    return int(value)


def check_number(name: str, value: Any, least: float, most: float) -> float:
    """Return a finite number from `least` to `most`.

    >>> check_number("severity", 2, 0, 1)
    Traceback (most recent call last):
    salva.errors.UsageError: severity=2 must be between 0 and 1
    """
    if not is_number(value) or not least <= value <= most:
        raise UsageError(f"{name}={value!r:.60} must be between {least:g} and {most:g}")
    return float(value)


def is_number(value: Any) -> bool:
    """Return whether this is a finite number; a boolean is not one, a number of numpy is."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    # `math.isfinite` raises for a whole number that is too large for a float.
    return isinstance(value, Integral) or math.isfinite(value)


def check_choice(name: str, value: Any, known: Iterable[str]) -> None:
    """Refuse a value that is not one of the known names.

    >>> check_choice("rule", "all", ["any", "nonempty"])
    Traceback (most recent call last):
    salva.errors.UsageError: rule='all' must be one of any, nonempty
    """
    names = list(known)
    if value not in names:
        raise UsageError(f"{name}={value!r:.60} must be one of {', '.join(names)}")


def check_severity(value: Any) -> float:
    """Return a severity."""
    return check_number("severity", value, 0, 1)
