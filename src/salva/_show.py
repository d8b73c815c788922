"""How texts and numbers are displayed: control and hidden characters escaped, numbers with their nouns."""

from __future__ import annotations

import math
import re
from typing import Protocol

MISSING = "n/a"
NOTICE = 25  # log level between INFO and WARNING, for messages that users should see by default

# Control characters; invisible characters and those that change the text direction; lone surrogates.
UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)


def escape(characters: str) -> str:
    """Return characters as Python escapes."""
    return characters.encode("unicode_escape", "surrogatepass").decode("ascii")


def number_of(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun in the singular or plural.

    >>> number_of(1, "set"), number_of(1200, "set"), number_of(0, "word is", "words are")
    ('1 set', '1,200 sets', '0 words are')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def printable(text: str) -> str:
    r"""Return the text with every control or hidden character shown as its escape.

    >>> printable("a\x1b[2Jb\u202ec")
    'a\\x1b[2Jb\\u202ec'
    """
    return UNSHOWN.sub(lambda match: escape(match[0]), text)


def shorten(text: str, most: int = 100) -> str:
    """Return a text, of a long one only the beginning: messages stay readable whatever a file holds.

    >>> shorten("a" * 5000, 10)
    'aaaaaaaaa…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


class Between(Protocol):
    """Anything with an interval."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""


def number(value: float | None, digits: int = 1) -> str:
    """Return a number with this many digits after the point.

    >>> number(8.24), number(-0.04), number(None)
    ('8.2', '0.0', 'n/a')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # adding 0.0 turns -0.0 into 0.0


def count(value: int | None) -> str:
    """Return a whole number with thousands separators.

    >>> count(25000)
    '25,000'
    """
    return MISSING if value is None else f"{value:,}"


def interval(estimate: Between, digits: int = 1, missing: str = MISSING) -> str:
    """Return the interval of an estimate in brackets, or `missing` if it has none."""
    low, high = estimate.low, estimate.high
    return missing if low is None or high is None else f"[{number(low, digits)}, {number(high, digits)}]"


def digits_of(estimate: Between) -> int:
    """Return how many digits after the point an interval bears: two significant digits of its width.

    Without an interval, or with one of no width, that is one digit.

    >>> from types import SimpleNamespace
    >>> [digits_of(SimpleNamespace(low=50.0, high=high)) for high in (50.5, 55.0, 61.0, None)]
    [2, 1, 0, 1]
    """
    low, high = estimate.low, estimate.high
    if low is None or high is None or not 0 < high - low < math.inf:
        return 1
    return min(max(1 - math.floor(math.log10(high - low)), 0), 4)


def p_value(p: float | None) -> str:
    """Return a p-value with four digits.

    >>> p_value(0.0312), p_value(1e-9), p_value(1.0)
    ('0.0312', '< 0.0001', '1.0000')
    """
    return "< 0.0001" if p is not None and p < 0.0001 else number(p, 4)


def size(number_of_bytes: int) -> str:
    """Return a file size.

    >>> size(183_500), size(2_400_000)
    ('184 kB', '2.4 MB')
    """
    thousands = number_of_bytes / 1000
    return f"{thousands:.0f} kB" if thousands < 1000 else f"{thousands / 1000:.1f} MB"


def duration(seconds: float) -> str:
    """Return how long something takes, in the two units that matter.

    >>> duration(0.2), duration(7.4), duration(200), duration(7500), duration(200_000)
    ('0.2 s', '7 s', '3 min 20 s', '2 h 5 min', '2 d 7 h')
    """
    if seconds < 3:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for unit, name, smaller, part in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit:
            rest = whole % unit // smaller
            return f"{whole // unit} {name} {rest} {part}" if rest else f"{whole // unit} {name}"
    return f"{whole} s"
