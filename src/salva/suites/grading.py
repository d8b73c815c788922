"""Grade replies inside a harness as Salva grades them; the files of an exported suite call it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from salva._results import read_json
from salva.tasks import Expected, Task, restore_task


class HarnessGrade(NamedTuple):
    """The answer in a reply, None if it is unparsed; whether it is right; its score, 0 if unparsed."""

    answer: str | None
    right: bool
    score: float


@cache
def _task_of(path: str) -> Task:
    return prepare_task(read_json(path))


def prepare_task(about: Mapping[str, Any]) -> Task:
    """Return the task that an exported suite describes, ready to grade."""
    task = restore_task(about)
    task.answer.prepare()
    return task


def grade_reply(task: str | Path | Task, question: Mapping[str, Any], reply: str) -> HarnessGrade:
    """Return the grade of a reply to a question of an exported suite; `task` may be its file task.json."""
    targets, options = tuple(question["targets"]), dict(question["options"])
    key = Expected(targets, options, dict(question["columns"]))
    grade = (task if isinstance(task, Task) else _task_of(str(task))).grade(reply, key)
    if grade is None:
        return HarnessGrade(None, right=False, score=0.0)
    return HarnessGrade(grade.answer, bool(targets) and grade.answer == targets[0], grade.score or 0.0)
