"""Heat maps: the more a cell matters, the stronger its colour; in panels placed side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NAMES, _CELL, _ROW, _TOP = 146, 27, 18, 18
_LOUDEST = 0.5  # of full colour, so that the number in the cell stays readable


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A name and the values of its cells, None if empty; `loud` gives colour strengths from 0 to 1."""

    name: str
    texts: tuple[str, ...]
    loud: tuple[float | None, ...]
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeatCell:
    """The position of a cell, its colour strength and its text."""

    x: float
    y: float
    opacity: float | None
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class HeatPanel:
    """Some rows of a heat map under the names of its columns: names as (position, text), then cells."""

    columns: tuple[tuple[float, str], ...]
    names: tuple[tuple[float, str], ...]
    cells: tuple[HeatCell, ...]
    width: int
    height: int
    cell_width: int = _CELL
    cell_height: int = _ROW


def heat_panels(rows: Sequence[HeatRow], columns: Sequence[str], *, most: int = 32) -> tuple[HeatPanel, ...]:
    """Return panels of at most `most` rows each, as even as possible.

    >>> [len(panel.names) for panel in heat_panels([HeatRow("a", ("1",), (1.0,), ("",))] * 5, ["x"], most=3)]
    [3, 2]
    """
    count = -(-len(rows) // most)
    size = -(-len(rows) // count) if count else 0
    return tuple(_panel(rows[first : first + size], columns) for first in range(0, len(rows), size or 1))


def _panel(rows: Sequence[HeatRow], columns: Sequence[str]) -> HeatPanel:
    cells = [
        HeatCell(
            _NAMES + k * _CELL,
            _TOP + i * _ROW,
            None if row.loud[k] is None else round(_LOUDEST * min(max(row.loud[k] or 0.0, 0.0), 1.0), 3),
            row.texts[k],
            row.titles[k],
        )
        for i, row in enumerate(rows)
        for k in range(len(columns))
    ]
    return HeatPanel(
        tuple((_NAMES + (k + 0.5) * _CELL, name) for k, name in enumerate(columns)),
        tuple((_TOP + (i + 0.5) * _ROW, row.name) for i, row in enumerate(rows)),
        tuple(cells),
        _NAMES + len(columns) * _CELL,
        _TOP + len(rows) * _ROW + 2,
    )
