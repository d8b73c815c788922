"""Files of prompts: TOML with several named templates, each of which can take the place of a task's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from salva._files import parse_toml, read_text
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.tasks.files import make_task
from salva.tasks.task import Task

_PARTS = ("prompt", "messages")
_NAME = re.compile(r"[\w.-]{1,60}")


def read_prompts(path: PathLike) -> dict[str, dict[str, Any]]:
    """Return the templates of a file by name, each with a `prompt` or `messages`."""
    content = parse_toml(path, read_text(path))
    if not content:
        raise InputError.at(path, None, "has no prompt; write [NAME] and below it prompt = '...'")
    for name, template in content.items():
        if not _NAME.fullmatch(name):
            problem = f"the name {name!r:.60} must be at most 60 letters, digits, '.', '-' and '_'"
            raise InputError.at(path, None, problem)
        if not isinstance(template, dict) or set(template) - {*_PARTS}:
            problem = f"{name!r} must be a table that has a prompt or messages, and nothing else"
            raise InputError.at(path, None, f"{problem}; write [{name}] and below it prompt = '...'")
    return content


def reword(task: Task, name: str, template: Mapping[str, Any]) -> Task:
    """Return a task that asks with another template; everything else stays as it is."""
    rest = {key: value for key, value in task.content.items() if key not in _PARTS}
    try:
        if not isinstance(template.get("prompt", ""), str) or not isinstance(
            template.get("messages", []), list
        ):
            raise UsageError("prompt must be a text, messages a list")
        return make_task(task.name, {**rest, **template})
    except UsageError as error:
        raise UsageError(f"prompt {name!r} does not fit the task {task.name!r}: {error}") from None
