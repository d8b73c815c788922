"""Names of twins from a file, and lines in which a function has another name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.files import read_lines
from salva.twins.language import NONCE_NAMES, twin_names

__all__ = ["find_name", "names_given", "occurrences", "refuse_twins", "rename", "rename_some"]


def names_given(given: str) -> dict[str, str]:
    """Return the names that a user asks for: `nonce`, or those of a file with a function and a name a line.

    >>> names_given("nonce")["append"]
    'blicket'
    """
    return dict(NONCE_NAMES) if given == "nonce" else _read_names(given)


def _read_names(path: PathLike) -> dict[str, str]:
    names: dict[str, str] = {}
    for number, line in enumerate(read_lines(path), 1):
        words = line.split()
        if line.startswith("#") or not words:
            continue
        if len(words) != 2 or words[0] in names:
            problem = f"{line!r:.60}; expected a function and its new name, each function once"
            raise InputError.at(path, number, problem)
        names[words[0]] = words[1]
        try:
            twin_names(names)
        except UsageError as error:
            raise InputError.at(path, number, str(error)) from None
    return names


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, names))})(?!\S)")


def find_name(line: str, names: Collection[str]) -> str | None:
    """Return the first of the names that stands in a line.

    >>> find_name("copy append_twin A1 , B1", {"append", "append_twin"})
    'append_twin'
    """
    return next((token for token in line.split() if token in names), None)


def refuse_twins(
    lines: Sequence[str], names: Mapping[str, str], source: PathLike | None, remedy: str
) -> None:
    """Refuse lines in which a twin stands already."""
    taken = frozenset(names.values())
    for number, line in enumerate(lines, 1):
        found = find_name(line, taken)
        if found:
            raise InputError.at(source or "<lines>", number, f"holds the twin {found!r} already; {remedy}")


def occurrences(line: str, name: str) -> int:
    """Return how often a name stands in a line."""
    return len(_pattern((name,)).findall(line)) if name in line else 0  # most lines do not have it: four-fold


def rename(line: str, names: Mapping[str, str]) -> str:
    """Return a line with other names for some functions, wherever they stand.

    >>> rename("append append A1 , B1 , C1", {"append": "dax"})
    'dax dax A1 , B1 , C1'
    """
    return _pattern(tuple(names)).sub(lambda match: names[match[0]], line)


def rename_some(line: str, name: str, new: str, chosen: Iterator[bool]) -> str:
    """Return a line with another name for a function where `chosen` says so, place by place."""
    return _pattern((name,)).sub(lambda match: new if next(chosen) else match[0], line)
