"""Checks of the values that a caller passes, and the hint for a name that does not exist.

Each check returns the value, or raises a UsageError that names the argument, the value and what was expected.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from salva.errors import UsageError

MOST = (1 << 64) - 1  # the largest seed, replicate or limit


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """Return the question for a mistyped name, or `otherwise` if no known name is near.

    >>> did_you_mean("hybird", ["hybrid", "typos"])
    "did you mean 'hybrid'?"
    """
    near = difflib.get_close_matches(name[:100], list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


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
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


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
