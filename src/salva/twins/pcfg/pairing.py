"""Pairs of lines with the same meaning: one function of a line is renamed to its twin at every occurrence.

Pairs are made from lines, written into folders and read back; reading compares every line with its twin.

Every line of a pair folder has exactly one function replaced, so that models can be judged function by
function. There are also two controls: lines whose function is replaced by another one, so that the answer has
to change, and pairs of unrelated lines, whose agreement is chance.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from salva._arguments import check_whole
from salva._files import digest, refuse_clashes
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.pair import TwinPair
from salva.twins.pcfg.files import (
    PAIR_FILES,
    PairRole,
    check_targets,
    read_lines,
    read_notes,
    same_count,
    whole_folder,
    write_lines,
    write_manifest,
)
from salva.twins.pcfg.language import interpret_lines
from salva.twins.pcfg.names import (
    CONTROLS,
    FUNCTIONS,
    find_name,
    function_name,
    occurrences,
    refuse_twins,
    rename,
    twin_names,
)
from salva.twins.pcfg.sampling import shuffle

BLOCKS = ("append", "swap_first_last", "repeat", "remove_second")  # the order of the official test files
PER_FUNCTION = 2500


def make_pairs(
    lines: Sequence[str],
    *,
    per_function: int = PER_FUNCTION,
    seed: int = 0,
    names: Mapping[str, str] | None = None,
    functions: Sequence[str] = BLOCKS,
    alphabet: Collection[str] | None = None,
    source: PathLike | None = None,
) -> list[TwinPair]:
    """Draw lines for every function, in blocks, and replace all its occurrences with its twin's name.

    A block holds at most `per_function` lines; a line occurs once per block, even if it is given twice.
    `names` maps functions to their twins' names, `NAME_twin` by default; errors name the file `source`.

    >>> make_pairs(["append A1 , copy append B1 , C1"])[0].twin
    'append_twin A1 , copy append_twin B1 , C1'
    """
    twins = twin_names(names)
    chosen = list(dict.fromkeys(map(function_name, functions)))
    if not chosen or not set(chosen) <= set(FUNCTIONS):
        raise UsageError(f"functions={functions!r}; expected some of {', '.join(FUNCTIONS)}")
    check_whole("seed", seed)
    check_whole("per_function", per_function, 1)
    if isinstance(lines, str) or not all(isinstance(line, str) for line in lines):
        raise UsageError("lines must be a list of strings, one line each")
    lines = [" ".join(line.split()) for line in lines]
    refuse_twins(lines, twins, source, "name a file without twins")
    targets = interpret_lines(lines, twins=names, alphabet=alphabet, source=source)
    target_of = dict(zip(lines, targets, strict=True))  # each line once, in order
    drawn: list[tuple[str, str]] = []
    for function in chosen:
        having = [line for line in target_of if occurrences(line, function)]
        having = shuffle(having, seed=seed, purpose=f"twins pair {function}")
        drawn += [(function, line) for line in having[:per_function]]
    if not drawn:
        raise InputError(f"{source or 'the lines'}: no line has any of {', '.join(chosen)}")
    renamed = [rename(line, function, twins[function]) for function, line in drawn]
    values = interpret_lines(renamed, twins=names, alphabet=alphabet)
    return [
        TwinPair(line, twin, target_of[line], value, function, row)
        for row, ((function, line), twin, value) in enumerate(zip(drawn, renamed, values, strict=True))
    ]


def make_controls(pairs: Iterable[TwinPair], *, alphabet: Collection[str] | None = None) -> list[TwinPair]:
    """Return pairs of the same sources with a function that is not a synonym, if the answer changes.

    A model that ignores functions agrees with itself here too, which is an error.

    >>> make_controls(make_pairs(["append A1 , B1"]))[0].twin_target
    'B1 A1'
    """
    pairs = [replace(pair, kind=function_name(pair.kind)) for pair in pairs]
    if unknown := [pair.kind for pair in pairs if pair.kind not in CONTROLS]:
        raise UsageError(f"{unknown[0]!r} has no control; expected pairs of {', '.join(CONTROLS)}")
    changed = [rename(pair.source, pair.kind, CONTROLS[pair.kind]) for pair in pairs]
    values = interpret_lines(changed, alphabet=alphabet)
    controls = [
        replace(pair, twin=line, twin_target=value, kind=f"{pair.kind}/{CONTROLS[pair.kind]}")
        for pair, line, value in zip(pairs, changed, values, strict=True)
        if value != pair.target
    ]
    return [replace(control, row=row) for row, control in enumerate(controls)]


def shuffle_pairs(pairs: Iterable[TwinPair], *, seed: int = 0) -> list[TwinPair]:
    """Pair each source with the twin of another source of the same kind, to measure agreement by chance.

    >>> pairs = make_pairs(["append A1 , B1", "append C1 , D1"])
    >>> [pair.target == pair.twin_target for pair in shuffle_pairs(pairs)]
    [False, False]
    """
    pairs = list(pairs)
    shuffles: list[TwinPair] = []
    for kind in dict.fromkeys(pair.kind for pair in pairs):
        block = [pair for pair in pairs if pair.kind == kind]
        # Each gets the twin of the next pair in a random order, so that none gets its own.
        mixed = shuffle(block, seed=seed, purpose=f"twins shuffle {kind}")
        partners = {pair.row: after for pair, after in zip(mixed, mixed[1:] + mixed[:1], strict=True)}
        shuffles += [
            replace(pair, twin=partners[pair.row].twin, twin_target=partners[pair.row].twin_target)
            for pair in block
            if partners[pair.row].source != pair.source
        ]
    return [replace(pair, row=row) for row, pair in enumerate(shuffles)]


def tally_pairs(pairs: Iterable[TwinPair], kinds: Iterable[str] = ()) -> dict[str, int]:
    """Return the number of pairs of each kind, in the order of the blocks; 0 for `kinds` without pairs.

    >>> tally_pairs(make_pairs(["append A1 , B1"]), ["append", "swap"])
    {'append': 1, 'swap_first_last': 0}
    """
    counts = Counter(pair.kind for pair in pairs)
    return {kind: counts[kind] for kind in dict.fromkeys([*map(function_name, kinds), *counts])}


def pair_files(pairs: Sequence[TwinPair]) -> dict[str, list[str]]:
    """Return the four files of a pair folder, by name."""
    rows = [(pair.source, pair.target, pair.twin, pair.twin_target) for pair in pairs]
    return {name: [row[k] for row in rows] for k, name in enumerate(PAIR_FILES)}


def write_pairs(
    folder: PathLike,
    pairs: Sequence[TwinPair],
    *,
    role: PairRole = "twins",
    notes: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Write the four files of a pair folder and a manifest; return the manifest.

    `notes` are added to the manifest, such as `names`, which `read_pairs` uses.
    """
    if not pairs:
        raise InputError(f"{folder}: there are no pairs to write")
    with whole_folder(folder, overwrite=overwrite) as place:
        files = {name: write_lines(place / name, lines) for name, lines in pair_files(pairs).items()}
        content = {"pairs": role, "by_kind": tally_pairs(pairs), **(notes or {}), "files": files}
        write_manifest(place, "salva twins pair", content)
    return content


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
        # `swap_twin`, if the twin has its default name.
        usual = f"{old}_twin" if expected == f"{function_name(old)}_twin" else expected
        if new not in (expected, usual):
            raise InputError(f"{old!r} in the source became {new!r}; expected {expected!r}")
    first, *others = dict.fromkeys(function_name(old) for old, _ in changes)
    if others:
        raise InputError(f"two functions replaced, {first!r} and {others[0]!r}; expected one")
    if kept := occurrences(twin, first):
        raise InputError(f"{kept} of {occurrences(line, first)} {first!r} not replaced; replace all")
    return first


