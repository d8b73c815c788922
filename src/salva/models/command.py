"""`command:PROGRAM ARGS`: a program in any language that is asked and answers in JSON lines.

It reads `{"id": 0, "text": "…"}` for each text, with `text_b` for the second text of a pair, and writes one
line per id, in any order: a `label`, `probabilities` by class, or an `error`. It stays alive across batches.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

from salva._files import digest
from salva.errors import UsageError
from salva.models.answers import MOST_ERROR, Answers, printable
from salva.models.digests import combined
from salva.models.options import ModelOptions
from salva.models.outputs import OutputError, answers_of
from salva.models.program import LineError, Program, ProgramError
from salva.models.protocol import Text

_SECRET = re.compile(r"(?i)(key|token|secret|passw|credential|auth)")


class CommandModel:
    """A program; if it dies, it is restarted once per batch."""

    fields: tuple[str, ...] = ("label", "probabilities", "error")
    """The fields of which an answer must have one."""

    def __init__(self, command: list[str], program: str, options: ModelOptions) -> None:
        self.name = f"command:{_shown(command)}"
        self.classes: tuple[str, ...] | None = None
        self.batch_size = options.batch_size or 256
        self._command = [program, *command[1:]]
        files = [digest(part) for part in self._command if Path(part).is_file()]
        self.digest = combined("command", *command, *files, options.model_id, options.logits)
        self._logits = options.logits
        self._program: Program | None = None
        self._asked = 0

    def predict(self, texts: list[Text]) -> Answers:
        """Return the program's answers."""
        program = self._running()
        try:
            return self._exchange(program, texts)
        except ProgramError:
            if self._program is not program:  # `close` was called meanwhile
                raise
            self.close()
            return self._exchange(self._running(), texts)

    def close(self) -> None:
        """End the program; the next batch starts it again."""
        program, self._program = self._program, None
        if program is not None:
            program.end()

    def _running(self) -> Program:
        if self._program is None:
            try:
                self._program = Program(self._command)
            except OSError as error:
                reason = error.strerror or error
                raise ProgramError(f"{self._command[0]!r} cannot be started ({reason})") from None
        return self._program

    def _exchange(self, program: Program, texts: list[Text]) -> Answers:
        # Ids never repeat, so late answers match none.
        first, self._asked = self._asked, self._asked + len(texts)
        open_ids = dict(enumerate(range(len(texts)), first))
        said: list[dict[str, Any]] = [{}] * len(texts)
        lines = program.exchange([_line(first + i, text) for i, text in enumerate(texts)])
        try:
            with contextlib.closing(lines):
                while open_ids:
                    line = next(lines)
                    if line.strip():
                        answer = _parsed(line, self.fields)
                        said[_place(answer, open_ids)] = answer
            return self._answers(said)
        except (LineError, OutputError) as error:
            self.close()  # whatever it writes next answers nothing
            raise OutputError(str(error)) from None

    def _answers(self, said: list[dict[str, Any]]) -> Answers:
        rows = [answer.get("probabilities", answer.get("label")) for answer in said]
        return self._with_errors(answers_of(rows, len(said), logits=self._logits), said)

    def _with_errors(self, answers: Answers, said: list[dict[str, Any]]) -> Answers:
        errors = [
            printable(str(answer["error"]), MOST_ERROR) if answer.get("error") is not None else error
            for answer, error in zip(said, answers.errors, strict=True)
        ]
        return dataclasses.replace(
            answers, errors=errors, truncated=[answer.get("truncated") is True for answer in said]
        )


def open_command(rest: str, options: ModelOptions) -> CommandModel:
    """Open `command:PROGRAM ARGS`; the words are split as by a shell, but no shell runs."""
    return CommandModel(*find_program(rest), options)


def find_program(rest: str) -> tuple[list[str], str]:
    """Return the words of a command, and the path of its program."""
    try:
        command = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"model 'command:{rest}' cannot be split into words ({error})") from None
    if not command:
        raise UsageError("model 'command:' does not name a program; expected command:PROGRAM ARGS")
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"there is no program {command[0]!r}; give its path, and make it executable")
    return command, program


def _line(number: int, text: Text) -> bytes:
    first, *second = [text] if isinstance(text, str) else text
    asked = {"id": number, "text": first} | ({"text_b": second[0]} if second else {})
    return json.dumps(asked).encode() + b"\n"


def _parsed(line: bytes, fields: tuple[str, ...]) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        shown = printable(line.decode("utf-8", "replace"), 200)
        raise OutputError(f"the program wrote {shown!r}, not a JSON object; print everything else to stderr")
    if not answer.keys() & set(fields):
        wanted = f"{', '.join(fields[:-1])} or {fields[-1]}"
        raise OutputError(f"the program's answer has no {wanted}: {printable(str(answer), 200)}")
    return answer


def _place(answer: dict[str, Any], open_ids: dict[int, int]) -> int:
    number = answer.get("id")
    if isinstance(number, bool) or not isinstance(number, int) or number not in open_ids:
        raise OutputError(f"the program answered id {number!r:.60}, which is unknown or already answered")
    return open_ids.pop(number)


def _shown(command: list[str]) -> str:
    """Return a command with anything that looks like a secret masked.

    >>> _shown(["/usr/bin/curl", "--api-key=abc", "--token", "abc", "x"])
    'curl --api-key=*** --token *** x'
    """
    words, hidden = [Path(command[0]).name], False
    for word in command[1:]:
        name, equals, _ = word.partition("=")
        if hidden:
            words.append("***")
        elif equals and _SECRET.search(name):
            words.append(f"{name}=***")
        else:
            words.append(shlex.quote(word))
        hidden = not equals and not hidden and word.startswith("-") and bool(_SECRET.search(word))
    return " ".join(words)
