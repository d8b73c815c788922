"""Read a corpus without twins, from which conditions are made, and check it line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from salva.errors import InputError
from salva.twins.files import read_lines
from salva.twins.interpreter import interpret_lines
from salva.twins.language import ALIASES, FUNCTIONS, language
from salva.twins.names import refuse_twins
from salva.twins.reading import read_notes, read_targets

_PARTS = ("train", "dev", "test")
BASE_FILES = tuple(f"{name}.{ending}" for name in _PARTS for ending in ("src", "tgt"))


class Base(NamedTuple):
    """Lines to train on with their values, lines to test on, and all string arguments of the corpus."""

    home: Path
    sources: list[str]
    targets: list[str]
    test: list[str]
    strings: frozenset[str]
    alphabet: Collection[str] | None

    def symbols(self) -> list[str]:
        """Return all symbols that are used, sorted."""
        return sorted({symbol for string in self.strings for symbol in string.split()})


def read_base(folder: Path, names: Mapping[str, str], alphabet: Collection[str] | None = None) -> Base:
    """Read `train`, `test` and, if present, `dev` from a folder, or from `pcfgset` inside it.

    Targets are checked if present. A line that contains the name of a twin is refused.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError.at(
            folder, None, "is a file; name the folder of a corpus, with train.src and test.src"
        )
    inner = folder / "pcfgset"
    home = inner if not (folder / "train.src").exists() and inner.is_dir() else folder
    if alphabet is None:
        alphabet = _odd_symbols(read_notes(home))
    language(names, alphabet)  # refuses a name that is also a symbol
    parts = {
        name: _read(home / f"{name}.src", names, alphabet)
        for name in _PARTS
        if name != "dev" or (home / "dev.src").exists()
    }
    strings = frozenset(string for lines, _ in parts.values() for string in string_arguments(lines))
    return Base(home, *parts["train"], parts["test"][0], strings, alphabet)


def _read(
    path: Path, names: Mapping[str, str], alphabet: Collection[str] | None
) -> tuple[list[str], list[str]]:
    lines = read_lines(path)
    refuse_twins(lines, names, path, "name a corpus without twins")
    values = interpret_lines(lines, twins=names, alphabet=alphabet, source=path)
    read_targets(path.with_suffix(".tgt"), values)
    return lines, values


def _odd_symbols(notes: Mapping[str, Any]) -> list[str] | None:
    """Return the alphabet from a manifest, if its symbols are not letters followed by digits."""
    settings = notes.get("settings")
    symbols = settings.get("alphabet") if isinstance(settings, dict) else None
    if not isinstance(symbols, list) or all(language().is_symbol(str(symbol)) for symbol in symbols):
        return None
    return [str(symbol) for symbol in symbols]


def string_arguments(lines: Sequence[str]) -> Iterator[str]:
    """Yield the string arguments of lines without twins.

    >>> list(string_arguments(["append A1 B1 , echo C1"]))
    ['A1 B1', 'C1']
    """
    words = "|".join(map(re.escape, (*FUNCTIONS, *ALIASES)))
    for part in re.split(rf"(?<!\S)(?:{words}|,)(?!\S)|\n", "\n".join(lines)):
        string = part.strip()
        if string:
            yield string
