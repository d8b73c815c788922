"""Answers that another model judges: the rubric that it gets, and the score that its verdict stands for.

Which model that is, a task cannot say: a task file that comes from somebody else must neither start a program
nor send data or keys to a server of its choice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from salva.errors import UsageError
from salva.models import Message, Prompt
from salva.tasks.answer_kinds import AnswerKind, Expected, Grade, Label, Number, Share
from salva.tasks.choices import Options
from salva.tasks.templates import Template

# Fields of a rubric that are not columns: the question as the model got it, its reply, the accepted answers.
QUESTION, REPLY, TARGET = "question", "reply", "target"
ACCEPTED = "accepted"  # the right answer to a row, if the data has none


def list_asked(answer: Mapping[str, Any]) -> list[Any]:
    """Return those settings of a judge task, as its file has them, that change what the judge is asked."""
    plain = [answer.get(name) or "" for name in ("rubric", "reply_pattern", "json_field")]
    return [*plain, *answer.get("verdicts", ())]


class Verdict(NamedTuple):
    """What a judge says about a reply, and the score that it stands for."""

    name: str
    score: float


@dataclass(frozen=True, kw_only=True)
class Judge(AnswerKind):
    """Whatever another model accepts: it gets a `rubric` and replies with a verdict.

    `verdicts` are the words that it may reply with, and the score of each; or else `scale` has the lowest and
    the highest number. `verdict_pattern` and `verdict_field` find the verdict in the judge's reply.
    """

    rubric: str = ""
    verdicts: Mapping[str, Share] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    verdict_pattern: str = ""
    verdict_field: str = ""
    right_from: Share = 1.0

    needs_judge = True
    default_targets = (ACCEPTED,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if REPLY not in self._template.fields:
            raise UsageError("a judge task needs a rubric, a text in which {reply} stands for the reply")
        if bool(self.verdicts) == bool(self.scale):
            raise UsageError("a judge task needs either verdicts, each with its score, or a scale")
        if self.scale and self.scale[0] >= self.scale[1]:
            raise UsageError("scale must be two numbers, the lowest and the highest, such as [1, 5]")
        _ = self._reader

    @cached_property
    def _template(self) -> Template:
        return Template.of(self.rubric.strip("\n"))

    @cached_property
    def _reader(self) -> AnswerKind:
        """What reads verdicts, as it reads the replies of other tasks."""
        pattern, field = self.verdict_pattern, self.verdict_field
        if self.scale:
            return Number(reply_pattern=pattern, json_field=field)
        return Label(labels=tuple(self.verdicts), reply_pattern=pattern, json_field=field)

    @property
    def is_graded(self) -> bool:
        """Whether a verdict may stand for more than 0 and less than 1."""
        return bool(self.scale) or any(0 < score < 1 for score in self.verdicts.values())

    def columns(self, target: str | None) -> tuple[str, ...]:
        """Return the columns in the rubric; `target` is the column of the right answer."""
        fields = dict.fromkeys(name for name in self._template.fields if name not in (QUESTION, REPLY))
        if TARGET in fields and target is None:
            raise UsageError("the rubric has {target}, but the task names no target column; add one")
        return tuple(target or name if name == TARGET else name for name in fields)

    def read_target(self, target: str, options: Options) -> str | None:
        """Return a target as the data has it: what it means is up to the judge."""
        return target.strip()

    def parse(self, text: str, options: Options) -> str | None:
        """Return a reply as it is: what it means is up to the judge."""
        return text

    def grade(self, reply: str, expected: Expected) -> Grade | None:
        """Refuse to grade a reply without a verdict."""
        raise UsageError("replies to this task are graded by a judge")

    def ask(self, question: str, reply: str, expected: Expected) -> Prompt:
        """Return what the judge is asked about a reply; nothing in question, reply or row is interpreted."""
        own = {QUESTION: question, REPLY: reply, TARGET: " or ".join(expected.targets)}
        values = {name: value or "" for name, value in expected.row.items()} | own
        return Prompt((Message("user", self._template.fill(values).text),), tuple(self.verdicts))

    def read_verdict(self, text: str) -> Verdict | None:
        """Return the verdict in what a judge wrote; None if it is unparsed."""
        counted = self._reader.extract(text)
        if counted is None:
            return None
        if self.scale is None:
            name = self._reader.parse(counted, {})
            return None if name is None else Verdict(name, float(self.verdicts[name]))
        low, high = map(Decimal, self.scale)
        # What follows a number on the scale: `4/5`, `4 out of 5`.
        highest = rf"\s*(?:/|\bout of\b)\s*{re.escape(f'{self.scale[1]:g}')}(?!\w|\.\d)"
        name = self._reader.parse(re.sub(highest, "", counted), {})
        if name is None or not low <= Decimal(name) <= high:
            return None
        return Verdict(name, float((Decimal(name) - low) / (high - low)))

    def grade_verdict(self, verdict: Verdict, expected: Expected) -> Grade:
        """Return the answer that a verdict stands for: the accepted one, or else the verdict itself."""
        if verdict.score >= self.right_from and expected.targets:
            return Grade(expected.targets[0], verdict.score)
        answer = f"judged {verdict.name}"
        while answer in expected.targets:  # a wrong reply is never taken for the right answer
            answer += "*"
        return Grade(answer, verdict.score)
