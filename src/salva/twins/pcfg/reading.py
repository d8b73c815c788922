"""Read folders back: pairs, in which every line is compared with its twin, and corpora without twins.

Errors name the file and the line. Targets may be missing, since they are computed from the lines.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from salva._files import read_text
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.pair import TwinPair
from salva.twins.pcfg.files import MANIFEST, PAIR_FILES, read_lines, same_count
from salva.twins.pcfg.interpreter import interpret_lines
from salva.twins.pcfg.language import define_language
from salva.twins.pcfg.names import (
    ALIASES,
    CONTROLS,
    FUNCTIONS,
    find_name,
    function_name,
    occurrences,
    refuse_twins,
    twin_names,
)

_PARTS = ("train", "dev", "test")
BASE_FILES = tuple(f"{name}.{ending}" for name in _PARTS for ending in ("src", "tgt"))
_NOTES = ("alphabet", "names", "pairs")
PairRole = Literal["twins", "control", "shuffled"]


def read_pairs(
    folder: PathLike | Sequence[PathLike],
    *,
    names: Mapping[str, str] | None = None,
    alphabet: Collection[str] | None = None,
    role: PairRole | None = None,
) -> list[TwinPair]:
    """Read the pairs in a folder, or in four files named one by one (sources, twins, and both targets).

    By default `names`, `alphabet` and `role` are taken from the manifest in the folder.
    """
    if isinstance(folder, str | os.PathLike):
        paths = [Path(folder) / name for name in (*PAIR_FILES[::2], *PAIR_FILES[1::2])]
    else:
        paths = [Path(path) for path in folder]
    source, twin, *target_files = paths
    notes = read_notes(source.parent)
    names = notes.get("names") if names is None else names
    alphabet = notes.get("alphabet") if alphabet is None else alphabet
    lines, twins = read_lines(source), read_lines(twin)
    same_count(source, lines, twin, twins)
    values = interpret_lines(lines, twins=names, alphabet=alphabet, source=source)
    twin_values = interpret_lines(twins, twins=names, alphabet=alphabet, source=twin)
    for path, right in zip(target_files, (values, twin_values), strict=False):
        check_targets(path, right)
    twin_of = twin_names(names)
    refuse_twins(lines, twin_of, source, "twins belong in the other file")
    kinds = _find_kinds(role or notes.get("pairs") or "twins", twin, lines, twins, twin_of)
    rows = zip(lines, twins, values, twin_values, kinds, range(len(lines)), strict=True)
    return [TwinPair(*row) for row in rows]


def read_notes(folder: Path) -> dict[str, Any]:
    """Return the manifest of a folder; an empty dict if there is none."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        notes = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"broken JSON: {error}") from None
    if not isinstance(notes, dict) or not all(_is_known(notes.get(name), name) for name in _NOTES):
        raise InputError.at(path, None, "is not a manifest written by Salva; move it elsewhere")
    return notes


def _is_known(note: Any, name: str) -> bool:
    """Return whether a note is missing or has the expected type."""
    if note is None or name == "pairs":
        return note in (None, *get_args(PairRole))
    words = [*note, *note.values()] if name == "names" and isinstance(note, dict) else note
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def check_targets(path: Path, right: Sequence[str]) -> None:
    """Check a file of targets against the values of its lines; a missing file is accepted."""
    if not path.exists():
        return
    lines = read_lines(path)
    same_count(path, lines, path.with_suffix(".src"), right)
    for number, (line, value) in enumerate(zip(lines, right, strict=True), 1):
        if line != value:
            target = f"{line!r:.80}" if line else "empty"
            problem = f"the target is {target}, but line {number:,} of {path.stem}.src means {value!r:.80}"
            remedy = f"correct one of them, or remove {path.name}: targets are computed from the lines"
            raise InputError.at(path, number, f"{problem}; {remedy}")


