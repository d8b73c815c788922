"""Kinds of answers: how a reply becomes an answer, and the answer gets a score.

Labels, choices, numbers, texts and functions of the user's are here; spans and judged replies have modules of
their own.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from salva._arguments import check_number
from salva._crashes import place_of
from salva._patterns import compile_pattern
from salva.errors import UsageError
from salva.models import load_function
from salva.tasks.choices import Options, Row, find_option
from salva.tasks.parsing import ANNOUNCEMENT, find_phrases, json_value, last_match, normalised, trimmed

Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]


class Grade(NamedTuple):
    """An answer in the form in which answers are compared, and its score from 0 to 1; None without target."""

    answer: str
    score: float | None


class Expected(NamedTuple):
    """What an answer is checked against: the accepted answers, the options, and all columns of the row.

    If the options are asked in another order, `names` has the own name of the option under each name that is
    shown. Accepted answers have their own names. Of spans, `text` is the text that the model was given, and
    `to_original` moves those of a twin to the original.
    """

    targets: tuple[str, ...]
    options: Options
    row: Row
    names: Mapping[str, str] = {}
    to_original: Callable[[Any], list[tuple[object, ...]]] | None = None
    text: str = ""

    def reorder(self, places: Sequence[int]) -> Expected:
        """Return what is expected if the options are shown in another order.

        >>> Expected(("A",), {"A": "yes", "B": "no"}, {}).reorder((1, 0)).options
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
class AnswerKind(ABC):
    """A kind of answers; its fields are the settings in `[answer]`.

    Of a reply, only `json_field` of the JSON object in it counts, or the last match of `reply_pattern` (its
    first group). A reply without it is unparsed.
    """

    reply_pattern: str = ""
    json_field: str = ""

    right_from = 1.0
    """The score from which an answer is right."""
    has_classes: ClassVar[bool] = False
    """Whether all rows have the same few answers, which are worth counting one by one."""
    needs_judge: ClassVar[bool] = False
    """Whether another model has to judge every reply."""
    default_targets: ClassVar[tuple[str, ...]] = ()
    """The accepted answers of a task that names no target column."""

    def __post_init__(self) -> None:
        _ = self._expression

    @property
    def is_graded(self) -> bool:
        """Whether scores may be other than 0 and 1."""
        return False

    def columns(self, target: str | None) -> tuple[str, ...]:
        """Return the columns without which a row cannot be graded; `target` has the right answer."""
        return ()

    def known_answers(self) -> tuple[str, ...]:
        """Return what every row may have for an answer, as it is written in texts."""
        return ()

    def prepare(self) -> None:  # noqa: B027  (most kinds load nothing)
        """Load what grading needs, so that a fault is found before a model is asked."""

    @cached_property
    def _expression(self) -> Any:
        return self.reply_pattern and compile_pattern("reply_pattern", self.reply_pattern, multiline=True)

    def extract(self, reply: str) -> str | None:
        """Return the part of a reply that counts."""
        written = reply.rpartition("</think>")[2]  # which ends what some models write to themselves
        text = json_value(written, self.json_field) if self.json_field else written
        if text is not None and self.reply_pattern:
            text = last_match(self._expression, text)
        return text if text and text.strip() else None

    def grade(self, reply: str, expected: Expected) -> Grade | None:
        """Return the answer in a reply and its score; None if it is unparsed.

        An answer that is right becomes the first accepted one, so that two right answers are the same.
        """
        text = self.extract(reply)
        answer = None if text is None else self.parse(text, expected.options)
        if answer is None:
            return None
        answer = expected.names.get(answer, answer)
        score = max((self.score(answer, target) for target in expected.targets), default=None)
        right = score is not None and score >= self.right_from
        return Grade(expected.targets[0] if right else answer, score)

    def read_target(self, target: str, options: Options) -> str | None:
        """Return a target of the data in the form in which answers are compared; None if it cannot be one."""
        return self.parse(target, options)

    @abstractmethod
    def parse(self, text: str, options: Options) -> str | None:
        """Return the answer in a text, in the form in which answers are compared; None if there is none."""

    def score(self, answer: str, target: str) -> float:
        """Return how right an answer is, from 0 to 1."""
        return float(answer == target)


