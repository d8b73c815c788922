"""What checks of a lexicon file report, and how they are run; the docstring of a check is its message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

from salva._docstrings import docstring

Level: TypeAlias = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem, and where it is."""

    code: str
    level: Level
    line: int
    message: str


class Entry(Protocol):
    """A group or a pair: it knows its line."""

    @property
    def line(self) -> int:
        """Where it is in its file."""
        ...


E = TypeVar("E", bound=Entry)
W = TypeVar("W")
Check: TypeAlias = tuple[Level, Callable[[E, W], Iterator[str]]]


def run_checks(checks: Mapping[str, Check[E, W]], entries: Iterable[E], whole: W) -> list[Finding]:
    """Return all problems of the entries of a whole file, in file order."""
    return [
        Finding(code, level, entry.line, f"{docstring(check).rstrip('.')}: {detail}")
        for entry in entries
        for code, (level, check) in checks.items()
        for detail in check(entry, whole)
    ]
