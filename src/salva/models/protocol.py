"""The protocol that every model follows: texts in, answers out, and a digest that identifies it.

An answer is a label, or the reason why there is none; for a model that writes, the label is what it wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

MOST_ERROR = 300


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to some texts; each of the four lists has one entry per text."""

    labels: list[str | None]
    probabilities: list[float | None]
    truncated: list[bool]
    errors: list[str | None]

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(
        cls,
        labels: Sequence[str | None],
        *,
        probabilities: Sequence[float | None] | None = None,
        truncated: Sequence[bool] | None = None,
        errors: Sequence[str | None] | None = None,
    ) -> Answers:
        """Return answers, with defaults for everything that is not given.

        >>> Answers.of(["pos", None]).errors
        [None, 'the model gave no answer']
        """
        given = list(errors) if errors is not None else [None] * len(labels)
        said = [
            None if label is not None else error or "the model gave no answer"
            for label, error in zip(labels, given, strict=True)
        ]
        none: list[float | None] = [None] * len(labels)
        return cls(
            list(labels),
            list(probabilities) if probabilities is not None else none,
            list(truncated) if truncated is not None else [False] * len(labels),
            said,
        )

    @classmethod
    def failed(cls, count: int, error: str) -> Answers:
        """Return answers for texts that all failed in the same way."""
        return cls.of([None] * count, errors=[error] * count)

    @classmethod
    def joined(cls, parts: Iterable[Answers]) -> Answers:
        """Return the answers of several calls as one."""
        whole = cls([], [], [], [])
        for part in parts:
            whole.labels.extend(part.labels)
            whole.probabilities.extend(part.probabilities)
            whole.truncated.extend(part.truncated)
            whole.errors.extend(part.errors)
        return whole


def one_line(error: BaseException) -> str:
    r"""Return an exception as one line of at most 300 characters, with nothing that affects a terminal.

    >>> one_line(ValueError("two\nlines"))
    'ValueError: two lines'
    """
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the str() of somebody else's exception may do anything
        message = ""
    name = type(error).__name__
    return clip(f"{name}: {message}" if message.strip() else name, MOST_ERROR)


def clip(text: str, most: int) -> str:
    r"""Return a text on one line, control and invisible characters escaped, cut to `most` characters.

    >>> clip("a\x1b[31m  b\n" + "c" * 99, 12)
    'a\\x1b[31m b…'
    """
    # Only the beginning is read: the rest may be a gigabyte.
    text = " ".join(text[: 4 * most].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


Text: TypeAlias = str | tuple[str, str]


@runtime_checkable
class Model(Protocol):
    """A model under test. Query it with `ask`, which copes with whatever goes wrong."""

    name: str
    """The name shown to people; holds no secrets."""
    digest: str
    """`sha256:…`; differs whenever answers may differ."""
    classes: tuple[str, ...] | None
    """The class names, if they are known before the first answer."""
    batch_size: int
    """How many texts to send per call."""

    def predict(self, texts: list[Text]) -> Answers:
        """Return one answer per text, in the same order; may raise anything."""
        ...

    def close(self) -> None:
        """Stop whatever is running and free what is held; a later `predict` may start over."""
        ...
