"""Try a task on the first rows of a data set, without a model: prompts, right answers, what is protected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from salva._types import PathLike
from salva.errors import InputError
from salva.models import Message
from salva.rows import ReadOptions
from salva.tasks.kind import Key
from salva.tasks.rows import read_rows
from salva.tasks.task import Task

CHECKED = 3  # rows


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A reply that a user wants to see graded; without an answer it is unparsed.

    If a judge has to grade it, `judged` is what the judge is asked.
    """

    reply: str
    answer: str | None = None
    score: float | None = None
    judged: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row as a task sees it; `protected` are spans of the prompt in code points."""

    row: int
    messages: tuple[Message, ...]
    text: str
    targets: tuple[str, ...]
    options: dict[str, str]
    editable: tuple[tuple[int, int], ...]
    protected: tuple[tuple[int, int], ...]
    replies: tuple[CheckedReply, ...]


def check_task(
    task: Task,
    path: PathLike,
    *,
    rows: int = CHECKED,
    replies: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> list[CheckedRow]:
    """Return the first rows that have all values, filled in, each with the grades of some replies."""
    checked: list[CheckedRow] = []
    for number, row in enumerate(read_rows(path, task, options)):
        try:
            question, key = task.fill(row), task.find_key(row)
        except InputError as error:
            raise InputError.at(path, None, f"row {number + 1}: {error}") from None
        if question is None:
            continue
        starts = [(question.starts[name], name) for name in task.edit]
        spans = [(a + k, b + k) for k, name in starts for a, b in task.protected(name, row)]
        checked.append(
            CheckedRow(
                number,
                question.prompt.messages,
                question.prompt.text,
                key.targets,
                dict(key.options),
                tuple(sorted((start, start + len(row[name] or "")) for start, name in starts)),
                tuple(sorted(spans)),
                tuple(_check_reply(task, reply, key) for reply in replies),
            )
        )
        if len(checked) == rows:
            break
    if not checked:
        raise InputError.at(
            path, None, f"no row has a value in all columns of the task: {', '.join(task.fields)}"
        )
    return checked


def _check_reply(task: Task, reply: str, key: Key) -> CheckedReply:
    if task.answer.needs_judge:
        asked = task.ask_judge(reply, key)
        return CheckedReply(reply, judged=None if asked is None else asked.text)
    grade = task.grade(reply, key)
    return CheckedReply(reply) if grade is None else CheckedReply(reply, *grade)
