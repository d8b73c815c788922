"""A task: how a row becomes a question, what may change in it, and how a reply is graded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from salva._patterns import compile_pattern
from salva.errors import InputError, UsageError
from salva.models import Message, Prompt
from salva.models.protocol import combined
from salva.rows.columns import merge_spans
from salva.tasks.contrast import ContrastRules
from salva.tasks.judging import Judge
from salva.tasks.kind import Grade, Key, Kind
from salva.tasks.options import OptionSource, Row, find_option, list_options
from salva.tasks.orders import Order, Places
from salva.tasks.protect import PATTERNS, PROTECTED
from salva.tasks.replies import find_all, find_phrases, last_match
from salva.tasks.spans import Spans
from salva.tasks.templates import Template

OPTIONS, LABELS = "options", "labels"  # fields that stand for lists, not for columns
ROLES = ("system", "user", "assistant")


class Question(NamedTuple):
    """A filled prompt, and where the value of each column begins in its text, in code points."""

    prompt: Prompt
    starts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a model is asked about a row, and what counts as a right answer.

    `messages` are roles and templates; `edit` are the columns that may be rewritten. The right answer is in
    the column `target`: all of it, or what `target_pattern` finds in it, or several accepted ones between
    `target_separator`. `protect` says what is never edited, wherever it occurs in the edited columns.
    """

    name: str
    about: str = ""
    messages: tuple[tuple[str, Template], ...]
    edit: tuple[str, ...]
    target: str | None = None
    target_pattern: str = ""
    target_separator: str = ""
    options: OptionSource | None = None
    protect: tuple[str, ...] = PROTECTED
    protect_patterns: tuple[str, ...] = ()
    answer: Kind
    contrast: ContrastRules = field(default_factory=ContrastRules)
    content: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The task as its file has it, from which it can be made again."""

    def __post_init__(self) -> None:
        _check_messages(self)
        _check_columns(self)
        unknown = next((name for name in self.protect if name not in PROTECTED), None)
        if unknown is not None:
            raise UsageError(f"protect: {unknown!r} is unknown; choose from {', '.join(PROTECTED)}")
        _ = self._patterns, self._target_expression, self.kept_columns

    def as_dict(self) -> dict[str, Any]:
        """Return the task as plain values: what is asked, and apart from it, how replies are graded."""
        question = {key: value for key, value in self.content.items() if key not in ("about", "answer")}
        return {"name": self.name, "question": question, "answer": self.content["answer"]}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the task."""
        return combined(json.dumps(self.as_dict(), sort_keys=True))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of all messages, in order, as often as they occur."""
        return tuple(name for _, template in self.messages for name in template.fields)

    @property
    def _lists(self) -> tuple[str, ...]:
        """The fields that are not columns."""
        return (OPTIONS,) if self.options else (LABELS,) if self.answer.known_answers() else ()

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns besides the edited ones that the question or its answer needs."""
        options = self.options.all_columns if self.options else ()
        named = [name for name in self.fields if name not in self._lists]
        target = () if self.target is None else (self.target,)
        needed = dict.fromkeys([*named, *options, *target, *self.answer.columns(self.target)])
        return tuple(name for name in needed if name not in self.edit)

    def fill(self, row: Row) -> Question | None:
        """Return the question that a row becomes; None if a value is missing."""
        values = {name: row[name] for name in self.fields if name not in self._lists}
        if None in values.values() or any(row[name] is None for name in self.answer.columns(self.target)):
            return None
        options = self.options.find(row) if self.options else {}
        lists = {OPTIONS: list_options(options), LABELS: ", ".join(self.labels)}
        whole = {name: value for name, value in values.items() if value is not None}
        filled = [
            template.fill(whole | {name: lists[name] for name in self._lists})
            for _, template in self.messages
        ]
        roles = (role for role, _ in self.messages)
        replies = self.options.replies(options) if self.options else ()
        prompt = Prompt(tuple(map(Message, roles, (text for text, _ in filled))), replies)
        starts = {
            name: place + start
            for place, (_, own) in zip(prompt.places, filled, strict=True)
            for name, start in own.items()
        }
        return Question(prompt, starts)

    def find_order(self, order: Order, row: Row) -> Places | None:
        """Return where the options of a row are shown in an order; None if it has fewer orders."""
        options = self.options.find(row) if self.options else {}
        text = "\0".join([*(row[name] or "" for name in self.edit), *options.values()])
        return order.find(len(options), text)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, if the answer is one of them."""
        return tuple(getattr(self.answer, LABELS, ()))

    def find_key(self, row: Row) -> Key:
        """Return what the answer to a row is checked against; refuse a target that cannot be an answer."""
        options = self.options.find(row) if self.options else {}
        if self.target is None:
            return Key(self.answer.default_targets(), options, row)
        value = row[self.target]
        text = row[self.edit[0]] or "" if isinstance(self.answer, Spans) else ""
        if isinstance(self.answer, Spans) and value is not None:
            self._check_spans(value, text)
        return Key(() if value is None else tuple(self._targets(value, options)), options, row, text=text)

    def _check_spans(self, value: str, text: str) -> None:
        try:
            Spans().check_target(value, text)
        except ValueError as error:
            raise InputError(f"column {self.target!r}: {error}; correct it") from None

    def _targets(self, value: str, options: dict[str, str]) -> Iterator[str]:
        for part in value.split(self.target_separator) if self.target_separator else [value]:
            found: str | None = part
            if self._target_expression is not None:
                found = last_match(self._target_expression, part)
            if found is not None and self.options:
                found = find_option(found, options, self.options.count_from)
            elif found is not None and found.strip():
                found = self.answer.read_target(found, options)
            if found:
                yield found
            elif part.strip() or not self.target_separator:
                problem = f"column {self.target!r} has {part!r:.60}, which cannot be an answer"
                raise InputError(f"{problem}; correct it, or change the task")

    def grade(self, reply: str, key: Key) -> Grade | None:
        """Return the answer in a reply and its score; None if the reply is unparsed."""
        return self.answer.grade(reply, key)

    def ask_judge(self, reply: str, key: Key) -> Prompt | None:
        """Return what the judge is asked about a reply to the row of `key`; None if it is unparsed."""
        text, question = self.answer.extract(reply), self.fill(key.row)
        if text is None or question is None or not isinstance(self.answer, Judge):
            return None
        return self.answer.ask(question.prompt.text, text, key)

    def protected(self, column: str, row: Row) -> list[tuple[int, int]]:
        """Return the spans of an edited value that must not change, in code points and in order."""
        value = row[column] or ""
        spans = [match.span() for expression in self._patterns for match in find_all(expression, value)]
        spans += [
            match.span()
            for name, known in PATTERNS.items()
            if name in self.protect
            for match in known.finditer(value)
        ]
        if "options" in self.protect and self.options:
            spans += find_phrases(self.options.find(row).values(), value)
            spans += self.options.spans(value) if column == self.options.column else []
        if "answers" in self.protect:
            spans += find_phrases([*self._written_answers(row), *self.answer.known_answers()], value)
        return merge_spans(spans)

    def contrast_protected(self, column: str, row: Row) -> list[tuple[int, int]]:
        """Return the spans that contrasts leave alone: those that are protected, or all but the answers.

        Numbers may change: a contrast is to change the answer.
        """
        value = row[column] or ""
        if self.contrast.aim == "answer":
            spans = find_phrases(self._written_answers(row), value)
            edges = [0, *(place for span in merge_spans(spans) for place in span), len(value)]
            return merge_spans(zip(edges[::2], edges[1::2], strict=True))
        kept = tuple(name for name in self.protect if name != "numbers")
        return replace(self, protect=kept).protected(column, row)

    def opposite_key(self, row: Row) -> Key | None:
        """Return what the answer to a contrast is checked against, if the answer has an opposite."""
        key = self.find_key(row)
        label = None if key.label is None else self.contrast.opposites.get(key.label)
        target = None if label is None else self.answer.read_target(label, key.options)
        return None if target is None else key._replace(targets=(target,))

    def edited_key(self, column: str, row: Row, edits: Sequence[tuple[int, int, str]]) -> Key | None:
        """Return what the answer to a contrast is checked against, if an edit is inside an answer.

        Edits are given by where they begin and end in the value, and what is written there.
        """
        key, value = self.find_key(row), row[column] or ""
        for start, stop in find_phrases(self._written_answers(row), value):
            for first, last, new in edits:
                if start <= first and last <= stop:
                    text = f"{value[start:first]}{new}{value[last:stop]}"
                    target = self.answer.read_target(text, key.options)
                    return None if target is None else key._replace(targets=(target,))
        return None

    def list_answers(self, row: Row) -> list[str]:
        """Return the texts of the options of a row, or its accepted answers, as the data writes them."""
        return list(self.options.find(row).values()) if self.options else self._written_answers(row)

    def _written_answers(self, row: Row) -> list[str]:
        """Return the accepted answers of a row as the data writes them."""
        value = None if self.target is None or self.options else row[self.target]
        if value is None:
            return []
        parts = value.split(self.target_separator) if self.target_separator else [value]
        expression = self._target_expression
        return parts if expression is None else [last_match(expression, part) or "" for part in parts]

    @cached_property
    def _patterns(self) -> list[Any]:
        return [
            compile_pattern("protect_patterns", pattern, multiline=True) for pattern in self.protect_patterns
        ]

    @cached_property
    def _target_expression(self) -> Any:
        if not self.target_pattern:
            return None
        return compile_pattern("target_pattern", self.target_pattern, multiline=True)


def _check_messages(task: Task) -> None:
    unknown = next((role for role, _ in task.messages if role not in ROLES), None)
    if unknown is not None:
        raise UsageError(f"role {unknown!r} is unknown; choose from {', '.join(ROLES)}")
    if not task.messages or task.messages[-1][0] != "user":
        raise UsageError("the last message must have the role user")


def _check_columns(task: Task) -> None:
    if not task.edit:
        raise UsageError("edit names no column; name one or more columns of the prompt that may be rewritten")
    for name in task.edit:
        times = task.fields.count(name)
        if times != 1:
            found = "is not" if not times else f"is {times} times"
            raise UsageError(f"the edited column {name!r} {found} in the prompt; it must be there once")
    if isinstance(task.answer, Spans) and len(task.edit) > 1:
        raise UsageError("a task with spans edits one column, whose spans they are; name only that one")
    if task.target is not None and (task.target in task.edit or task.target in task.fields):
        raise UsageError(f"the target column {task.target!r} is in the prompt, which gives the answer away")
    apart = () if task.options is None or task.options.pattern else task.options.all_columns
    edited = next((name for name in apart if name in task.edit), None)
    if edited is not None:
        raise UsageError(f"the column {edited!r} has options, which must not be edited; take it out of edit")
