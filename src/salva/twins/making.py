"""Make pair folders from a file of lines: the pairs and, on request, their controls in subfolders."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva._files import digest
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.files import read_lines, refuse_inputs
from salva.twins.interpreter import interpret_lines
from salva.twins.language import twin_names
from salva.twins.pair import PairKind, TwinPair
from salva.twins.pairing import (
    BLOCKS,
    PAIR_FILES,
    PER_FUNCTION,
    make_controls,
    make_pairs,
    shuffle_pairs,
    tally_pairs,
    write_pairs,
)
from salva.twins.reading import read_targets


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
