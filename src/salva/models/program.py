"""A program that answers line by line: started, fed without deadlock, watched, killed with its children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Sequence
from typing import IO

from salva.models.answers import printable

MOST_LINE = 1 << 20
_GRACE = 1.0  # seconds that a program has to end by itself


class ProgramError(Exception):
    """The program ended before it answered."""


class LineError(Exception):
    """The program wrote a line that is too long for an answer."""


class Program:
    """A running program. Its standard error is passed on, and the last lines are kept."""

    def __init__(self, command: Sequence[str]) -> None:
        # Its own session, so that its children are killed with it. PYTHONUNBUFFERED: a Python program would
        # otherwise keep its answers in a buffer.
        self._process = subprocess.Popen(  # noqa: S603 - the user named it, and no shell is involved
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._said: deque[str] = deque(maxlen=8)
        self._listener = threading.Thread(target=self._listen, name="salva-stderr", daemon=True)
        self._listener.start()
        self._reading = threading.Lock()

    def exchange(self, lines: list[bytes]) -> Generator[bytes, None, None]:
        """Feed lines to the program while yielding what it writes; stop iterating when you have enough."""
        writer = threading.Thread(target=self._feed, args=(lines,), name="salva-stdin", daemon=True)
        writer.start()
        with self._reading:
            while line := _pipe(self._process.stdout).readline(MOST_LINE + 1):
                if len(line) > MOST_LINE:
                    raise LineError(f"the program wrote a line of over {MOST_LINE >> 20} MB")
                yield line
        raise ProgramError(self._death())

    def end(self) -> None:
        """Kill the program and everything it started, now."""
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
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                with contextlib.suppress(OSError):
                    _pipe(pipe).close()
            self._reading.release()

    def _feed(self, lines: list[bytes]) -> None:
        stdin = _pipe(self._process.stdin)
        with contextlib.suppress(OSError, ValueError):  # the program died, which the reader notices
            stdin.writelines(lines)
            stdin.flush()

    def _listen(self) -> None:
        while raw := _pipe(self._process.stderr).readline(MOST_LINE):
            line = raw.decode("utf-8", "replace")
            self._said.append(line)
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(line)

    def _death(self) -> str:
        """Return how the program ended, and the last lines it wrote to standard error."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            how = "closed its output"
        else:
            how = f"died (signal {-code})" if code < 0 else f"ended (exit code {code})"
        self._listener.join(_GRACE)
        words = printable(" ".join(self._said), 200)
        return f"the program {how}" + (f"; its last output: {words}" if words else "")


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101
    return pipe
