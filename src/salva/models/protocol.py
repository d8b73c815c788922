"""The protocol that every model follows: texts in, answers out, and a digest that identifies it.

An answer is a label, or the reason why there is none; for a model that writes, the label is what it wrote. A
digest covers everything visible that an answer may depend on.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from salva._crashes import place_of
from salva._files import digest
from salva.models.prompts import Prompt

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
        reasons = list(errors) if errors is not None else [None] * len(labels)
        explained = [
            None if label is not None else error or "the model gave no answer"
            for label, error in zip(labels, reasons, strict=True)
        ]
        none: list[float | None] = [None] * len(labels)
        return cls(
            list(labels),
            list(probabilities) if probabilities is not None else none,
            list(truncated) if truncated is not None else [False] * len(labels),
            explained,
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


def describe_crash(error: BaseException) -> str:
    """Return an exception of the model's code as one line, with the file and line of that code."""
    place = clip(place_of(error), MOST_ERROR // 2)
    return f"{clip(one_line(error), MOST_ERROR - len(place) - 1)} {place}" if place else one_line(error)


def clip(text: str, most: int) -> str:
    r"""Return a text on one line, control and invisible characters escaped, cut to `most` characters.

    >>> clip("a\x1b[31m  b\n" + "c" * 99, 12)
    'a\\x1b[31m b…'
    """
    # Only the beginning is read: the rest may be a gigabyte.
    text = " ".join(text[: 4 * most].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


Text: TypeAlias = str | tuple[str, str] | Prompt


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


def text_id(text: Text) -> bytes:
    """Return the 16-byte id of a text, a pair of texts or a prompt; the export holds it in hexadecimal.

    >>> text_id("fine").hex()
    '904487a163bd8a70172346f3fc67c47d'
    """
    if isinstance(text, Prompt):
        whole = json.dumps(["prompt", text.messages, text.options])
    else:
        whole = text if isinstance(text, str) else "\0".join(text)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def as_text(text: Text, between: str = "\n") -> str:
    """Return an input as one text; `between` is put between the two texts of a pair."""
    if isinstance(text, Prompt):
        return text.text
    return text if isinstance(text, str) else between.join(text)


def as_fields(text: Text) -> dict[str, Any]:
    """Return an input as fields: `text`, `text_b` of a pair, `messages` and `options` of a prompt.

    >>> as_fields(("a premise", "a hypothesis"))
    {'text': 'a premise', 'text_b': 'a hypothesis'}
    """
    if isinstance(text, str):
        return {"text": text}
    if isinstance(text, Prompt):
        messages = {} if text.is_plain else {"messages": text.dicts}
        return {"text": text.text, **messages} | ({"options": text.options} if text.options else {})
    return {"text": text[0], "text_b": text[1]}


def combined(*parts: str | bool | int | None) -> str:
    """Return one digest of several parts; no other parts have the same one.

    >>> combined("a", "b") == combined("ab"), combined("a")[:15]
    (False, 'sha256:0eb5b8d6')
    """
    return f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def of_files(paths: Iterable[Path]) -> str:
    """Return the digest of some files, from their names and contents; their folder does not matter."""
    return combined(*(part for path in sorted(paths) for part in (path.name, digest(path))))


def of_folder(folder: Path) -> str:
    """Return the digest of the files in a folder, without hidden ones."""
    return of_files(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def unrepeatable() -> str:
    """Return a digest that no other model ever gets, for a model about which nothing is known."""
    return combined("unknown", secrets.token_hex(32))
