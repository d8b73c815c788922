"""The functions of PCFG SET, the names of their twins, and how functions are found and renamed in lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from salva._arguments import did_you_mean
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.pcfg.files import read_lines

# Functions and how many arguments they take; samples of the generator number them in this order.
FUNCTIONS = {
    "copy": 1,
    "reverse": 1,
    "shift": 1,
    "swap_first_last": 1,
    "repeat": 1,
    "echo": 1,
    "append": 2,
    "prepend": 2,
    "remove_first": 2,
    "remove_second": 2,
}
ALIASES = {"swap": "swap_first_last"}  # the name in the specification, accepted wherever a function is named
TWINNED = ("swap_first_last", "repeat", "append", "remove_second")
# Names that reveal nothing to a model that reads parts of words; `append_twin` reveals everything.
NONCE_NAMES = {"swap_first_last": "dax", "repeat": "wug", "append": "blicket", "remove_second": "zup"}
# Functions that take the same number of arguments and usually give a different result.
CONTROLS = {
    "append": "prepend",
    "prepend": "append",
    "remove_first": "remove_second",
    "remove_second": "remove_first",
    "repeat": "echo",
    "echo": "repeat",
    "swap_first_last": "copy",
    "copy": "reverse",
    "reverse": "copy",
    "shift": "copy",
}

COMMA = ","
WORD = re.compile(r"\S+")


def function_name(name: str) -> str:
    """Return the name of a function in the data: `swap` is `swap_first_last`.

    >>> function_name("swap"), function_name("append")
    ('swap_first_last', 'append')
    """
    return ALIASES.get(name, name)


def twin_names(names: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the twin of every function: `NAME_twin`, or the given name.

    >>> twin_names({"append": "dax"})["append"], twin_names()["copy"]
    ('dax', 'copy_twin')
    """
    twins = {function: f"{function}_twin" for function in FUNCTIONS} | _by_function(names or {})
    for function, name in twins.items():
        problem = f"{name!r:.60} cannot be the twin of {function!r:.60}"
        if not isinstance(name, str) or name == COMMA or not WORD.fullmatch(name):
            raise UsageError(f"{problem}; write one word")
        if name in (*FUNCTIONS, *ALIASES, *alias_twins(twins)) or list(twins.values()).count(name) > 1:
            raise UsageError(f"{problem}; another function has that name")
    return twins


def _by_function(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by function; refuse an unknown function and one that is named twice."""
    twins: dict[str, str] = {}
    for name, twin in names.items():
        function = function_name(name)
        if function not in FUNCTIONS:
            hint = did_you_mean(name.lower(), FUNCTIONS, otherwise=f"expected one of {', '.join(FUNCTIONS)}")
            raise UsageError(f"{name!r:.60} is not a function; {hint}")
        if function in twins:
            both = " and ".join(repr(alias) for alias in names if function_name(alias) == function)
            raise UsageError(f"{both} are the same function; name one of them")
        twins[function] = twin
    return twins


def alias_twins(twins: Mapping[str, str]) -> dict[str, str]:
    """Return the twin names of aliases and their functions, where a twin is called NAME_twin."""
    return {f"{a}_twin": function for a, function in ALIASES.items() if twins[function] == f"{function}_twin"}


def twin_words(names: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return all words that name a twin; with the default names, these include `swap_twin`.

    >>> "swap_twin" in twin_words(), "swap_twin" in twin_words({"swap": "dax"})
    (True, False)
    """
    twins = twin_names(names)
    return frozenset([*twins.values(), *alias_twins(twins)])


def read_names(spec: str) -> dict[str, str]:
    """Return the names that a user asks for: `nonce`, or a file with one function and name per line.

    >>> read_names("nonce")["append"]
    'blicket'
    """
    if spec == "nonce":
        return dict(NONCE_NAMES)
    names: dict[str, str] = {}
    for number, line in enumerate(read_lines(spec), 1):
        words = line.split()
        if line.startswith("#") or not words:
            continue
        if len(words) != 2 or function_name(words[0]) in names:
            raise InputError.at(
                spec, number, f"{line!r:.60}; expected a function and its new name, each function once"
            )
        names[function_name(words[0])] = words[1]
        try:
            twin_names(names)
        except UsageError as error:
            raise InputError.at(spec, number, str(error)) from None
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
        if found := find_name(line, taken):
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
