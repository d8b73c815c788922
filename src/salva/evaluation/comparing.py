"""Two runs over the same rows: which model is more robust."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from salva._types import Ints32, PathLike
from salva.errors import InputError
from salva.evaluation.answers import read_answers
from salva.evaluation.results import Results
from salva.evaluation.run import load_run
from salva.pairs import Difference, compare
from salva.stats import Estimate, with_holm


@dataclass(frozen=True, slots=True)
class ConditionComparison:
    """The drops of two models under one condition; a difference above 0 means that b drops more."""

    name: str
    drop_a: Estimate
    drop_b: Estimate
    difference: Difference
    verdict: str


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs, condition by condition, over the rows that both have, matched by id."""

    a: str
    b: str
    rows: int
    rows_apart: int
    conditions: tuple[ConditionComparison, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return dataclasses.asdict(self)


def compare_runs(a: PathLike, b: PathLike, *, seed: int = 0) -> RunComparison:
    """Compare the runs in two folders under the conditions they share."""
    first, second = load_run(a).results, load_run(b).results
    shared = [name for name in _names(first) if name in _names(second)]
    if not shared:
        raise InputError(f"{a} and {b} share no condition; run both with the same presets and severities")
    _refuse_other_transforms(first, second, a, b)
    columns = ["id", "label", "clean", *shared]
    left, right = (read_answers(Path(run) / "answers.parquet", columns) for run in (a, b))
    rows = _common(left["id"], right["id"], a, b)
    codes = _codes((left, right), rows, columns[1:])
    unequal = np.flatnonzero(codes["label", 0] != codes["label", 1])
    if len(unequal):
        name = left["id"][rows[unequal[0]][0]]
        raise InputError(f"{a} and {b} have different labels for id {name!r}; run both on the same data")
    differences = [
        compare(
            codes["label", 0], codes["clean", 0], codes[name, 0], codes["clean", 1], codes[name, 1], seed=seed
        )
        for name in shared
    ]
    compared = [
        ConditionComparison(name, _drop(first, name), _drop(second, name), difference, _verdict(difference))
        for name, difference in zip(shared, with_holm(differences), strict=True)
    ]
    apart = len(left["id"]) + len(right["id"]) - 2 * len(rows)
    return RunComparison(first.model.name, second.model.name, len(rows), apart, tuple(compared))


def _names(results: Results) -> list[str]:
    return [condition.name for condition in results.conditions]


def _drop(results: Results, name: str) -> Estimate:
    return next(condition.score.drop for condition in results.conditions if condition.name == name)


def _verdict(difference: Difference) -> str:
    if difference.p_holm is None or difference.p_holm >= 0.05 or not difference.value.value:
        return "no clear difference"
    return "a is more robust" if difference.value.value > 0 else "b is more robust"


def _refuse_other_transforms(first: Results, second: Results, a: PathLike, b: PathLike) -> None:
    """Refuse to compare answers to different texts."""
    for name in first.settings["presets"].keys() & second.settings["presets"].keys():
        if first.settings["presets"][name] != second.settings["presets"][name]:
            raise InputError(f"{a} and {b} have different settings for {name}; run both with the same ones")
    if first.settings["seed"] != second.settings["seed"]:
        raise InputError(f"{a} and {b} have different seeds; run both with the same one")


def _common(left: list[str], right: list[str], a: PathLike, b: PathLike) -> list[tuple[int, int]]:
    places = {name: k for k, name in enumerate(right)}
    rows = [(k, places[name]) for k, name in enumerate(left) if name in places]
    if not rows:
        raise InputError(f"{a} and {b} share no row: no id is in both; run both on the same data")
    return rows


def _codes(
    sides: tuple[dict[str, list[Any]], dict[str, list[Any]]],
    rows: list[tuple[int, int]],
    names: Sequence[str],
) -> dict[tuple[str, int], Ints32]:
    """Return the labels and answers of both runs as numbers, by column and run."""
    numbers: dict[str | None, int] = {None: -1}
    codes: dict[tuple[str, int], Ints32] = {}
    for side, columns in enumerate(sides):
        for name in names:
            values = (columns[name][row[side]] for row in rows)
            coded = (numbers.setdefault(value, len(numbers) - 1) for value in values)
            codes[name, side] = np.fromiter(coded, np.int32, len(rows))
    return codes
