"""Task files: TOML, those that ship and the user's own."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from salva._arguments import did_you_mean
from salva._files import parse_toml, read_text
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.tasks.choices import Choice
from salva.tasks.contrast import ContrastRules
from salva.tasks.functions import Python
from salva.tasks.judging import Judge
from salva.tasks.kind import Kind
from salva.tasks.labels import Label
from salva.tasks.numbers import Number
from salva.tasks.options import OptionSource
from salva.tasks.spans import Spans
from salva.tasks.task import Task
from salva.tasks.templates import Template
from salva.tasks.texts import Text

KINDS: dict[str, type[Kind]] = {
    "label": Label,
    "choice": Choice,
    "number": Number,
    "text": Text,
    "python": Python,
    "spans": Spans,
    "judge": Judge,
}
_KEYS: dict[str, type] = {
    "about": str,
    "prompt": str,
    "messages": list,
    "edit": list,
    "target": str,
    "target_pattern": str,
    "target_separator": str,
    "protect": list,
    "protect_patterns": list,
    "options": dict,
    "answer": dict,
    "contrast": dict,
}
_TYPE_NAMES: dict[type, str] = {str: "text", list: "list", dict: "table"}
_TYPES = {
    "str": (str, "a text"),
    "float": (int | float, "a number"),
    "int | None": (int, "a whole number"),
    "tuple[str, ...]": (list, "a list"),
    "tuple[float, ...]": (list, "a list"),
    "Mapping[str, Sequence[str]]": (dict | list, "a table"),
    "Mapping[str, str]": (dict, "a table"),
    "Mapping[str, float]": (dict, "a table"),
}


def shipped_tasks() -> list[str]:
    """Return the names of the tasks that ship.

    >>> "arithmetic" in shipped_tasks()
    True
    """
    return sorted(PurePath(file.name).stem for file in _folder().iterdir() if file.name.endswith(".toml"))


def read_task(name: PathLike) -> Task:
    """Return a task that ships, by name, or that of a TOML file.

    >>> read_task("arithmetic").edit
    ('question',)
    """
    given = os.fspath(name)
    if not given.endswith(".toml"):
        return make_task(given, parse_toml(given, show_task(given)))
    try:
        return make_task(PurePath(given).stem, parse_toml(given, read_text(given)))
    except InputError:
        raise
    except UsageError as error:
        raise InputError.at(given, None, str(error)) from None


def show_task(name: str) -> str:
    """Return the file of a task that ships."""
    if name not in shipped_tasks():
        hint = did_you_mean(name, shipped_tasks(), otherwise=f"choose from {', '.join(shipped_tasks())}")
        raise UsageError(f"there is no task {name!r}; {hint}, or name a file that ends in .toml")
    text: str = _folder().joinpath(f"{name}.toml").read_text("utf-8")
    return text


def make_task(name: str, content: Mapping[str, Any]) -> Task:
    """Return the task with this content, as a TOML file has it; refuse what is unknown or of a wrong type."""
    for key, value in content.items():
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS, otherwise=f"a task has {', '.join(_KEYS)}")
            raise UsageError(f"key {key!r} is unknown; {hint}")
        if not isinstance(value, _KEYS[key]):
            raise UsageError(f"{key} = {value!r:.60} must be a {_TYPE_NAMES[_KEYS[key]]}")
    source = content.get("options")
    answer = _make_answer(content.get("answer"))
    if (source is None) == isinstance(answer, Choice):
        raise UsageError("a task has [options] if and only if the kind of its answer is choice")
    plain = ("about", "target", "target_pattern", "target_separator")
    own: dict[str, Any] = {key: content[key] for key in plain if key in content}
    own |= {key: _texts(key, content[key]) for key in ("protect", "protect_patterns") if key in content}
    return Task(
        name=name,
        messages=_read_messages(content),
        options=None if source is None else _make(OptionSource, "options", source),
        answer=answer,
        contrast=_make(ContrastRules, "contrast", content.get("contrast", {})),
        edit=_texts("edit", content.get("edit", [])),
        content=dict(content),
        **own,
    )


def span_task(target: str, text: str = "text") -> Task:
    """Return the task to find the spans in a column: a model gets the text alone and returns spans as JSON.

    >>> span_task("entities").target
    'entities'
    """
    answer = {"kind": "spans"}
    content = {"prompt": f"{{{text}}}", "edit": [text], "target": target, "protect": [], "answer": answer}
    return make_task("spans", content)


def restore_task(about: Mapping[str, Any]) -> Task:
    """Return the task that `Task.as_dict` describes."""
    return make_task(about["name"], {**about["question"], "answer": about["answer"]})


def _read_messages(content: Mapping[str, Any]) -> tuple[tuple[str, Template], ...]:
    if ("prompt" in content) == ("messages" in content):
        raise UsageError("a task needs either a prompt or messages, each with role and content")
    if "prompt" in content:
        return (("user", Template.of(content["prompt"].strip("\n"))),)
    messages = []
    for message in content["messages"]:
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            raise UsageError(f"message {message!r:.60} must have a role and a content")
        messages.append((message["role"], Template.of(str(message["content"]).strip("\n"))))
    return tuple(messages)


def _make_answer(values: Mapping[str, Any] | None) -> Kind:
    kind = (values or {}).get("kind")
    if kind not in KINDS:
        raise UsageError(f"answer.kind = {kind!r:.60} must be one of {', '.join(KINDS)}")
    given = {key: value for key, value in (values or {}).items() if key != "kind"}
    answer: Kind = _make(KINDS[kind], "answer", given)
    return answer


def _make(owner: type[Any], table: str, values: Mapping[str, Any]) -> Any:
    """Return a part of a task from its table, whose keys are the fields of the part."""
    known = {own.name: str(own.type) for own in dataclasses.fields(owner)}
    given: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            hint = did_you_mean(key, known, otherwise=f"there is {', '.join(known)}")
            raise UsageError(f"{table}.{key} is unknown; {hint}")
        types, name = _TYPES[known[key]]
        if not isinstance(value, types) or isinstance(value, bool):
            raise UsageError(f"{table}.{key} = {value!r:.60} must be {name}")
        given[key] = _plain_value(f"{table}.{key}", value)
    return owner(**given)


def _plain_value(key: str, value: Any) -> Any:
    if key == "answer.labels":
        named = value if isinstance(value, dict) else dict.fromkeys(_texts(key, value), ())
        return {label: _texts(f"{key}.{label}", names) for label, names in named.items()}
    if key == "answer.scale":
        return tuple(value)
    return _texts(key, value) if isinstance(value, list) else value


def _texts(key: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise UsageError(f"{key} = {values!r:.60} must be a list of texts")
    return tuple(values)


def _folder() -> Any:
    return files("salva.tasks").joinpath("shipped")
