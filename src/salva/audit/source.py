"""The twins that an audit is about: those of one condition of a run, or of a data set and a preset."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva._arguments import argument, check_severity, check_whole
from salva._files import scratch_folder
from salva._types import PathLike
from salva.asking.run_folder import SETTINGS
from salva.errors import UsageError
from salva.evaluation import load_run
from salva.evaluation.flips import list_shown_edits, show_question
from salva.evaluation.results import ConditionResult, Edit, Results
from salva.questions.make import write_parts
from salva.questions.options import Conditions, Data, Options
from salva.questions.plan import plan_questions
from salva.questions.table import (
    CLEAN,
    About,
    Condition,
    DataInfo,
    Questions,
    as_input,
    open_questions,
)
from salva.transforms import Transform, preset

_COLUMNS = ("item", "id", "condition", "parts", "options", "expected", "edits", "unchanged")


@dataclass(frozen=True, slots=True)
class AuditTwin:
    """A text and its twin, as people see them, with the edits where they are in the twin."""

    item: int
    id: str
    label: str | None
    original: str
    twin: str
    other: str | None  # the text beside it, in pairs of texts
    edits: tuple[Edit, ...]
    old_places: tuple[tuple[int, int], ...]  # where the edits are in the original
    is_changed: bool


@dataclass(frozen=True)
class TwinSource:
    """The questions of one condition, and the clean ones; `digest` identifies them all."""

    data: str
    questions: Questions
    condition: Condition
    digest: str

    def __len__(self) -> int:
        about = self.questions.about.data
        return 0 if about is None else about.rows

    def blocks(self) -> Iterator[tuple[int, list[AuditTwin]]]:
        """Yield the texts that have a twin, in the order of the data, and among how many rows they are."""
        for block in self.questions.blocks(_COLUMNS):
            rows = block.to_pylist()
            yield sum(row["condition"] == CLEAN for row in rows), list(self._pair_up(rows))

    def take(self, items: Iterable[int]) -> list[AuditTwin]:
        """Return the texts and twins of some items."""
        wanted = dict.fromkeys(items, (CLEAN, self.condition.name))
        return list(self._pair_up(self.questions.take(wanted, _COLUMNS)))

    def _pair_up(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[AuditTwin]:
        """Yield the twins among some questions; the clean question about an item comes first."""
        clean: Mapping[str, Any] = {}
        for row in rows:
            if row["condition"] == CLEAN:
                clean = row
            elif row["condition"] == self.condition.name and None not in (row["parts"] or [None]):
                yield self._show(clean, row)

    def _show(self, clean: Mapping[str, Any], row: Mapping[str, Any]) -> AuditTwin:
        about = self.questions.about
        original, _ = show_question(about, about.condition(CLEAN), clean)
        twin, edits = show_question(about, self.condition, row)
        places = _place_olds(about, clean, list_shown_edits(about, self.condition, row))
        is_pair = not self.condition.roles and len(row["parts"]) > 1
        return AuditTwin(
            item=row["item"],
            id=row["id"],
            label=(clean["expected"] or [None])[0],
            original=original,
            twin=twin,
            other=clean["parts"][1 - about.rewritten_part] if is_pair else None,
            edits=tuple(edits),
            old_places=tuple(places),
            is_changed=not row["unchanged"],
        )


def _place_olds(
    about: About, clean: Mapping[str, Any], edits: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[int, int]]:
    """Yield where edits are in the original, as it is shown."""
    condition = about.condition(CLEAN)
    prompt: Any = as_input(clean["parts"], condition, clean["options"] or ()) if condition.roles else None
    for edit in edits:
        start = edit["old_start"] + (0 if prompt is None else prompt.places[edit["part"]])
        yield start, start + len(edit["old"])


def is_run(source: Any) -> bool:
    """Return whether a source is the folder of a run."""
    return isinstance(source, str | os.PathLike) and (Path(source) / SETTINGS).is_file()


def open_run(
    folder: PathLike, *, preset: str | None = None, severity: float | None = None, copy: int = 0
) -> TwinSource:
    """Return the twins of one condition of a run; what is not named must be the only one."""
    run = load_run(folder)
    chosen = choose_condition(run.results, preset=preset, severity=severity, copy=copy)
    condition = run.questions.about.condition(chosen.name)
    return TwinSource(run.results.data.name, run.questions, condition, identify(run.results, chosen))


@contextlib.contextmanager
def open_data(
    data: Any,
    chosen: PathLike | Transform,
    *,
    severity: float | None = None,
    copy: int = 0,
    transform_seed: int = 0,
    reading: Data | None = None,
    threads: int | None = None,
) -> Iterator[TwinSource]:
    """Provide the twins of a data set; its questions are in a temporary folder until the block ends."""
    transform = chosen if isinstance(chosen, Transform) else preset(chosen)
    check_whole("copy", copy)
    level = transform.severity if severity is None else check_severity(severity)
    options = Options(data=reading or Data(), conditions=Conditions(copies=copy + 1))
    options = options.replace(limits={"threads": threads})
    plan = plan_questions(
        data,
        presets=[transform],
        severities=level,
        seed=check_whole("transform_seed", transform_seed),
        options=options,
    )
    with scratch_folder() as folder:
        for _ in write_parts(plan, folder):
            pass
        questions = open_questions(folder)
        condition = next(one for one in questions.about.conditions if one.has_edits and one.copy == copy)
        info = questions.about.data
        assert info is not None  # noqa: S101
        yield TwinSource(
            info.name,
            questions,
            condition,
            _digest(info, 0, transform.as_dict(), [level, copy, transform_seed]),
        )


def choose_condition(
    results: Results, *, preset: str | None, severity: float | None, copy: int
) -> ConditionResult:
    """Return the one condition of a run that has these values; None stands for any."""
    edited = [one for one in results.conditions if one.severity is not None and one.variant is None]
    fit = [
        condition
        for condition in edited
        if preset in (None, condition.preset)
        and severity in (None, condition.severity)
        and condition.replicate == copy
    ]
    if len(fit) == 1:
        return fit[0]
    names = ", ".join(condition.name for condition in fit or edited)
    if not fit:
        raise UsageError(f"the run has no such condition; it has {names}")
    chosen = f"{argument('preset')} and {argument('severity')}"
    raise UsageError(f"the run has several conditions: {names}; choose one with {chosen}")


def identify(results: Results, condition: ConditionResult) -> str:
    """Return what identifies the twins of a condition: data, rows, preset, severity, copy and seed."""
    settings = results.settings
    about = settings["presets"][condition.preset]
    draw = [condition.severity, condition.replicate, settings["seed"]]
    if settings.get("task"):  # it decides what is protected
        about = {**about, "task": settings["task"]["question"]}
    return _digest(results.data, settings["rewritten_part"], about, draw)


def _digest(info: DataInfo, column: int, transform: Mapping[str, Any], draw: list[float | None]) -> str:
    data = {
        "digest": info.digest,
        "rows": info.rows,
        "columns": list(info.text_columns),
        "id": info.id_column,
    }
    return short_digest("t", [data, column, transform, draw])


def short_digest(letter: str, value: Any) -> str:
    """Return a digest that no spreadsheet takes for a number, because it begins with a letter."""
    return letter + hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
