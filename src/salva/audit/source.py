"""The twins that an audit is about: those of one condition of a run, or of a data set and a preset."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from salva._arguments import argument, check_severity, check_whole
from salva._files import scratch_folder
from salva._types import Bools, PathLike
from salva.errors import InputError, UsageError
from salva.evaluation import Results, load_run
from salva.evaluation.conditions import Condition, Rewriting
from salva.evaluation.data import read_data
from salva.evaluation.inputs import TwinMaker
from salva.evaluation.results import ConditionResult, DataInfo
from salva.evaluation.settings import restore_settings
from salva.evaluation.sources import as_source
from salva.rows import ReadOptions
from salva.runs import RowGroup, RunRows
from salva.runs.folder import SETTINGS
from salva.transforms import Transform, Twins, preset, restore


@dataclass(frozen=True)
class TwinSource:
    """Rows, the column that is rewritten, and the condition that rewrites it; `digest` identifies all.

    Of a task, `maker` makes the twins, because some words of every row are protected.
    """

    data: str
    rows: RunRows
    column: int
    condition: Rewriting
    digest: str
    threads: int | None = None
    maker: TwinMaker | None = None

    def __iter__(self) -> Iterator[tuple[RowGroup, Twins]]:
        """Yield the rows with their twins, group by group."""
        for group in self.rows:
            yield group, self.make_twins(group)

    def make_twins(self, group: RowGroup) -> Twins:
        """Return the twins of some rows."""
        if self.maker is not None:
            return self.maker.twins_of(Condition(self.condition), group).columns[self.column]
        return self.condition.make_twins(group.texts[self.column], threads=self.threads)

    def find_changed(self, group: RowGroup, twins: Twins) -> Bools:
        """Return which texts differ from their twins."""
        differ = pc.fill_null(pc.not_equal(group.texts[self.column].array, twins.column), False)
        changed: Bools = differ.to_numpy(zero_copy_only=False)
        return changed


def is_run(source: Any) -> bool:
    """Return whether a source is the folder of a run."""
    return isinstance(source, str | os.PathLike) and (Path(source) / SETTINGS).is_file()


def open_run(
    folder: PathLike,
    *,
    preset: str | None = None,
    severity: float | None = None,
    replicate: int = 0,
    threads: int | None = None,
) -> TwinSource:
    """Return the twins of one condition of a run; what is not named must be the only one."""
    results = load_run(folder).results
    chosen = choose_condition(results, preset=preset, severity=severity, replicate=replicate)
    return find_twins(Path(folder), results, chosen, threads=threads)


def find_twins(
    folder: Path, results: Results, chosen: ConditionResult, *, threads: int | None = None
) -> TwinSource:
    """Return the twins of a condition of a run; refuse twins that would not be the same today."""
    settings = results.settings
    if len((settings.get("task") or {}).get("question", {}).get("edit", ())) > 1:
        problem = "is a run of a task that rewrites several columns, and readers judge one text"
        raise UsageError(f"{folder}: {problem}; audit the data with the preset instead")
    if settings.get("suite"):
        problem = "is a run over a suite, whose twins were made elsewhere"
        raise UsageError(f"{folder}: {problem}; audit the data with the preset instead")
    try:
        transform = restore(settings["presets"][chosen.group])
        restored = restore_settings(settings, {}) if settings.get("task") else None
    except (InputError, UsageError) as error:
        raise InputError.at(folder, None, f"its twins cannot be made again: {error}") from None
    condition = Rewriting(chosen.group, transform, chosen.severity, chosen.replicate, settings["seed"])
    rows = RunRows(folder / "data.parquet")
    maker = None if restored is None else TwinMaker(rows, restored, threads)
    column, digest = settings["transformed_column"], identify(results, chosen)
    return TwinSource(results.data.name, rows, column, condition, digest, threads, maker)


@contextlib.contextmanager
def open_data(
    data: Any,
    chosen: PathLike | Transform,
    *,
    severity: float | None = None,
    replicate: int = 0,
    transform_seed: int = 0,
    options: ReadOptions | None = None,
    threads: int | None = None,
) -> Iterator[TwinSource]:
    """Provide the twins of a data set; its rows are kept in a temporary folder until the block ends."""
    transform = chosen if isinstance(chosen, Transform) else preset(chosen)
    seed = check_whole("transform_seed", transform_seed)
    check_whole("replicate", replicate)
    severity = transform.severity if severity is None else check_severity(severity)
    with scratch_folder() as folder:
        place = folder / "data.parquet"
        info = read_data(as_source(data), place, options or ReadOptions())
        condition = Rewriting(transform.name, transform, severity, replicate, seed)
        digest = _digest(info, 0, transform.as_dict(), [severity, replicate, seed])
        yield TwinSource(info.name, RunRows(place), 0, condition, digest, threads)


def choose_condition(
    results: Results, *, preset: str | None, severity: float | None, replicate: int
) -> ConditionResult:
    """Return the one condition of a run that has these values; None stands for any."""
    edited = [one for one in results.conditions if one.severity is not None and one.variant is None]
    fit = [
        condition
        for condition in edited
        if preset in (None, condition.preset)
        and severity in (None, condition.severity)
        and condition.replicate == replicate
    ]
    if len(fit) == 1:
        return fit[0]
    names = ", ".join(condition.name for condition in fit or edited)
    if not fit:
        raise UsageError(f"the run has no such condition; it has {names}")
    chosen = f"{argument('preset')} and {argument('severity')}"
    raise UsageError(f"the run has several conditions: {names}; choose one with {chosen}")


def identify(results: Results, condition: ConditionResult) -> str:
    """Return what identifies the twins of a condition: data, rows, preset, severity, replicate and seed."""
    settings = results.settings
    about = settings["presets"][condition.preset]
    draw = [condition.severity, condition.replicate, settings["seed"]]
    if settings.get("task"):  # it decides what is protected
        about = {**about, "task": settings["task"]["question"]}
    return _digest(results.data, settings["transformed_column"], about, draw)


def _digest(info: DataInfo, column: int, transform: Mapping[str, Any], draw: list[float | None]) -> str:
    data = {"digest": info.digest, "rows": info.rows, "columns": info.text_columns, "id": info.id_column}
    return short_digest("t", [data, column, transform, draw])


def short_digest(letter: str, value: Any) -> str:
    """Return a digest that no spreadsheet takes for a number, because it begins with a letter."""
    content = json.dumps(value, sort_keys=True)
    return letter + hashlib.sha256(content.encode()).hexdigest()[:16]
