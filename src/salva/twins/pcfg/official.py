"""The distributions of the official test set, and the distance of other lines from them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from salva.twins.pcfg.interpreter import LineMeasures

Cell = tuple[int, int]


@dataclass(frozen=True)
class Official:
    """Counts of the official test set: lines by depth and length, other histograms, and tolerances."""

    cells: Mapping[Cell, int]
    histograms: Mapping[str, Mapping[Hashable, int]]
    strings: Mapping[int, int]
    tolerance: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance of a split from the official test set, and that of the official dev set (tolerance)."""

    split: str
    measure: str
    distance: float
    tolerance: float

    @property
    def within(self) -> bool:
        """Whether the distance is at most that between the two official sets, which is due to chance."""
        return self.distance <= self.tolerance


@cache
def official() -> Official:
    """Return the counts that ship with Salva."""
    raw = json.loads(files("salva.twins").joinpath("data/pcfgset.json").read_text("utf-8"))
    cells = {
        (int(depth), int(length)): count
        for depth, lengths in raw["depth_length"].items()
        for length, count in lengths.items()
    }
    histograms: dict[str, dict[Hashable, int]] = {
        name: {int(value): count for value, count in raw[name].items()}
        for name in ("functions_per_line", "output_length")
    }
    histograms["depth"] = _summed((depth, count) for (depth, _), count in cells.items())
    histograms["input_length"] = _summed((length, count) for (_, length), count in cells.items())
    histograms["joint_depth_length"] = dict(cells)
    strings = {int(size): count for size, count in raw["strings"].items()}
    return Official(cells, histograms, strings, raw["tolerance"])


def _summed(pairs: Iterable[tuple[Hashable, int]]) -> dict[Hashable, int]:
    total: Counter[Hashable] = Counter()
    for value, count in pairs:
        total[value] += count
    return dict(total)


def total_variation(left: Mapping[Hashable, int], right: Mapping[Hashable, int]) -> float:
    """Return half of the sum of absolute differences between two distributions, given as counts.

    >>> total_variation({"a": 1, "b": 1}, {"a": 30, "b": 10})
    0.25
    """
    n_left, n_right = sum(left.values()), sum(right.values())
    return sum(abs(left.get(key, 0) / n_left - right.get(key, 0) / n_right) for key in {**left, **right}) / 2


def distances(split: str, measures: LineMeasures) -> list[Distance]:
    """Return the distance of some lines from the official test set, for each measure."""
    depth, length = measures.depth.tolist(), measures.length.tolist()
    measured: dict[str, Iterable[Hashable]] = {
        "input_length": length,
        "depth": depth,
        "functions_per_line": measures.functions.tolist(),
        "output_length": measures.output_length.tolist(),
        "joint_depth_length": zip(depth, length, strict=True),
    }
    known = official()
    return [
        Distance(split, name, total_variation(Counter(values), known.histograms[name]), known.tolerance[name])
        for name, values in measured.items()
    ]
