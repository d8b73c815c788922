"""What all kinds of answers share: a reply becomes an answer, and the answer gets a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from salva._patterns import compile_pattern
from salva.tasks.options import Options, Row
from salva.tasks.replies import json_value, last_match, without_thought


class Grade(NamedTuple):
    """An answer in the form in which answers are compared, and its score from 0 to 1; None without target."""

    answer: str
    score: float | None


class Key(NamedTuple):
    """What an answer is checked against: the accepted answers, the options, and all columns of the row.

    If the options are asked in another order, `names` has the own name of the option under each name that is
    shown. Accepted answers have their own names. Of spans, `text` is the text that the model was given, and
    `back` moves those of a twin to the original.
    """

    targets: tuple[str, ...]
    options: Options
    row: Row
    names: Mapping[str, str] = {}
    back: Callable[[Any], list[tuple[object, ...]]] | None = None
    text: str = ""

    def reorder(self, places: Sequence[int]) -> Key:
        """Return the key for options in another order.

        >>> Key(("A",), {"A": "yes", "B": "no"}, {}).reorder((1, 0)).options
        {'A': 'no', 'B': 'yes'}
        """
        own = [list(self.options)[place] for place in places]
        names = dict(zip(self.options, own, strict=True))
        return self._replace(options={name: self.options[names[name]] for name in names}, names=names)

    @property
    def label(self) -> str | None:
        """The first accepted answer, which stands for all of them."""
        return self.targets[0] if self.targets else None


@dataclass(frozen=True, kw_only=True)
class Kind(ABC):
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

    @property
    def needs_judge(self) -> bool:
        """Whether another model has to judge every reply."""
        return False

    def columns(self, target: str | None) -> tuple[str, ...]:
        """Return the columns without which a row cannot be graded; `target` has the right answer."""
        return ()

    def default_targets(self) -> tuple[str, ...]:
        """Return the accepted answers of a task that names no target column."""
        return ()

    @cached_property
    def _expression(self) -> Any:
        if not self.reply_pattern:
            return None
        return compile_pattern("reply_pattern", self.reply_pattern, multiline=True)

    def prepare(self) -> None:  # noqa: B027  (most kinds load nothing)
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
        answer = key.names.get(answer, answer)
        score = max((self.score(answer, target) for target in key.targets), default=None)
        right = score is not None and score >= self.right_from
        return Grade(key.targets[0] if right else answer, score)

    right_from = 1.0
    """The score from which an answer is right."""

    def read_target(self, target: str, options: Options) -> str | None:
        """Return a target of the data in the form in which answers are compared; None if it cannot be one."""
        return self.parse(target, options)

    @abstractmethod
    def parse(self, text: str, options: Options) -> str | None:
        """Return the answer in a text, in the form in which answers are compared; None if there is none."""

    def score(self, answer: str, target: str) -> float:
        """Return how right an answer is, from 0 to 1."""
        return float(answer == target)

    def known_answers(self) -> tuple[str, ...]:
        """Return what every row may have for an answer, as it is written in texts."""
        return ()
