"""What all kinds of answers share: a reply becomes an answer, and the answer gets a score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from salva.tasks.options import Options, Row
from salva.tasks.replies import compile_pattern, json_value, last_match, without_thought


class Grade(NamedTuple):
    """An answer in the form in which answers are compared, and its score from 0 to 1; None without target."""

    answer: str
    score: float | None


class Key(NamedTuple):
    """What an answer is checked against: the accepted answers, the options, and all columns of the row."""

    targets: tuple[str, ...]
    options: Options
    row: Row

    @property
    def label(self) -> str | None:
        """The first accepted answer, which stands for all of them."""
        return self.targets[0] if self.targets else None


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of answers.

    Of a reply, only `json_field` of the JSON object in it counts, or the last match of `reply_pattern` (its
    first group). A reply without it is unparsed.
    """

    reply_pattern: str = ""
    json_field: str = ""

    def __post_init__(self) -> None:
        _ = self._expression

    @property
    def is_graded(self) -> bool:
        """Whether scores may be other than 0 and 1."""
        return False

    @property
    def has_classes(self) -> bool:
        """Whether all rows have the same few answers, which are worth counting one by one."""
        return False

    @cached_property
    def _expression(self) -> Any:
        return compile_pattern("reply_pattern", self.reply_pattern) if self.reply_pattern else None

    def prepare(self) -> None:
        """Load what grading needs, so that a fault is found before a model is asked."""

    def extract(self, reply: str) -> str | None:
        """Return the part of a reply that counts."""
        text: str | None = without_thought(reply)
        if self.json_field:
            text = json_value(text or "", self.json_field)
        if text is not None and self._expression is not None:
            text = last_match(self._expression, text)
        return text if text and text.strip() else None

    def grade(self, reply: str, key: Key) -> Grade | None:
        """Return the answer in a reply and its score; None if it is unparsed.

        An answer that is right becomes the first accepted one, so that two right answers are the same.
        """
        text = self.extract(reply)
        answer = None if text is None else self.parse(text, key.options)
        if answer is None:
            return None
        score = max((self.score(answer, target) for target in key.targets), default=None)
        right = score is not None and score >= self.right_from
        return Grade(key.targets[0] if right else answer, score)

    right_from = 1.0
    """The score from which an answer is right."""

    def read_target(self, target: str, options: Options) -> str | None:
        """Return a target of the data in the form in which answers are compared; None if it cannot be one."""
        return self.parse(target, options)

    def parse(self, text: str, options: Options) -> str | None:
        """Return the answer in a text, in the form in which answers are compared; None if there is none."""
        raise NotImplementedError

    def score(self, answer: str, target: str) -> float:
        """Return how right an answer is, from 0 to 1."""
        return float(answer == target)

    def known_answers(self) -> tuple[str, ...]:
        """Return what every row may have for an answer, as it is written in texts."""
        return ()
