"""Task files and files of prompts, in TOML: those that ship and the user's own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from salva._arguments import did_you_mean
from salva._files import parse_toml, read_text
from salva._schema import convert
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.tasks.answer_kinds import AnswerKind, Choice, Label, Number, Python, Text
from salva.tasks.judge import Judge
from salva.tasks.labelled_spans import Spans
from salva.tasks.task import Task, TaskSettings, Wording

KINDS: dict[str, type[AnswerKind]] = {
    "label": Label,
    "choice": Choice,
    "number": Number,
    "text": Text,
    "python": Python,
    "spans": Spans,
    "judge": Judge,
}
_FOLDER = files("salva.tasks").joinpath("shipped")
_NAME = re.compile(r"[\w.-]{1,60}")  # of a prompt


def shipped_tasks() -> list[str]:
    """Return the names of the tasks that ship.

    >>> "arithmetic" in shipped_tasks()
    True
    """
    return sorted(PurePath(file.name).stem for file in _FOLDER.iterdir() if file.name.endswith(".toml"))


def show_task(name: str) -> str:
    """Return the file of a task that ships."""
    if name not in shipped_tasks():
        hint = did_you_mean(name, shipped_tasks(), otherwise=f"choose from {', '.join(shipped_tasks())}")
        raise UsageError(f"there is no task {name!r}; {hint}, or name a file that ends in .toml")
    return _FOLDER.joinpath(f"{name}.toml").read_text("utf-8")


def read_task(name: PathLike) -> Task:
    """Return a task that ships, by name, or that of a TOML file.

    >>> read_task("arithmetic").edit
    ('question',)
    """
    given = os.fspath(name)
    if not given.endswith(".toml"):
        return make_task(given, parse_toml(given, show_task(given)))
    content = parse_toml(given, read_text(given))
    try:
        return make_task(PurePath(given).stem, content)
    except UsageError as error:
        raise InputError.at(given, None, str(error)) from None


def make_task(name: str, content: Mapping[str, Any]) -> Task:
    """Return the task with this content, as a TOML file has it; refuse what is unknown or of a wrong type."""
    settings = convert(content, TaskSettings, makers={AnswerKind: _make_answer})
    return Task(name=name, content=dict(content), **vars(settings))


def _make_answer(value: Any, name: str) -> AnswerKind:
    settings = convert(value, dict[str, Any], name=name)
    kind = settings.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise UsageError(f"{name}.kind = {kind!r:.60} must be one of {', '.join(KINDS)}")
    return convert(settings, KINDS[kind], name=name)


def restore_task(about: Mapping[str, Any]) -> Task:
    """Return the task that `Task.as_dict` describes."""
    try:
        name, content = about["name"], {**about["question"], "answer": about["answer"]}
    except (KeyError, TypeError):
        raise UsageError(f"{about!r:.60} is not a task; expected name, question and answer") from None
    return make_task(name, content)


def span_task(target: str, text: str = "text") -> Task:
    """Return the task to find the spans in a column: a model gets the text alone and returns spans as JSON.

    >>> span_task("entities").target
    'entities'
    """
    question = {"prompt": f"{{{text}}}", "edit": [text], "target": target, "protect": []}
    return make_task("spans", {**question, "answer": {"kind": "spans"}})


def read_prompts(path: PathLike) -> dict[str, dict[str, Any]]:
    """Return the templates of a file by name, each with a `prompt` or `messages`."""
    content = parse_toml(path, read_text(path))
    if not content:
        raise InputError.at(path, None, "has no prompt; write [NAME] and below it prompt = '...'")
    for name in content:
        if not _NAME.fullmatch(name):
            problem = f"the name {name!r:.60} must be at most 60 letters, digits, '.', '-' and '_'"
            raise InputError.at(path, None, problem)
    try:
        convert(content, dict[str, Wording])
    except UsageError as error:
        raise InputError.at(path, None, str(error)) from None
    return content


def reword(task: Task, name: str, template: Mapping[str, Any]) -> Task:
    """Return a task that asks with another template; everything else stays as it is."""
    rest = {key: value for key, value in task.content.items() if key not in ("prompt", "messages")}
    try:
        return make_task(task.name, {**rest, **template})
    except UsageError as error:
        raise UsageError(f"prompt {name!r} does not fit the task {task.name!r}: {error}") from None
