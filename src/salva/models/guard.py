"""Somebody else's code at arm's length: in a thread of its own, with a limit on its time, off our output.

What the code prints from Python goes to standard error; what a C library writes to file 1 is not caught.
Threads cannot be ended: one that hangs is left behind, and ends with the process.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

__all__ = ["HangError", "guarded", "stdout_to_stderr"]

T = TypeVar("T")
_SLICE = 0.5


class HangError(Exception):
    """The code did not end in time."""


class _Call(Generic[T]):
    """One call, and what became of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None

    def make(self) -> None:
        try:
            self.value = self.work()
        except BaseException as error:  # noqa: BLE001 - sys.exit() of a model is its failure, not our end
            self.error = error
        self.done.set()

    def wait(self, timeout: float | None) -> bool:
        """Tell whether the call ended in time."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        # In slices: a Ctrl-C that comes a moment before a wait begins is not seen until it ends.
        while not self.done.wait(max(min(_SLICE, end - time.monotonic()), 0)):
            if time.monotonic() >= end:
                return False
        return True


class _Worker:
    """A thread that makes calls one after the other.

    It is kept for the next call: OpenMP, which torch and scikit-learn compute with, builds a pool of threads
    anew for every thread that comes to it.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[_Call[Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="salva-model", daemon=True).start()

    def begin(self, call: _Call[Any] | None) -> None:
        self._calls.put(call)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call.make()
            del call  # or the texts of the last batch would stay in memory


_idle: list[_Worker] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a forked child has the list, but not the threads


def guarded(work: Callable[[], T], timeout: float | None = None) -> tuple[T | None, BaseException | None]:
    """Return what the call returned and what it raised; raise `HangError` when it takes too long.

    Ctrl-C comes to the thread that waits here, and is raised as ever.
    """
    call = _Call(work)
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.begin(call)
    if not call.wait(timeout):
        worker.begin(None)  # should it ever end, it shall stop
        raise HangError
    _idle.append(worker)
    return call.value, call.error


_turn = threading.Lock()
_depth = 0
_stdout = None


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what is printed inside to standard error; several threads may be inside at once."""
    global _depth, _stdout  # noqa: PLW0603 - standard output is the process's own
    with _turn:
        if _depth == 0:
            _stdout, sys.stdout = sys.stdout, sys.stderr
        _depth += 1
    try:
        yield
    finally:
        with _turn:
            _depth -= 1
            if _depth == 0 and _stdout is not None:
                sys.stdout, _stdout = _stdout, None
