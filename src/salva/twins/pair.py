"""A pair, and pairs as JSON lines: this format holds any text, including tabs and line breaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from salva._files import read_text, write_atomically
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.pcfg.names import function_name

_BROKEN = "contains a lone surrogate, which is not a character; write the text as UTF-8"
_FIELDS = ("source", "twin", "target", "twin_target", "kind", "row")


@dataclass(frozen=True, slots=True)
class TwinPair:
    """A line and its twin, their targets, what was replaced, and the row of the pair, counted from 0."""

    source: str
    twin: str
    target: str
    twin_target: str
    kind: str
    row: int

    @property
    def kind_name(self) -> str:
        """The name of its kind, `(none)` if it has none; `swap` is `swap_first_last`."""
        return function_name(self.kind) or "(none)"


def write_pair_lines(path: PathLike, pairs: Sequence[TwinPair], *, overwrite: bool = False) -> None:
    """Write pairs as JSON lines."""
    for pair in pairs:
        if not _is_text(pair):
            raise InputError(f"the pair of row {pair.row} {_BROKEN}")
    lines = (json.dumps(asdict(pair), ensure_ascii=False) + "\n" for pair in pairs)
    write_atomically(path, "".join(lines).encode(), overwrite=overwrite)


def read_pair_lines(path: PathLike) -> list[TwinPair]:
    """Return the pairs of a file of JSON lines."""
    lines = enumerate(read_text(path).split("\n"), 1)
    pairs = [_pair(path, number, line) for number, line in lines if line.strip()]
    if not pairs:
        raise InputError.at(path, None, "has no pairs")
    return pairs


def _pair(path: PathLike, number: int, line: str) -> TwinPair:
    try:
        held: Any = json.loads(line)
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, Mapping) or not {"source", "twin"} <= held.keys() <= set(_FIELDS):
        raise InputError.at(path, number, f"is not a pair; expected a JSON object with {', '.join(_FIELDS)}")
    texts = {name: held.get(name, "") for name in _FIELDS[:-1]}
    row = held.get("row", number - 1)
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(row, int):
        raise InputError.at(path, number, "texts of a pair must be strings, and its row a whole number")
    if held["source"] == held["twin"]:
        raise InputError.at(
            path, number, "source and twin are the same text; a pair needs two different texts"
        )
    if "twin_target" not in held:
        texts["twin_target"] = texts["target"]
    pair = TwinPair(**texts, row=row)
    if not _is_text(pair):
        raise InputError.at(path, number, _BROKEN)
    return pair


def _is_text(pair: TwinPair) -> bool:
    try:
        "".join((pair.source, pair.twin, pair.target, pair.twin_target, pair.kind)).encode()
    except UnicodeEncodeError:
        return False
    return True
