"""Pairs of lines with the same meaning: one function of a line is renamed to its twin at every occurrence.

Every line of a pair folder has exactly one function replaced, so that models can be judged function by
function. There are also two controls: lines whose function is replaced by another one, so that the answer has
to change, and pairs of unrelated lines, whose agreement is chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from salva._arguments import check_whole
from salva._files import digest
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.pair import PairKind, TwinPair
from salva.twins.pcfg.files import read_lines, refuse_inputs, whole_folder, write_lines, write_manifest
from salva.twins.pcfg.interpreter import interpret_lines
from salva.twins.pcfg.names import (
    CONTROLS,
    FUNCTIONS,
    function_name,
    occurrences,
    refuse_twins,
    rename,
    twin_names,
)
from salva.twins.pcfg.reading import read_targets
from salva.twins.pcfg.sampling import shuffled

BLOCKS = ("append", "swap_first_last", "repeat", "remove_second")  # the order of the official test files
PER_FUNCTION = 2500
PAIR_FILES = ("test.src", "test.tgt", "test_twin.src", "test_twin.tgt")


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
    functions = _checked(per_function, functions, seed)
    if isinstance(lines, str) or not all(isinstance(line, str) for line in lines):
        raise UsageError("lines must be a list of strings, one line each")
    lines = [" ".join(line.split()) for line in lines]
    refuse_twins(lines, twins, source, "name a file without twins")
    targets = interpret_lines(lines, twins=names, alphabet=alphabet, source=source)
    chosen: list[tuple[str, int]] = []
    first = {line: row for row, line in reversed(list(enumerate(lines)))}
    distinct = sorted(first.values())
    for function in functions:
        rows = [row for row in distinct if occurrences(lines[row], function)]
        some = shuffled(rows, seed=seed, purpose=f"twins pair {function}")[:per_function]
        chosen += [(function, row) for row in some]
    if not chosen:
        raise InputError(f"{source or 'the lines'}: no line has any of {', '.join(functions)}")
    renamed = [rename(lines[row], function, twins[function]) for function, row in chosen]
    values = interpret_lines(renamed, twins=names, alphabet=alphabet)
    return [
        TwinPair(lines[row], twin, targets[row], value, function, number)
        for number, ((function, row), twin, value) in enumerate(zip(chosen, renamed, values, strict=True))
    ]


def make_controls(pairs: Iterable[TwinPair], *, alphabet: Collection[str] | None = None) -> list[TwinPair]:
    """Return pairs of the same sources with a function that is not a synonym, if the answer changes.

    A model that ignores functions agrees with itself here too, which is an error.

    >>> make_controls(make_pairs(["append A1 , B1"]))[0].twin_target
    'B1 A1'
    """
    pairs = [replace(pair, kind=function_name(pair.kind)) for pair in pairs]
    unknown = [pair.kind for pair in pairs if pair.kind not in CONTROLS]
    if unknown:
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
    found: list[TwinPair] = []
    for kind in dict.fromkeys(pair.kind for pair in pairs):
        block = [pair for pair in pairs if pair.kind == kind]
        # Each gets the twin of the next pair in a random order, so that none gets its own.
        mixed = shuffled(block, seed=check_whole("seed", seed), purpose=f"twins shuffle {kind}")
        partners = {one.row: two for one, two in zip(mixed, mixed[1:] + mixed[:1], strict=True)}
        found += [
            replace(pair, twin=partners[pair.row].twin, twin_target=partners[pair.row].twin_target)
            for pair in block
            if partners[pair.row].source != pair.source
        ]
    return [replace(pair, row=row) for row, pair in enumerate(found)]


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
    kind: PairKind = "twins",
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
        content = {"pairs": kind, "by_kind": tally_pairs(pairs), **(notes or {}), "files": files}
        write_manifest(place, "salva twins pair", content)
    return content


def _checked(per_function: int, functions: Sequence[str], seed: int) -> list[str]:
    """Return the distinct functions; refuse invalid arguments."""
    check_whole("seed", seed)
    if not isinstance(per_function, int) or per_function < 1:
        raise UsageError(f"per_function={per_function!r} must be a whole number above 0")
    named = list(dict.fromkeys(map(function_name, functions)))
    if not named or not set(named) <= set(FUNCTIONS):
        raise UsageError(f"functions={functions!r}; expected some of {', '.join(FUNCTIONS)}")
    return named


@dataclass(frozen=True, slots=True)
class PairFolder:
    """A folder of pairs, and how many there are of each kind; 0 for a function that no line has."""

    folder: str
    pairs: PairKind
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
    kinds: tuple[PairKind, ...] = ("twins", "control", "shuffled") if controls else ("twins",)
    folders = {kind: Path(folder) if kind == "twins" else Path(folder) / kind for kind in kinds}
    read = Path(source), Path(source).with_suffix(".tgt")
    refuse_inputs(read, (place / name for place in folders.values() for name in PAIR_FILES))
    lines = read_lines(source)
    values = interpret_lines(lines, alphabet=alphabet, twins=names, source=source)
    read_targets(Path(source).with_suffix(".tgt"), values)
    pairs = make_pairs(
        lines,
        per_function=per_function,
        seed=seed,
        names=names,
        functions=functions,
        alphabet=alphabet,
        source=source,
    )
    made: dict[PairKind, list[TwinPair]] = {"twins": pairs}
    if controls:
        made["control"] = make_controls(pairs, alphabet=alphabet)
        made["shuffled"] = shuffle_pairs(pairs, seed=seed)
    for kind, part in made.items():
        if not part:
            raise InputError(f"{source}: no {kind} pairs can be made; use more lines, or no controls")
    notes: dict[str, Any] = {
        "settings": {"seed": seed, "per_function": per_function},
        "names": twin_names(names),
    }
    notes |= {"source": Path(source).name, "source_digest": digest(source)}
    notes |= {"alphabet": None if alphabet is None else sorted(alphabet)}
    tallies = {kind: tally_pairs(part, functions if kind == "twins" else ()) for kind, part in made.items()}
    for kind, part in made.items():
        said = notes | {"by_kind": tallies[kind]}
        write_pairs(folders[kind], part, kind=kind, notes=said, overwrite=overwrite)
    return [PairFolder(str(folders[kind]), kind, tally) for kind, tally in tallies.items()]