@dataclass(frozen=True, slots=True)
class PairFolder:
    """A folder of pairs, and how many there are of each kind; 0 for a function that no line has."""

    folder: str
    pairs: PairRole
    by_kind: Mapping[str, int]


def pair_file(
    source: PathLike,
    folder: PathLike,
    *,
    per_function: int = PER_FUNCTION,
    seed: int = 0,
    names: Mapping[str, str] | None = None,
    functions: Sequence[str] = BLOCKS,
    alphabet: Collection[str] | None = None,
    controls: bool = False,
    overwrite: bool = False,
) -> list[PairFolder]:
    """Write pairs made from the lines of a file; with `controls`, also write `control` and `shuffled` there.

    If there is a file of targets next to the source, it is checked first. A folder in which the source itself
    would be overwritten is refused.
    """
    roles = get_args(PairRole) if controls else ("twins",)
    folders = {role: Path(folder) if role == "twins" else Path(folder) / role for role in roles}
    targets = Path(source).with_suffix(".tgt")
    refuse_clashes((source, targets), (place / name for place in folders.values() for name in PAIR_FILES))
    lines = read_lines(source)
    check_targets(targets, interpret_lines(lines, alphabet=alphabet, twins=names, source=source))
    pairs = make_pairs(
        lines,
        per_function=per_function,
        seed=seed,
        names=names,
        functions=functions,
        alphabet=alphabet,
        source=source,
    )
    made: dict[PairRole, list[TwinPair]] = {"twins": pairs}
    if controls:
        made |= {
            "control": make_controls(pairs, alphabet=alphabet),
            "shuffled": shuffle_pairs(pairs, seed=seed),
        }
    for role, part in made.items():
        if not part:
            raise InputError(f"{source}: no {role} pairs can be made; use more lines, or no controls")
    notes = {
        "settings": {"seed": seed, "per_function": per_function},
        "names": twin_names(names),
        "source": Path(source).name,
        "source_digest": digest(source),
        "alphabet": None if alphabet is None else sorted(alphabet),
    }
    tallies = {role: tally_pairs(part, functions if role == "twins" else ()) for role, part in made.items()}
    for role, part in made.items():
        write_pairs(
            folders[role], part, role=role, notes=notes | {"by_kind": tallies[role]}, overwrite=overwrite
        )
    return [PairFolder(str(folders[role]), role, tally) for role, tally in tallies.items()]
