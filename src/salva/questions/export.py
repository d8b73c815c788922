"""Export a suite for another harness: its questions, its right answers, and how replies are graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.compute as pc

from salva._arguments import argument, check_choice
from salva._arrow import is_text
from salva._files import PREFIX, finish_publishing, publishing, storage_errors
from salva._results import read_json
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.harnesses import FIXED_NAMES, HARNESSES, Exported, Part, Question
from salva.harnesses.questions import CONTRASTS, plain_name
from salva.models.protocol import Prompt, text_id
from salva.questions.suite import Suite
from salva.questions.table import CHANGE, Condition, as_input, made_folder
from salva.tasks import Expected, Task, restore_task

_HOME = "task.json"


def export(suite: Suite, out: PathLike, *, to: str, overwrite: bool = False) -> list[str]:
    """Write a suite into a folder as tasks of a harness, such as lm-eval or inspect; return its files."""
    check_choice("to", to, HARNESSES)
    folder, exported = Path(out), describe(suite)
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, None, "is a file; give a folder")
    own = [*exported.groups, *(part.name for part in exported.parts)]
    possible = {f"{name}{suffix}" for name in own for suffix in (".json", ".jsonl", ".yaml")}
    with made_folder(folder):
        with storage_errors(folder):
            left = finish_publishing(folder / _HOME, *(folder / name for name in possible | set(FIXED_NAMES)))
            if not (overwrite or left) and any(not one.name.startswith(PREFIX) for one in folder.iterdir()):
                remedy = f"pass {argument('overwrite', True)}, or choose another name"
                raise InputError.at(folder, None, f"exists; {remedy}")
        with publishing(folder / _HOME) as unit:
            return HARNESSES[to](folder, exported, unit, overwrite=overwrite or bool(left))


def describe(suite: Suite) -> Exported:
    """Return what a harness needs of a suite; refuse a suite whose questions no harness can ask."""
    about = suite.about.task
    if about is None:
        raise UsageError(
            f"{suite.path}: has texts without a task, which no harness can ask; make one with a task"
        )
    task = restore_task(about)
    if task.answer.needs_judge:
        raise UsageError(f"{suite.path}: another model judges its replies, which no harness can ask to")
    _refuse_unknown_answers(suite)
    asked = _count_asked(suite)
    chosen = [one for one in suite.about.conditions if asked.get(one.name)]
    parts = [
        Part(
            f"{plain_name(suite.name)}_{plain_name(one.name)}",
            one.name,
            partial(_list_questions, suite, one),
            one.must == CHANGE,
        )
        for one in chosen
    ]
    groups = {plain_name(suite.name), f"{plain_name(suite.name)}_{CONTRASTS}"}
    if len({part.name for part in parts} - groups) < len(parts):
        parts = [part._replace(name=f"{part.name}_{k}") for k, part in enumerate(parts)]
    return Exported(suite.name, suite.digest, about, parts, task.options is not None)


def _count_asked(suite: Suite) -> dict[str, int]:
    """Return how many questions there are under every condition."""
    counts = Counter[str]()
    for block in suite.questions.blocks(["key", "condition"]):
        asked = block.filter(pc.is_valid(block["key"]))["condition"].value_counts()
        counts.update({one["values"]: one["counts"] for one in asked.to_pylist()})
    return counts


def _refuse_unknown_answers(suite: Suite) -> None:
    """Refuse a contrast whose answers must only be other ones: a harness grades one question at a time."""
    unknown = Counter[str]()
    for block in suite.questions.blocks(["key", "condition", "must", "expected"]):
        asked = pc.and_(pc.is_valid(block["key"]), is_text(block["must"], CHANGE))
        wrong = block.filter(pc.and_(asked, pc.is_null(block["expected"])))
        unknown.update(wrong["condition"].to_pylist())
    for name, times in unknown.items():
        raise UsageError(
            f"{suite.path}: {number_of(times, 'answer')} of {name} must only differ from the clean one, "
            "which no harness can grade; evaluate it with salva evaluate, or make another suite without "
            "this preset"
        )


def _list_questions(suite: Suite, condition: Condition) -> Iterator[Question]:
    """Yield the questions of a condition; an item that is not asked about is left out."""
    columns = ["key", "item", "id", "condition", "parts", "options", "expected", "facts"]
    for block in suite.questions.blocks(columns):
        facts: dict[int, dict[str, str]] = {}
        for row in block.to_pylist():
            if row["facts"] is not None:
                facts[row["item"]] = dict(row["facts"])
            if row["condition"] != condition.name or row["key"] is None:
                continue
            try:
                prompt: Any = as_input(row["parts"], condition, row["options"] or ())
                if isinstance(prompt, Prompt):
                    yield _as_question(row, condition, prompt, facts.get(row["item"], {}))
            except (TypeError, ValueError):
                problem = f"the question about {row['id']!r} under {condition.name} is broken"
                raise InputError.at(suite.path, None, problem) from None


def _as_question(
    row: Mapping[str, Any], condition: Condition, prompt: Prompt, facts: Mapping[str, str]
) -> Question:
    options = {one["name"]: one["text"] for one in row["options"] or ()}
    shown = {one["means"]: one["name"] for one in row["options"] or ()}
    targets = tuple(shown.get(target, target) for target in row["expected"] or ())
    named = dict(zip(options, prompt.options, strict=True)) if prompt.options else {}
    right = named.get(targets[0], "") if targets else ""
    return Question(
        salva=text_id(prompt).hex(),
        id=row["id"],
        condition=condition.name,
        prompt=prompt.text,
        messages=prompt.dicts,
        replies=prompt.options,
        options=options,
        targets=targets,
        target=prompt.options.index(right) if right in prompt.options else -1,
        columns=dict(facts),
    )


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
    expected = Expected(targets, options, dict(question["columns"]))
    grade = (task if isinstance(task, Task) else _task_of(str(task))).answer.grade(reply, expected)
    if grade is None:
        return HarnessGrade(None, right=False, score=0.0)
    return HarnessGrade(grade.answer, bool(targets) and grade.answer == targets[0], grade.score or 0.0)
