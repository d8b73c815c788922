"""Read the names of twins from a file, and rename functions in lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.pcfg.files import read_lines
from salva.twins.pcfg.language import ALIASES, NONCE_NAMES, function_name, twin_names, twin_words


def names_given(given: str) -> dict[str, str]:
    """Return the names that a user asks for: `nonce`, or a file with one function and name per line.

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
        if len(words) != 2 or function_name(words[0]) in names:
            problem = f"{line!r:.60}; expected a function and its new name, each function once"
            raise InputError.at(path, number, problem)
        names[function_name(words[0])] = words[1]
        try:
            twin_names(names)
        except UsageError as error:
            raise InputError.at(path, number, str(error)) from None
    return names


def spellings(function: str) -> tuple[str, ...]:
    """Return the words by which lines may name a function.

    >>> spellings("swap_first_last"), spellings("append")
    (('swap_first_last', 'swap'), ('append',))
    """
    return (function, *(alias for alias, known in ALIASES.items() if known == function))


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, names))})(?!\S)")


def find_name(line: str, names: Collection[str]) -> str | None:
    """Return the first word of a line that is one of the names.

    >>> find_name("copy append_twin A1 , B1", {"append", "append_twin"})
    'append_twin'
    """
    return next((token for token in line.split() if token in names), None)


def refuse_twins(
    lines: Sequence[str], names: Mapping[str, str], source: PathLike | None, remedy: str
) -> None:
    """Refuse lines that already contain a twin."""
    taken = twin_words(names)
    for number, line in enumerate(lines, 1):
        found = find_name(line, taken)
        if found:
            raise InputError.at(source or "<lines>", number, f"already contains the twin {found!r}; {remedy}")


def occurrences(line: str, function: str) -> int:
    """Return how often a function occurs in a line.

    >>> occurrences("swap swap_first_last A1 B1", "swap_first_last")
    2
    """
    names = spellings(function)
    if not any(name in line for name in names):  # most lines do not have it: four times faster
        return 0
    return len(_pattern(names).findall(line))


def rename(line: str, function: str, new: str) -> str:
    """Return a line with a function renamed at every occurrence.

    >>> rename("append append A1 , B1 , C1", "append", "dax")
    'dax dax A1 , B1 , C1'
    """
    return _pattern(spellings(function)).sub(lambda _: new, line)


def rename_some(line: str, function: str, new: str, chosen: Iterator[bool]) -> str:
    """Return a line with a function renamed at those occurrences for which `chosen` yields true."""
    return _pattern(spellings(function)).sub(lambda match: new if next(chosen) else match[0], line)
