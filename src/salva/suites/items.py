"""What a suite consists of: items with their questions and right answers, and their twins with the edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from salva.models import Message, Prompt, Text


class FrozenEdit(NamedTuple):
    """One edit of a twin: its column, its places in original and twin in code points, and its rule."""

    column: str
    start: int
    end: int
    new_start: int
    new_end: int
    old: str
    new: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is asked about an item or its twin, and what is right; without a task, only the texts.

    `texts` are the columns that may be rewritten, by name; `options` the texts of a choice by name.
    """

    id: str
    texts: Mapping[str, str | None]
    prompt: Prompt | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    targets: tuple[str, ...] = ()

    @property
    def input(self) -> Text | None:
        """The input of the model; None if a text is missing."""
        if self.prompt is not None:
            return self.prompt
        texts = [text for text in self.texts.values() if text is not None]
        if len(texts) < len(self.texts):
            return None
        return texts[0] if len(texts) == 1 else (texts[0], texts[1])

    def as_record(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"id": self.id, "texts": dict(self.texts)} | _plain_question(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Asked):
    """A row of the data: its label, and the further columns that its question or its slices need."""

    label: str | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the item as plain values."""
        plain: dict[str, Any] = {"id": self.id, "texts": dict(self.texts), "label": self.label}
        if self.columns:
            plain["columns"] = dict(self.columns)
        return plain | _plain_question(self)

    @classmethod
    def from_record(cls, plain: Mapping[str, Any]) -> Item:
        """Return the item that `as_record` describes."""
        label, columns = plain["label"], _named(plain.get("columns", {}))
        return cls(label=None if label is None else str(label), columns=columns, **_question(plain))


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin(Asked):
    """An item under one condition, with all its edits."""

    edits: tuple[FrozenEdit, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """Return the twin as plain values."""
        edits = [edit._asdict() for edit in self.edits]
        return {"id": self.id, "texts": dict(self.texts), "edits": edits} | _plain_question(self)

    @classmethod
    def from_record(cls, plain: Mapping[str, Any]) -> Twin:
        """Return the twin that `as_record` describes."""
        return cls(edits=tuple(FrozenEdit(**edit) for edit in plain["edits"]), **_question(plain))


def _plain_question(asked: Asked) -> dict[str, Any]:
    if asked.prompt is None and not asked.targets:
        return {}
    prompt = asked.prompt
    plain: dict[str, Any] = {"messages": None if prompt is None else prompt.dicts}
    if prompt is not None and prompt.options:
        plain["replies"] = list(prompt.options)
    if asked.options:
        plain["options"] = dict(asked.options)
    return plain | {"targets": list(asked.targets)}


def _question(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a question; raise a TypeError or ValueError if it is not one."""
    messages: Sequence[Mapping[str, str]] | None = plain.get("messages")
    replies, options = _listed(plain.get("replies", [])), _named(plain.get("options", {}))
    if replies and len(replies) != len(options):
        raise ValueError(f"{len(replies)} replies to {len(options)} options")
    prompt = messages and Prompt(
        tuple(Message(*_listed([one["role"], one["content"]])) for one in messages), replies
    )
    return {
        "id": plain["id"],
        "texts": _named(plain["texts"]),
        "prompt": prompt or None,
        "options": options,
        "targets": _listed(plain.get("targets", [])),
    }


def _listed(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{values!r:.40} must be a list of texts")
    return tuple(values)


def _named(values: Any) -> dict[str, Any]:
    if not isinstance(values, dict) or not all(isinstance(value, str | None) for value in values.values()):
        raise TypeError(f"{values!r:.40} must be texts by name")
    return values
