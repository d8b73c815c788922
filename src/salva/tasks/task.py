"""A task: how a row becomes a question, what may change in it, and how a reply is graded.

Rows are texts by column: `read_columns` reads them, and `check_task` shows what a task makes of the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from salva._patterns import compile_pattern
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.models import Message, Prompt
from salva.models.outputs import both_ways
from salva.models.protocol import combined
from salva.rows import ReadOptions, open_rows, select_columns
from salva.rows.columns import merge_spans, read_columns
from salva.rows.jsonl import as_table
from salva.tasks.answer_kinds import AnswerKind, Choice, Expected, Grade, Label
from salva.tasks.choices import Options, OptionSource, Order, Places, Row, as_rows, find_option, list_options
from salva.tasks.judge import Judge
from salva.tasks.labelled_spans import Spans, check_spans
from salva.tasks.parsing import find_all, find_phrases, last_match
from salva.tasks.templates import Template

OPTIONS, LABELS = "options", "labels"  # fields that stand for lists, not for columns

_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds
    thousand thousands million millions billion billions trillion dozen dozens half halves third thirds
    quarter quarters fourth fifth sixth seventh eighth ninth tenth once twice thrice double triple first
    second pair couple
"""
# What is protected in every text, whatever the row; options and answers are those of the row.
PATTERNS = {
    "numbers": re.compile(rf"\d+(?:[.,:/]\d+)*|(?i:(?<!\w)(?:{'|'.join(_NUMBER_WORDS.split())})(?!\w))"),
    "code": re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL),
    "placeholders": re.compile(
        r"\{\{[^{}\n]*\}\}|\{[^{}\n]*\}|\[[A-Z][A-Z_]*\]|<[A-Za-z_/][^<>\n]*>|_{2,}|%[sd]|\$\{?[A-Za-z_]\w*\}?"
    ),
}
PROTECTED = ("options", "answers", *PATTERNS)


class Question(NamedTuple):
    """A filled prompt, and where the value of each column begins in its text, in code points."""

    prompt: Prompt
    starts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class ContrastRules:
    """The rules in `[contrast]`: where contrasts may edit, and which answer is the opposite of which.

    With `aim = "answer"`, contrasts edit the right answer where the text has it, so that the new right answer
    follows from the edit. `opposites` are answers that a negation or an antonym turns into one another.
    """

    aim: Literal["anywhere", "answer"] = "anywhere"
    opposites: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "opposites", both_ways(self.opposites))


