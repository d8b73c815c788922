"""The pair type, and the non-synonym of each function for controls; other modules make and read pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from salva.twins.language import function_name

PairKind = Literal["twins", "control", "shuffled"]

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
    def group(self) -> str:
        """The name of its kind, `(none)` if it has none; `swap` is `swap_first_last`."""
        return function_name(self.kind) or "(none)"
