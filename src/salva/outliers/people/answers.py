"""Annotators' answers as JSON lines: appended one by one, each on disk before the next question is asked.

A line is never changed: undoing an answer appends a line that takes it back, and of several lines by one
annotator about one exercise the last one counts. `agreement` finds the set that an exercise belongs to.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva._files import read_text, read_whole, storage_errors
from salva._types import PathLike
from salva.errors import InputError

_SHOWN = 60
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """Which word of an exercise an annotator chose, and when; None is a skip.

    `digest` identifies the set, None if whoever wrote the line does not know it; `undone` takes back the
    annotator's earlier answer to the exercise.
    """

    annotator: str
    exercise: str
    words: tuple[str, ...]
    answer: str | None
    at: str
    digest: str | None = None
    undone: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as it is written to its line."""
        return {
            "annotator": self.annotator,
            "exercise": self.exercise,
            **({} if self.digest is None else {"set": self.digest}),
            "words": list(self.words),
            "answer": self.answer,
            "at": self.at,
            **({"undone": True} if self.undone else {}),
        }


def append_answer(path: PathLike, answer: Answer) -> None:
    """Append a line to a file in one write, and return once it is on disk."""
    line = json.dumps(answer.as_dict(), ensure_ascii=False) + "\n"
    content = line.encode("utf-8", "backslashreplace")
    with storage_errors(path):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            while content:
                content = content[os.write(handle, content) :]
            os.fsync(handle)
        finally:
            os.close(handle)


def mend_answers(path: PathLike) -> None:
    """Repair a file without a final newline: keep a complete last line, remove one cut off by a power cut.

    An answer that is only partly on disk never counted as given.
    """
    if not Path(path).exists():
        return
    raw = read_whole(path, _MOST_BYTES)
    last = raw[raw.rfind(b"\n") + 1 :]
    if not last:
        return
    with storage_errors(path), Path(path).open("r+b") as stream:
        if _is_whole(last):
            stream.seek(0, os.SEEK_END)
            stream.write(b"\n")
        else:
            stream.truncate(len(raw) - len(last))
        stream.flush()
        os.fsync(stream.fileno())


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def read_answers(path: PathLike) -> Iterator[tuple[int, Answer]]:
    """Yield the number and answer of every line; a line that is not an answer is refused."""
    for line, text in enumerate(read_text(path).split("\n"), 1):
        if text.strip():
            yield line, _parse_answer(path, line, text)


def keep_latest(answers: Iterable[Answer]) -> dict[tuple[str, str], Answer]:
    """Return the answers that were not undone, by annotator and exercise; the last of several counts."""
    latest: dict[tuple[str, str], Answer] = {}
    for answer in answers:
        latest.pop((answer.annotator, answer.exercise), None)
        if not answer.undone:
            latest[answer.annotator, answer.exercise] = answer
    return latest


def _parse_answer(path: PathLike, line: int, text: str) -> Answer:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError.at(path, line, f"{text[:_SHOWN]!r} must be an answer as a JSON object")
    for key in ("annotator", "exercise", "at"):
        if not isinstance(content.get(key), str) or not content[key].strip():
            raise InputError.at(path, line, f"{key} is {content.get(key)!r}; it must be a string")
    words, chosen, digest = content.get("words"), content.get("answer"), content.get("set")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise InputError.at(path, line, f"words is {words!r}; it must be a list of strings")
    if "answer" not in content or (chosen is not None and chosen not in words):
        problem = f"answer is {chosen!r}; it must be one of the words, or null for a skip"
        raise InputError.at(path, line, problem)
    if digest is not None and not isinstance(digest, str):
        raise InputError.at(path, line, f"set is {digest!r}; it must be the digest of a set")
    return Answer(
        annotator=content["annotator"].strip(),
        exercise=content["exercise"],
        words=tuple(words),
        answer=chosen,
        at=content["at"],
        digest=digest,
        undone=content.get("undone") is True,
    )