_INTRODUCTION = re.compile(ANNOUNCEMENT)
_NEGATION = re.compile(r"(?i)\b(?:not|neither|nor|never)\b|n['’]t\b")  # noqa: RUF001


@dataclass(frozen=True, kw_only=True)
class Label(AnswerKind):
    """One of some labels, each with other names that data or models use for it."""

    labels: Mapping[str, tuple[str, ...]] | tuple[str, ...] = field(default_factory=dict)

    has_classes = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self._names) < 2:
            raise UsageError("a label task needs two or more labels; write [answer.labels], one per line")
        for name, times in Counter(map(trimmed, self.known_answers())).items():
            if times > 1:
                raise UsageError(f"the name {name!r} belongs to two labels; names must differ")

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The names of each label, its own first."""
        labels = self.labels if isinstance(self.labels, Mapping) else dict.fromkeys(self.labels, ())
        return {
            label: [label, *(name for name in others if trimmed(name) != trimmed(label))]
            for label, others in labels.items()
        }

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {trimmed(name): label for label, names in self._names.items() for name in names}

    def known_answers(self) -> tuple[str, ...]:
        """Return the labels and their other names."""
        return tuple(name for names in self._names.values() for name in names)

    def read_target(self, target: str, options: Options) -> str | None:
        """Return the label with this name."""
        return self._labels.get(trimmed(target))

    def parse(self, text: str, options: Options) -> str | None:
        """Return the label that a text is, begins with, ends with, or that alone occurs in it."""
        lines = [line for line in text.splitlines() if line.strip()]
        for part in (text, lines[0], re.split(r"[.,;:!\n]", lines[0])[0], lines[-1]):
            for whole in (part, _INTRODUCTION.split(part)[-1]):
                if trimmed(whole) in self._labels:
                    return self._labels[trimmed(whole)]
        found = {label for name, label in self._labels.items() if find_phrases([name], text)}
        return found.pop() if len(found) == 1 and not _NEGATION.search(text) else None


# "The answer is A because" names an option; "the answer is a tree" and "I think" do not, in capitals neither.
_NOT_A_WORD = r"(?!(?<=\b[AI])\s+(?!because\b|since\b)[a-z])"


@dataclass(frozen=True, kw_only=True)
class Choice(AnswerKind):
    """One of the options of the row, by its name or its text."""

    def parse(self, text: str, options: Options) -> str | None:
        """Return the name of the option that a text gives."""
        if not options:
            return None
        names = "|".join(re.escape(name) for name in sorted(options, key=len, reverse=True))
        begins = re.match(rf"\W*({names})(?:[).:,\]]|\s*$)", text, re.MULTILINE)
        # "A. The grass" names A, also if the grass is B: without articles, it would be "grass".
        if begins is None or trimmed(text) in map(trimmed, options.values()):
            whole = find_option(text, options)
            if whole is not None:
                return whole
        named: list[str] = re.findall(rf"{ANNOUNCEMENT}[(*\[]*({names})(?!\w){_NOT_A_WORD}", text)
        if named:
            return named[-1]
        if begins is not None:
            return begins[1]
        marked = set(re.findall(rf"\(({names})\)", text))
        if len(marked) == 1:
            return str(marked.pop())
        found = {name for name, option in options.items() if find_phrases([option], text)}
        return found.pop() if len(found) == 1 else None


_NUMBER = re.compile(r"[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d{1,3}(?!\d))?")  # noqa: RUF001
_FINAL = re.compile(r"(?i)####|\\boxed\{|\banswer(?:\s+is)?\s*[:=]?")
_EXACT = Context(prec=400)
_LONGEST = 300  # characters of a number
_LARGE = 30  # digits of a number that is written out


@dataclass(frozen=True, kw_only=True)
class Number(AnswerKind):
    """A number: the first after an announcement such as `####` or "the answer is", or else the last.

    Commas separate thousands. An answer is right within `tolerance` of the target.
    """

    tolerance: Annotated[float, Meta(ge=0)] = 0.0

    def parse(self, text: str, options: Options) -> str | None:
        """Return the number in a text, without thousands separators and superfluous zeros."""
        announced = [match.end() for match in _FINAL.finditer(text)]
        after = _NUMBER.search(text, announced[-1]) if announced else None
        found = after or next(reversed(list(_NUMBER.finditer(text))), None)
        if found is None or len(found[0]) > _LONGEST:
            return None
        plain = re.sub("[$€£,+]", "", found[0]).replace("−", "-")  # noqa: RUF001
        value = Decimal(plain).normalize(_EXACT)
        if not value:
            return "0"
        return format(value, "f") if abs(value.adjusted()) < _LARGE else str(value)

    def score(self, answer: str, target: str) -> float:
        """Return 1 within the tolerance, 0 beyond."""
        return float(abs(Decimal(answer) - Decimal(target)) <= Decimal(self.tolerance))


def equal(answer: str, target: str) -> float:
    """Return 1 for the same text."""
    return float(answer == target)


def contains(answer: str, target: str) -> float:
    """Return 1 if the target occurs in the answer as whole words.

    >>> contains("it is paris", "paris"), contains("parisian", "paris")
    (1.0, 0.0)
    """
    return float(bool(find_phrases([target], answer)))


def token_f1(answer: str, target: str) -> float:
    """Return the harmonic mean of the shares of words that the two have in common, as SQuAD has it.

    >>> token_f1("eiffel tower paris", "eiffel tower")
    0.8
    """
    ours, theirs = Counter(answer.split()), Counter(target.split())
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total()) if common else float(ours == theirs)


Comparison: TypeAlias = Literal["exact", "normalised", "contains", "f1"]
TEXT_SCORES: dict[Comparison, Callable[[str, str], float]] = {
    "exact": equal,
    "normalised": equal,
    "contains": contains,
    "f1": token_f1,
}


@dataclass(frozen=True, kw_only=True)
class Text(AnswerKind):
    """A free answer: `compare` says how it is compared with the accepted ones."""

    compare: Comparison = "normalised"
    right_from: Share = 1.0

    @property
    def is_graded(self) -> bool:
        """Token F1 has values between 0 and 1."""
        return self.compare == "f1"

    def parse(self, text: str, options: Options) -> str | None:
        """Return the text in the form in which it is compared."""
        plain = " ".join(text.split())
        return plain if self.compare == "exact" else normalised(plain) or plain.casefold() or None

    def score(self, answer: str, target: str) -> float:
        """Return what the chosen comparison gives."""
        return TEXT_SCORES[self.compare](answer, target)


@dataclass(frozen=True, kw_only=True)
class Python(AnswerKind):
    """Whatever a function of the user's makes of a reply and its row: a score, or an answer and a score."""

    function: str = ""
    right_from: Share = 1.0

    is_graded = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.function:
            raise UsageError("a python task needs function = 'package.module:function'")

    @cached_property
    def _call(self) -> Callable[..., Any]:
        return load_function(self.function)

    def prepare(self) -> None:
        """Load the function."""
        _ = self._call

    def read_target(self, target: str, options: Options) -> str | None:
        """Return a target as the data has it: what it means is up to the function."""
        return target.strip()

    def parse(self, text: str, options: Options) -> str | None:
        """Return a text as it is compared if the function gives no answer."""
        return normalised(text) or text.strip()

    def grade(self, reply: str, expected: Expected) -> Grade | None:
        """Return what the function makes of the reply; None means unparsed."""
        text = self.extract(reply)
        found = None if text is None else self._graded(text, expected)
        if text is None or found is None:
            return None
        answer, score = found if isinstance(found, tuple) and len(found) == 2 else (None, found)
        try:
            value = check_number("score", score, 0, 1)
        except UsageError as error:
            raise UsageError(f"{self.function!r} returned {found!r:.60}: {error}") from None
        if expected.targets and value >= self.right_from:
            return Grade(expected.targets[0], value)
        return Grade(str(self.parse(text, expected.options) if answer is None else answer), value)

    def _graded(self, text: str, expected: Expected) -> Any:
        try:
            return self._call(text, dict(expected.row))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}{place_of(error)}"
            raise UsageError(
                f"{self.function!r} failed: {problem}; it must take a reply and a row"
            ) from error