def _find_kinds(
    role: PairRole, path: Path, lines: Sequence[str], twins: Sequence[str], names: Mapping[str, str]
) -> list[str]:
    """Return the kind of every pair; errors name the file of twins."""
    if role == "shuffled":
        functions = {name: function for function, name in names.items()}
        return [functions.get(find_name(line, functions) or "", "") for line in twins]
    if role == "control":
        return [f"{old}/{CONTROLS[old]}" for old in _all_replaced(path, lines, twins, CONTROLS)]
    return list(_all_replaced(path, lines, twins, names))


def _all_replaced(
    path: Path, lines: Sequence[str], twins: Sequence[str], names: Mapping[str, str]
) -> Iterator[str]:
    for number, (line, twin) in enumerate(zip(lines, twins, strict=True), 1):
        try:
            yield _replaced(line, twin, names)
        except InputError as error:
            raise InputError.at(path, number, str(error)) from None


def _replaced(line: str, twin: str, names: Mapping[str, str]) -> str:
    """Return the one function of a line that was replaced with its twin at every occurrence."""
    before, after = line.split(), twin.split()
    if len(before) != len(after):
        raise InputError(
            f"{number_of(len(after), 'token')}, {len(before)} in the source; expected the same number"
        )
    changes = list(dict.fromkeys((a, b) for a, b in zip(before, after, strict=True) if a != b))
    if not changes:
        raise InputError("no twin; expected one function of the source to be replaced")
    for old, new in changes:
        expected = names.get(function_name(old))
        if expected is None:
            raise InputError(f"{old!r} in the source became {new!r}; only a function may change")
        if new not in (expected, _usual_twin(old, expected)):
            raise InputError(f"{old!r} in the source became {new!r}; expected {expected!r}")
    first, *others = dict.fromkeys(function_name(old) for old, _ in changes)
    if others:
        raise InputError(f"two functions replaced, {first!r} and {others[0]!r}; expected one")
    kept = occurrences(twin, first)
    if kept:
        raise InputError(f"{kept} of {occurrences(line, first)} {first!r} not replaced; replace all")
    return first


def _usual_twin(name: str, twin: str) -> str | None:
    """Return NAME_twin for an alias of a function whose twin has its default name, such as `swap_twin`."""
    return f"{name}_twin" if twin == f"{function_name(name)}_twin" else None


class BaseCorpus(NamedTuple):
    """A corpus without twins: lines to train on and their values, lines to test on, and all strings."""

    home: Path
    sources: list[str]
    targets: list[str]
    test: list[str]
    strings: frozenset[str]
    alphabet: Collection[str] | None

    def symbols(self) -> list[str]:
        """Return all symbols that are used, sorted."""
        return sorted({symbol for string in self.strings for symbol in string.split()})


def read_corpus(
    folder: Path, names: Mapping[str, str], alphabet: Collection[str] | None = None
) -> BaseCorpus:
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
    define_language(names, alphabet)  # refuses a name that is also a symbol
    parts = {
        name: _read(home / f"{name}.src", names, alphabet)
        for name in _PARTS
        if name != "dev" or (home / "dev.src").exists()
    }
    strings = frozenset(string for lines, _ in parts.values() for string in string_arguments(lines))
    return BaseCorpus(home, *parts["train"], parts["test"][0], strings, alphabet)


def _read(
    path: Path, names: Mapping[str, str], alphabet: Collection[str] | None
) -> tuple[list[str], list[str]]:
    lines = read_lines(path)
    refuse_twins(lines, names, path, "name a corpus without twins")
    values = interpret_lines(lines, twins=names, alphabet=alphabet, source=path)
    check_targets(path.with_suffix(".tgt"), values)
    return lines, values


def _odd_symbols(notes: Mapping[str, Any]) -> list[str] | None:
    """Return the alphabet from a manifest, if its symbols are not letters followed by digits."""
    settings = notes.get("settings")
    symbols = settings.get("alphabet") if isinstance(settings, dict) else None
    if not isinstance(symbols, list) or all(define_language().is_symbol(str(symbol)) for symbol in symbols):
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