@dataclass(frozen=True, kw_only=True)
class MessageTemplate:
    """A message of a chat, with fields such as `{question}` in its content."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How a question is asked: with a prompt, or with the messages of a chat that the user ends."""

    prompt: str | None = None
    messages: tuple[MessageTemplate, ...] | None = None

    @cached_property
    def templates(self) -> tuple[tuple[str, Template], ...]:
        """The roles and templates of all messages."""
        if (self.prompt is None) == (self.messages is None):
            raise UsageError("a task needs either a prompt or messages, each with role and content")
        if self.prompt is not None:
            return (("user", Template.of(self.prompt.strip("\n"))),)
        messages = self.messages or ()
        if not messages or messages[-1].role != "user":
            raise UsageError("the last message must have the role user")
        return tuple((message.role, Template.of(message.content.strip("\n"))) for message in messages)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of all messages, in order, as often as they occur."""
        return tuple(name for _, template in self.templates for name in template.fields)


@dataclass(frozen=True, kw_only=True)
class TaskSettings(Wording):
    """The keys of a task file.

    `edit` are the columns that may be rewritten. The right answer is in the column `target`: all of it, or
    what `target_pattern` finds in it, or several accepted ones between `target_separator`. `protect` says
    what is never edited, wherever it occurs in the edited columns.
    """

    about: str = field(default="", compare=False)
    edit: tuple[str, ...] = ()
    target: str | None = None
    target_pattern: str = ""
    target_separator: str = ""
    protect: tuple[str, ...] = PROTECTED
    protect_patterns: tuple[str, ...] = ()
    options: OptionSource | None = None
    answer: AnswerKind
    contrast: ContrastRules = field(default_factory=ContrastRules)


@dataclass(frozen=True, kw_only=True)
class Task(TaskSettings):
    """What a model is asked about a row, and what counts as a right answer."""

    name: str
    content: dict[str, Any] = field(repr=False, compare=False)
    """The task as its file has it, from which it can be made again."""

    def __post_init__(self) -> None:
        if (self.options is None) == isinstance(self.answer, Choice):
            raise UsageError("a task has [options] if and only if the kind of its answer is choice")
        self._check_columns()
        for name in self.protect:
            if name not in PROTECTED:
                raise UsageError(f"protect: {name!r} is unknown; choose from {', '.join(PROTECTED)}")
        _ = self._patterns, self._target_expression, self.kept_columns

    def _check_columns(self) -> None:
        if not self.edit:
            raise UsageError(
                "edit names no column; name one or more columns of the prompt that may be rewritten"
            )
        for name in self.edit:
            if (times := self.fields.count(name)) != 1:
                found = f"is {times} times" if times else "is not"
                raise UsageError(f"the edited column {name!r} {found} in the prompt; it must be there once")
        if isinstance(self.answer, Spans) and len(self.edit) > 1:
            raise UsageError("a task with spans edits one column, whose spans they are; name only that one")
        if self.target is not None and (self.target in self.edit or self.target in self.fields):
            raise UsageError(
                f"the target column {self.target!r} is in the prompt, which gives the answer away"
            )
        for name in self.options.all_columns if self.options and not self.options.pattern else ():
            if name in self.edit:
                raise UsageError(
                    f"the column {name!r} has options, which must not be edited; take it out of edit"
                )

    def as_dict(self) -> dict[str, Any]:
        """Return the task as plain values: what is asked, and apart from it, how replies are graded."""
        question = {key: value for key, value in self.content.items() if key not in ("about", "answer")}
        return {"name": self.name, "question": question, "answer": self.content["answer"]}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the task."""
        return combined(json.dumps(self.as_dict(), sort_keys=True))

    @property
    def _lists(self) -> tuple[str, ...]:
        """The fields that are not columns."""
        return (OPTIONS,) if self.options else (LABELS,) if self.answer.known_answers() else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, if the answer is one of them."""
        return tuple(dict.fromkeys(self.answer.labels)) if isinstance(self.answer, Label) else ()

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
        options = self._options_of(row)
        lists = {OPTIONS: list_options(options), LABELS: ", ".join(self.labels)}
        whole = {name: value or "" for name, value in values.items()}
        whole |= {name: lists[name] for name in self._lists}
        roles, filled = zip(*((role, template.fill(whole)) for role, template in self.templates), strict=True)
        replies = self.options.replies(options) if self.options else ()
        prompt = Prompt(tuple(map(Message, roles, (text for text, _ in filled))), replies)
        starts = {
            name: place + start
            for place, (_, own) in zip(prompt.places, filled, strict=True)
            for name, start in own.items()
        }
        return Question(prompt, starts)

    def _options_of(self, row: Row) -> dict[str, str]:
        return self.options.find(row) if self.options else {}

    def find_order(self, order: Order, row: Row) -> Places | None:
        """Return where the options of a row are shown in an order; None if it has fewer orders."""
        options = self._options_of(row)
        text = "\0".join([*(row[name] or "" for name in self.edit), *options.values()])
        return order.find(len(options), text)

    def expect(self, row: Row) -> Expected:
        """Return what the answer to a row is checked against; refuse a target that cannot be an answer."""
        options = self._options_of(row)
        if self.target is None:
            return Expected(self.answer.default_targets, options, row)
        value = row[self.target]
        text = row[self.edit[0]] or "" if isinstance(self.answer, Spans) else ""
        if isinstance(self.answer, Spans) and value is not None:
            try:
                check_spans(value, text)
            except ValueError as error:
                raise InputError(f"column {self.target!r}: {error}; correct it") from None
        targets = () if value is None else tuple(self._read_targets(value, options))
        return Expected(targets, options, row, text=text)

    def _split_target(self, value: str) -> Iterator[tuple[str, str | None]]:
        """Yield the parts of a value of the target column, and what of each counts."""
        for part in value.split(self.target_separator) if self.target_separator else [value]:
            yield part, last_match(self._target_expression, part) if self.target_pattern else part

    def _read_targets(self, value: str, options: Options) -> Iterator[str]:
        for part, counted in self._split_target(value):
            found = counted
            if found is not None and self.options:
                found = find_option(found, options, self.options.count_from)
            elif found is not None and found.strip():
                found = self.answer.read_target(found, options)
            if found:
                yield found
            elif part.strip() or not self.target_separator:
                raise InputError(
                    f"column {self.target!r} has {part!r:.60}, which cannot be an answer; "
                    "correct it, or change the task"
                )

    def _written_answers(self, row: Row) -> list[str]:
        """Return the accepted answers of a row as the data writes them."""
        value = None if self.target is None or self.options else row[self.target]
        return [] if value is None else [counted or "" for _, counted in self._split_target(value)]

    def grade(self, reply: str, expected: Expected) -> Grade | None:
        """Return the answer in a reply and its score; None if the reply is unparsed."""
        return self.answer.grade(reply, expected)

    def ask_judge(self, reply: str, expected: Expected, question: str) -> Prompt | None:
        """Return what the judge is asked about a reply; None if it is unparsed, or needs no judge.

        `question` is the text of the clean question.
        """
        text = self.answer.extract(reply)
        if text is None or not isinstance(self.answer, Judge):
            return None
        return self.answer.ask(question, text, expected)

    def protected(self, column: str, row: Row) -> list[tuple[int, int]]:
        """Return the spans of an edited value that must not change, in code points and in order."""
        return self._find_protected(column, row, self.protect)

    def _find_protected(self, column: str, row: Row, names: Sequence[str]) -> list[tuple[int, int]]:
        value, usual = row[column] or "", [PATTERNS[name] for name in names if name in PATTERNS]
        spans = [match.span() for expression in self._patterns for match in find_all(expression, value)]
        spans += [match.span() for expression in usual for match in expression.finditer(value)]
        if "options" in names and self.options:
            spans += find_phrases(self.options.find(row).values(), value)
            spans += self.options.spans(value) if column == self.options.column else []
        if "answers" in names:
            spans += find_phrases([*self._written_answers(row), *self.answer.known_answers()], value)
        return merge_spans(spans)

    def contrast_protected(self, column: str, row: Row) -> list[tuple[int, int]]:
        """Return the spans that contrasts leave alone: those that are protected, or all but the answers.

        Numbers may change: a contrast is to change the answer.
        """
        if self.contrast.aim != "answer":
            return self._find_protected(column, row, [name for name in self.protect if name != "numbers"])
        value = row[column] or ""
        spans = find_phrases(self._written_answers(row), value)
        edges = [0, *(place for span in merge_spans(spans) for place in span), len(value)]
        return merge_spans(zip(edges[::2], edges[1::2], strict=True))

    def expect_opposite(self, row: Row) -> Expected | None:
        """Return what the answer to a contrast is checked against, if the answer has an opposite."""
        expected = self.expect(row)
        opposite = None if expected.label is None else self.contrast.opposites.get(expected.label)
        return None if opposite is None else self._expect_target(opposite, expected)

    def expect_edited(self, column: str, row: Row, edits: Sequence[tuple[int, int, str]]) -> Expected | None:
        """Return what the answer to a contrast is checked against, if an edit is inside an answer.

        Edits are given by where they begin and end in the value, and what is written there.
        """
        expected, value = self.expect(row), row[column] or ""
        for start, stop in find_phrases(self._written_answers(row), value):
            for first, last, new in edits:
                if start <= first and last <= stop:
                    text = f"{value[start:first]}{new}{value[last:stop]}"
                    return self._expect_target(text, expected)
        return None

    def _expect_target(self, text: str, expected: Expected) -> Expected | None:
        target = self.answer.read_target(text, expected.options)
        return None if target is None else expected._replace(targets=(target,))

    @cached_property
    def _patterns(self) -> list[Any]:
        return [
            compile_pattern("protect_patterns", pattern, multiline=True) for pattern in self.protect_patterns
        ]

    @cached_property
    def _target_expression(self) -> Any:
        return self.target_pattern and compile_pattern("target_pattern", self.target_pattern, multiline=True)


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
    rows: int = 3,
    replies: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> list[CheckedRow]:
    """Return the first rows that have all values, filled in, each with the grades of some replies."""
    checked: list[CheckedRow] = []
    for number, row in enumerate(_read_rows(path, task, options)):
        try:
            question, expected = task.fill(row), task.expect(row)
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
                expected.targets,
                dict(expected.options),
                tuple(sorted((start, start + len(row[name] or "")) for start, name in starts)),
                tuple(sorted(spans)),
                tuple(_check_reply(task, reply, expected, question.prompt.text) for reply in replies),
            )
        )
        if len(checked) == rows:
            break
    if not checked:
        named = ", ".join(task.fields)
        raise InputError.at(path, None, f"no row has a value in all columns of the task: {named}")
    return checked


def _read_rows(path: PathLike, task: Task, options: ReadOptions | None) -> Iterator[Row]:
    columns = (*task.edit, *task.kept_columns)
    with open_rows(path, select_columns(options, task.edit)) as rows:
        for number, batch in enumerate(rows):
            yield from as_rows(read_columns(rows.name, as_table(batch), columns, first=not number))


def _check_reply(task: Task, reply: str, expected: Expected, question: str) -> CheckedReply:
    if task.answer.needs_judge:
        asked = task.ask_judge(reply, expected, question)
        return CheckedReply(reply, judged=None if asked is None else asked.text)
    grade = task.grade(reply, expected)
    return CheckedReply(reply) if grade is None else CheckedReply(reply, *grade)
