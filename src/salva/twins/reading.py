"""Pair folders read back: every line is held against its twin, and both against what they mean.

A fault is refused with the file and the line. Targets may be missing, as lines say what they mean.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from salva._files import read_text
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.files import MANIFEST, read_lines, same_count
from salva.twins.interpreter import interpret_lines
from salva.twins.language import function_name, twin_names
from salva.twins.names import find_name, occurrences, refuse_twins
from salva.twins.pair import CONTROLS, PairKind, TwinPair

__all__ = ["read_notes", "read_pairs", "read_targets"]

_NOTES = ("alphabet", "names", "pairs")
_FILES = ("test.src", "test_twin.src", "test.tgt", "test_twin.tgt")


def read_pairs(
    folder: PathLike | Sequence[PathLike],
    *,
    names: Mapping[str, str] | None = None,
    alphabet: Collection[str] | None = None,
    kind: PairKind | None = None,
) -> list[TwinPair]:
    """Read the pairs of a folder, or of its four files named one by one (sources, twins, two targets).

    `names`, `alphabet` and `kind` are those of the manifest in the folder unless given.
    """
    if isinstance(folder, str | os.PathLike):
        paths = [Path(folder) / name for name in _FILES]
    else:
        paths = [Path(path) for path in folder]
    notes = read_notes(paths[0].parent)
    names = notes.get("names") if names is None else names
    alphabet = notes.get("alphabet") if alphabet is None else alphabet
    made: PairKind = kind or notes.get("pairs") or "twins"
    source, twin = paths[0], paths[1]
    lines, twins = read_lines(source), read_lines(twin)
    same_count(source, lines, twin, twins)
    values = interpret_lines(lines, twins=names, alphabet=alphabet, source=source)
    twin_values = interpret_lines(twins, twins=names, alphabet=alphabet, source=twin)
    for path, right in zip(paths[2:], (values, twin_values), strict=False):
        read_targets(path, right)
    known = twin_names(names)
    refuse_twins(lines, known, source, "twins belong into the other file")
    kinds = _kinds(made, twin, lines, twins, known)
    rows = zip(lines, twins, values, twin_values, kinds, range(len(lines)), strict=True)
    return [TwinPair(*row) for row in rows]


def read_notes(folder: Path) -> dict[str, Any]:
    """Return what the manifest of a folder says; nothing where there is none."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        notes = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"broken JSON: {error}") from None
    if not isinstance(notes, dict) or not all(_is_known(notes.get(name), name) for name in _NOTES):
        raise InputError.at(path, None, "is no manifest of Salva's; move it away")
    return notes


def _is_known(note: Any, name: str) -> bool:
    """Tell whether a note is missing, or of the kind that it should be."""
    if note is None or name == "pairs":
        return note in (None, *get_args(PairKind))
    words = [*note, *note.values()] if name == "names" and isinstance(note, dict) else note
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def read_targets(path: Path, right: Sequence[str]) -> None:
    """Check a file of targets against the values of its lines; a file that is missing has no fault."""
    if not path.exists():
        return
    lines = read_lines(path)
    same_count(path, lines, path.with_suffix(".src"), right)
    for number, (line, value) in enumerate(zip(lines, right, strict=True), 1):
        if line != value:
            found = f"{line!r:.80}" if line else "empty"
            problem = f"the target is {found}; line {number:,} of {path.stem}.src means {value!r:.80}"
            remedy = f"correct one of them, or remove {path.name}: targets are computed from the lines"
            raise InputError.at(path, number, f"{problem}; {remedy}")


def _kinds(
    made: PairKind, path: Path, lines: Sequence[str], twins: Sequence[str], names: Mapping[str, str]
) -> list[str]:
    """Return the kind of every pair; a fault is one of the file of twins."""
    if made == "shuffled":
        functions = {name: function for function, name in names.items()}
        return [functions.get(find_name(line, functions) or "", "") for line in twins]
    if made == "control":
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
    """Return the one function of a line that became its twin, all its occurrences."""
    before, after = line.split(), twin.split()
    if len(before) != len(after):
        raise InputError(f"{number_of(len(after), 'token')}, {len(before)} in the source; expected as many")
    changes = list(dict.fromkeys((a, b) for a, b in zip(before, after, strict=True) if a != b))
    if not changes:
        raise InputError("no twin; expected one function of the source replaced")
    for old, new in changes:
        known = names.get(function_name(old))
        if known is None or (known != new and _usual_twin(old, known) != new):
            expected = "only a function may change" if known is None else f"expected {known!r}"
            raise InputError(f"{old!r} of the source became {new!r}; {expected}")
    first, *others = dict.fromkeys(function_name(old) for old, _ in changes)
    if others:
        raise InputError(f"two functions replaced, {first!r} and {others[0]!r}; expected one")
    kept = occurrences(twin, first)
    if kept:
        raise InputError(f"{kept} of {occurrences(line, first)} {first!r} kept; replace all")
    return first


def _usual_twin(name: str, known: str) -> str | None:
    """Return NAME_twin for another name of a function whose twin is called so too: `swap_twin`."""
    return f"{name}_twin" if known == f"{function_name(name)}_twin" else None
