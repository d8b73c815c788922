"""Files for harnesses and from them: questions as JSON lines, texts, logs that are read line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from salva._files import Unit, open_regular, storage_errors
from salva._types import PathLike
from salva.errors import InputError
from salva.harnesses.questions import Question

MOST_LINE = 64 << 20


def write_questions(path: Path, questions: Iterable[Question], unit: Unit, *, overwrite: bool) -> bool:
    """Write questions as JSON lines; return whether all prompts end with white space."""
    spaced = True
    with unit.open(path, overwrite=overwrite) as stream, storage_errors(path):
        for question in questions:
            spaced = spaced and question.prompt[-1:].isspace()
            stream.write(json.dumps(question.as_dict(), ensure_ascii=False).encode() + b"\n")
    return spaced


def write_text(path: Path, text: str, unit: Unit, *, overwrite: bool) -> None:
    """Write a text."""
    with unit.open(path, overwrite=overwrite) as stream, storage_errors(path):
        stream.write(text.encode())


def read_json_lines(path: PathLike) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of every line; refuse a line that is too long or not JSON."""
    with open_regular(path) as stream, storage_errors(path):
        number = 0
        while raw := stream.readline(MOST_LINE + 1):
            number += 1
            if len(raw) > MOST_LINE:
                raise InputError.at(path, number, f"is longer than {MOST_LINE >> 20} MB")
            try:
                yield number, json.loads(raw)
            except (ValueError, RecursionError) as error:
                raise InputError.at(path, number, f"is not JSON ({error!s:.60})") from None
