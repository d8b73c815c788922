"""What goes to a harness and comes back: files, questions with right answers, and the replies in logs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from salva._files import Unit, open_regular, storage_errors
from salva._types import PathLike
from salva.errors import InputError

Stop: TypeAlias = Literal["limit", "refusal"]
"""Why a reply ends early: its limit of tokens, or a refusal by the model or a filter."""

MOST_LINE = 64 << 20

KEY = "salva"
"""The field of a harness's sample that holds the id of the question."""

CONTRASTS = "contrasts"
"""What the name of a group ends with if its answers must change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a suite; `salva` identifies it, and `prompt` is the messages as one text.

    `replies` are what the model may choose from, and `target` the number of the right one among them, or -1.
    """

    salva: str
    id: str
    condition: str
    prompt: str
    messages: Sequence[dict[str, str]]
    replies: Sequence[str]
    options: dict[str, str]
    targets: Sequence[str]
    target: int
    columns: dict[str, str | None]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values; mappings as lists, which have the same keys in every line."""
        plain = asdict(self)
        return plain | {name: [*map(list, plain[name].items())] for name in ("options", "columns")}


class Part(NamedTuple):
    """The questions of one condition or contrast, and the name of their task in a harness."""

    name: str
    condition: str
    questions: Callable[[], Iterator[Question]]
    is_contrast: bool = False


class Exported(NamedTuple):
    """A suite to export: its name, digest, task as plain values, and the questions of every condition."""

    name: str
    digest: str
    task: dict[str, Any]
    parts: Sequence[Part]
    chooses: bool  # whether every question has replies to choose from

    @property
    def groups(self) -> dict[str, list[Part]]:
        """The parts whose scores may be added up, by name: contrasts are apart from all others."""
        name = plain_name(self.name)
        named = {name: False, f"{name}_{CONTRASTS}": True}
        found = {
            group: [part for part in self.parts if part.is_contrast == own] for group, own in named.items()
        }
        return {group: parts for group, parts in found.items() if parts}


class Reply(NamedTuple):
    """A reply in the log of a harness: the question, what the model wrote or chose, and whether it counts.

    `score` is the harness's own, if it has one; `error` says why there is no reply. `stopped` is why it
    ends early, if it does and the log has the reason.
    """

    salva: str
    text: str | None
    score: float | None = None
    error: str | None = None
    stopped: Stop | None = None

    @classmethod
    def of(cls, salva: Any, text: Any, score: Any, error: Any = None, stopped: Stop | None = None) -> Reply:
        """Return a reply from what a log has; raise a TypeError if the question or the text is not a text."""
        for value in (salva, text or ""):
            if not isinstance(value, str):
                raise TypeError(value)
        problem = None if error is None else " ".join(str(error)[:1000].split())[:300]
        own = float(score) if isinstance(score, int | float) else None
        return cls(salva, text, own, problem, stopped)


def plain_name(text: str) -> str:
    """Return a text as the name of a task, a file and a function.

    >>> plain_name("natural+typos@0.5#1")
    'natural_typos_0_5_1'
    """
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "suite"
    return f"suite_{plain}" if plain[0].isdigit() else plain


def write_questions(path: Path, questions: Iterable[Question], unit: Unit, *, overwrite: bool) -> bool:
    """Write questions as JSON lines; return whether all prompts end with white space."""
    spaced = True
    with unit.open(path, overwrite=overwrite) as stream, storage_errors(path):
        for question in questions:
            spaced = spaced and question.prompt[-1:].isspace()
            stream.write(json.dumps(question.as_dict(), ensure_ascii=False).encode() + b"\n")
    return spaced


def write_texts(folder: Path, texts: Mapping[str, str], unit: Unit, *, overwrite: bool) -> None:
    """Write files by name."""
    for name, text in texts.items():
        with unit.open(folder / name, overwrite=overwrite) as stream, storage_errors(folder / name):
            stream.write(text.encode())


def read_json_lines(path: PathLike) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of every line; refuse a line that is too long or not JSON."""
    with open_regular(path) as stream, storage_errors(path):
        for number, raw in enumerate(iter(lambda: stream.readline(MOST_LINE + 1), b""), 1):
            if len(raw) > MOST_LINE:
                raise InputError.at(path, number, f"is longer than {MOST_LINE >> 20} MB")
            try:
                yield number, json.loads(raw)
            except (ValueError, RecursionError) as error:
                raise InputError.at(path, number, f"is not JSON ({error!s:.60})") from None
