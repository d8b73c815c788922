"""Answers that are one of some labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from salva.errors import UsageError
from salva.tasks.kind import Kind
from salva.tasks.options import Options
from salva.tasks.replies import ANNOUNCEMENT, find_phrases, trimmed

_INTRODUCTION = re.compile(ANNOUNCEMENT)
_NEGATION = re.compile(r"(?i)\b(?:not|neither|nor|never)\b|n['’]t\b")  # noqa: RUF001


@dataclass(frozen=True, kw_only=True)
class Label(Kind):
    """One of some labels, each with other names that data or models use for it."""

    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.labels) < 2:
            raise UsageError("a label task needs two or more labels; write [answer.labels], one per line")
        names = [trimmed(name) for label in self.labels for name in self._names(label)]
        repeated = next((name for k, name in enumerate(names) if name in names[:k]), None)
        if repeated is not None:
            raise UsageError(f"the name {repeated!r} belongs to two labels; names must differ")

    @property
    def has_classes(self) -> bool:
        """Labels are classes."""
        return True

    def _names(self, label: str) -> list[str]:
        others = [name for name in self.labels[label] if trimmed(name) != trimmed(label)]
        return [label, *others]

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {trimmed(name): label for label in self.labels for name in self._names(label)}

    def read_target(self, target: str, options: Options) -> str | None:
        """Return the label with this name."""
        return self._labels.get(trimmed(target))

    def parse(self, text: str, options: Options) -> str | None:
        """Return the label that a text is, begins with, ends with, or that alone occurs in it."""
        lines = [line for line in text.splitlines() if line.strip()]
        for part in (text, lines[0], re.split(r"[.,;:!\n]", lines[0])[0], lines[-1]):
            shown = _INTRODUCTION.split(part)[-1]
            for whole in (part, shown):
                if trimmed(whole) in self._labels:
                    return self._labels[trimmed(whole)]
        found = {label for name, label in self._labels.items() if find_phrases([name], text)}
        return found.pop() if len(found) == 1 and not _NEGATION.search(text) else None

    def known_answers(self) -> tuple[str, ...]:
        """Return the labels and their other names."""
        return tuple(name for label in self.labels for name in self._names(label))
