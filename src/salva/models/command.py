"""`command:PROGRAM ARGS`: a program in any language that is asked and answers in JSON lines.

It reads `{"id": 0, "text": "…"}` for each text, with `text_b` for the second text of a pair, and writes one
line per id, in any order: a `label`, `probabilities` by class, or an `error`; if it writes text, an `output`.
It may add the `status` of the answer, and `cut` if the text was too long. It stays alive across batches, is
fed without deadlock, watched, and killed with its children.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

from salva._files import digest
from salva._show import printable
from salva.errors import UsageError
from salva.models.outputs import KNOWN_STATUSES, OutputError, answers_of, texts_of
from salva.models.protocol import (
    FAILED,
    MOST_ERROR,
    REFUSED,
    STATUSES,
    Adapted,
    Answers,
    ModelOptions,
    Text,
    as_fields,
    clip,
    combined,
)
from salva.models.secrets import Secrets, find_secrets, hide_secrets

MOST_LINE = 1 << 20
_MOST_TAIL = 220  # characters of standard error in a message, which has at most 300
_GRACE = 1.0  # seconds that a program has to end by itself


class ProgramError(Exception):
    """The program ended before it answered."""


class Program:
    """A running program. Its standard error is passed on without effect, and the last lines are kept."""

    def __init__(self, command: Sequence[str], secrets: Secrets) -> None:
        # Its own session, so that its children are killed with it. PYTHONUNBUFFERED: a Python program would
        # otherwise keep its answers in a buffer.
        process = subprocess.Popen(  # noqa: S603 - the user named it, and no shell is involved
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdin and process.stdout and process.stderr  # noqa: S101 PT018
        self._process, self._watcher = process, _watch(process.pid)
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._secrets = secrets
        self._said: deque[str] = deque(maxlen=8)
        self._listener = threading.Thread(target=self._listen, name="salva-stderr", daemon=True)
        self._listener.start()
        self._reading = threading.Lock()

    def exchange(self, lines: list[bytes]) -> Generator[bytes, None, None]:
        """Feed lines to the program while yielding what it writes; stop iterating when you have enough."""
        threading.Thread(target=self._feed, args=(lines,), name="salva-stdin", daemon=True).start()
        with self._reading:
            while line := self._stdout.readline(MOST_LINE + 1):
                if len(line) > MOST_LINE:
                    raise OutputError(f"the program wrote a line of over {MOST_LINE >> 20} MB")
                yield self._secrets.hide_bytes(line)
        raise ProgramError(self._death())

    def end(self) -> None:
        """Kill the program and everything it started, now."""
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.communicate()
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._listener.join(_GRACE)
        # A thread that is still reading holds the lock; a pipe kept open by a runaway grandchild stays open.
        if self._reading.acquire(timeout=_GRACE):
            for pipe in (self._stdin, self._stdout, self._stderr):
                with contextlib.suppress(OSError):
                    pipe.close()
            self._reading.release()

    def _feed(self, lines: list[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):  # the program died, which the reader notices
            self._stdin.writelines(lines)
            self._stdin.flush()

    def _listen(self) -> None:
        while raw := self._stderr.readline(MOST_LINE):
            # A line that is written over and over, such as a progress bar, is shown as it is in the end.
            text = raw.decode("utf-8", "replace").rstrip("\r\n").rpartition("\r")[2]
            line = f"{printable(self._secrets.hide(text))}\n"
            self._said.append(line)
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(line)

    def _death(self) -> str:
        """Return how the program ended, and the last lines it wrote to standard error."""
        try:
            code = self._process.wait(_GRACE)
            how = f"died (signal {-code})" if code < 0 else f"ended (exit code {code})"
        except subprocess.TimeoutExpired:
            how = "closed its output"
        self._listener.join(_GRACE)
        words = _tail(self._said)
        return f"the program {how}" + (f"; its last output: {words}" if words else "")


def _watch(group: int) -> subprocess.Popen[bytes] | None:
    """Start a shell that kills a program and its children as soon as this process is gone, even if killed.

    It waits for the end of a pipe of which only this process has the other end. A signal on the death of the
    parent (PR_SET_PDEATHSIG) exists only on Linux, comes when the thread ends that started the program, and
    reaches no grandchild.
    """
    if not hasattr(os, "killpg"):
        return None
    return subprocess.Popen(  # noqa: S603 - the only word that is not ours is a number
        ["/bin/sh", "-c", f"read -r line; kill -s KILL -- -{group}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _tail(lines: Iterable[str]) -> str:
    r"""Return the end of what was written: at most three lines and 220 characters.

    >>> _tail(["Traceback\n", ' File "m.py", line 3, in f\n', "  raise\n", "\n", "ValueError: no text\n"])
    'File "m.py", line 3, in f / raise / ValueError: no text'
    """
    last = [line.strip() for line in lines if line.strip()][-3:]
    text = clip(" / ".join(line[-_MOST_TAIL:] for line in last), 4 * _MOST_TAIL)
    return text if len(text) <= _MOST_TAIL else f"…{text[1 - _MOST_TAIL :]}"


class CommandModel(Adapted):
    """A program; if it dies, it is restarted once per batch.

    The words of `command:PROGRAM ARGS` are split as by a shell, but no shell runs.
    """

    fields: tuple[str, ...] = ("label", "probabilities", "error")
    """The fields of which an answer must have one."""

    def __init__(self, rest: str, options: ModelOptions) -> None:
        command, program = _find_program(rest)
        self._command = [program, *command[1:]]
        shown = hide_secrets(shlex.join([Path(command[0]).name, *command[1:]]))
        files = [digest(part) for part in self._command if Path(part).is_file()]
        known = combined("command", *command, *files, options.model_id, options.logits)
        super().__init__(f"command:{shown}", known, options.batch_size or 256)
        self._logits = options.logits
        self._secrets = Secrets(find_secrets(shlex.join(command)))
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
                self._program = Program(self._command, self._secrets)
            except OSError as error:
                reason = error.strerror or error
                raise ProgramError(f"{self._command[0]!r} cannot be started ({reason})") from None
        return self._program

    def _exchange(self, program: Program, texts: list[Text]) -> Answers:
        # Ids never repeat, so late answers match none.
        first, self._asked = self._asked, self._asked + len(texts)
        open_ids = dict(enumerate(range(len(texts)), first))
        replies: list[dict[str, Any]] = [{}] * len(texts)
        asked = [{"id": first + i, **as_fields(text)} for i, text in enumerate(texts)]
        lines = program.exchange([json.dumps(one).encode() + b"\n" for one in asked])
        try:
            with contextlib.closing(lines):
                while open_ids:
                    line = next(lines)
                    if line.strip():
                        answer = _parsed(line, self.fields)
                        replies[_place(answer, open_ids)] = answer
            return self._answers(replies)
        except OutputError:
            self.close()  # whatever it writes next answers nothing
            raise

    def _answers(self, replies: list[dict[str, Any]]) -> Answers:
        rows = [answer.get("probabilities", answer.get("label")) for answer in replies]
        return _completed(answers_of(rows, len(replies), logits=self._logits), replies)


class CommandGenerator(CommandModel):
    """A program that writes text: it answers {"id", "text"} with {"id", "output"} or with an `error`."""

    fields = ("output", "error")

    def _answers(self, replies: list[dict[str, Any]]) -> Answers:
        return _completed(texts_of([answer.get("output") for answer in replies], len(replies)), replies)


def _completed(answers: Answers, replies: list[dict[str, Any]]) -> Answers:
    """Return answers with what the program itself says of them: a status, an error, a text that was cut."""
    return Answers.of(
        answers.labels,
        probabilities=answers.probabilities,
        statuses=[reply.get("status") for reply in replies],
        errors=[_error(reply, error) for reply, error in zip(replies, answers.errors, strict=True)],
        cut=[reply.get("cut") is True for reply in replies],
    )


def _error(reply: dict[str, Any], found: str | None) -> str | None:
    if reply.get("error") is not None:
        return clip(str(reply["error"]), MOST_ERROR)
    return None if reply.get("status") == REFUSED else found


def _find_program(rest: str) -> tuple[list[str], str]:
    try:
        command = shlex.split(rest)
    except ValueError as error:
        problem = f"model 'command:{hide_secrets(rest)}' cannot be split into words"
        raise UsageError(f"{problem} ({error})") from None
    if not command:
        raise UsageError("model 'command:' does not name a program; expected command:PROGRAM ARGS")
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"there is no program {command[0]!r}; give its path, and make it executable")
    return command, program


def _parsed(line: bytes, fields: tuple[str, ...]) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        shown = clip(line.decode("utf-8", "replace"), 200)
        raise OutputError(f"the program wrote {shown!r}, not a JSON object; print everything else to stderr")
    if answer.get("status") not in (None, *STATUSES):
        raise OutputError(
            f"the program's answer has the status {answer['status']!r:.60}; "
            f"it must be one of {KNOWN_STATUSES}"
        )
    if not answer.keys() & set(fields) and answer.get("status") not in (REFUSED, FAILED):
        expected = f"{', '.join(fields[:-1])} or {fields[-1]}"
        raise OutputError(f"the program's answer has no {expected}: {clip(str(answer), 200)}")
    return answer


def _place(answer: dict[str, Any], open_ids: dict[int, int]) -> int:
    number = answer.get("id")
    if isinstance(number, bool) or not isinstance(number, int) or number not in open_ids:
        raise OutputError(f"the program answered id {number!r:.60}, which is unknown or already answered")
    return open_ids.pop(number)
