"""Run commands in processes of their own, and spoil one of their writes; the client of `server`."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import ROOT
from tests.faults.tracing import Fault, Step

# A process is copied without the threads of its libraries, so there should be none.
ONE_THREAD = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "OPENBLAS_NUM_THREADS": "1",
}


class Ended(NamedTuple):
    """How a command ended: its exit code, or the negative number of the signal that killed it."""

    code: int
    out: str
    err: str
    steps: list[Step]

    @property
    def lines(self) -> list[str]:
        return self.err.splitlines()


class Program:
    """Salva, loaded once; every command runs in a fresh copy of the process."""

    def __init__(self, scratch: Path) -> None:
        self._scratch, self._numbers = scratch, itertools.count()
        command = [sys.executable, "-m", "tests.faults.server"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._server = subprocess.Popen(command, cwd=ROOT, env=os.environ | ONE_THREAD, **pipes)
        assert self._server.stdout.readline() == "ready\n"

    def warm_up(self, folder: Path, *arguments: str) -> None:
        """Run a command in the server itself, so that later ones find compiled kernels."""
        assert self._ask(folder, arguments, warm=True) == 0

    def begin(self, folder: Path, *arguments: str, fault: Fault | None = None, traced: bool = True) -> int:
        """Start a command in a folder and return the number of its process; `end` waits for it."""
        return self._ask(folder, arguments, fault=fault, traced=traced)

    def end(self) -> Ended:
        """Wait for the end of the command."""
        return self._read(self._receive(), self._printed)

    def _read(self, reply: dict[str, Any], printed: Sequence[Path]) -> Ended:
        out, err = (path.read_text("utf-8", "backslashreplace") for path in printed)
        return Ended(reply["code"], out, err, [Step(*step) for step in reply["steps"]])

    def run_inside(
        self, folder: Path, arguments: Sequence[str], at: int, others: Sequence[str]
    ) -> tuple[Ended, Ended]:
        """Run a command, and another one while a step of the first waits; return how both ended."""
        self.begin(folder, *arguments, fault=Fault(at, pause=True))
        printed, reply = self._printed, self._receive()
        if reply != "paused":  # there were fewer steps this time
            return self._read(reply, printed), self.run(folder, *others, traced=False)
        self.begin(folder, *others, traced=False)
        reply = self._receive()
        if reply != "waits":
            second = self._read(reply, self._printed)
            return self._read(self._receive(), printed), second
        return self._read(self._receive(), printed), self._read(self._receive(), self._printed)

    def run(self, folder: Path, *arguments: str, **options: Any) -> Ended:
        """Run a command to its end."""
        self.begin(folder, *arguments, **options)
        return self.end()

    def _ask(
        self,
        folder: Path,
        arguments: Sequence[str],
        *,
        fault: Fault | None = None,
        traced: bool = False,
        warm: bool = False,
    ) -> int:
        number = next(self._numbers)
        self._printed = [self._scratch / f"{number}.{name}" for name in ("out", "err")]
        for path in self._printed:
            path.touch()
        out, err = map(str, self._printed)
        request = {"arguments": arguments, "folder": str(folder), "fault": fault, "out": out, "err": err}
        self._send(request | {"traced": traced, "warm": warm})
        return self._receive()

    def _send(self, request: object) -> None:
        self._server.stdin.write(f"{json.dumps(request)}\n")
        self._server.stdin.flush()

    def _receive(self) -> Any:
        return json.loads(self._server.stdout.readline())

    def close(self) -> None:
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()
