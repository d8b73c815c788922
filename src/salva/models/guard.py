"""Run somebody else's code at arm's length: in its own thread, with a time limit, off our standard output.

What the code prints from Python goes to standard error; what a C library writes to file descriptor 1 is not
caught. Threads cannot be killed: one that hangs is left behind and ends with the process.
"""

from __future__ import annotations

import contextlib
import contextvars
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_SLICE = 0.5


class HangError(Exception):
    """The code did not finish in time."""


class _Call(Generic[T]):
    """One call and its outcome."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.context = contextvars.copy_context()
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None

    def make(self) -> None:
        try:
            self.value = self.context.run(self.work)
        except BaseException as error:  # noqa: BLE001 - a model that calls sys.exit() fails; Salva goes on
            self.error = error
        self.done.set()

    def wait(self, timeout: float | None) -> bool:
        """Return whether the call finished in time."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        # In slices: a Ctrl-C that arrives just before a wait begins is not seen until that wait ends.
        while not self.done.wait(max(min(_SLICE, end - time.monotonic()), 0)):
            if time.monotonic() >= end:
                return False
        return True


class _Worker:
    """A thread that runs calls one after the other.

    It is kept for the next call: OpenMP, which torch and scikit-learn use, builds a new pool of threads for
    every thread that calls it.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[_Call[Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="salva-model", daemon=True).start()

    def begin(self, call: _Call[Any] | None) -> None:
        self._calls.put(call)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call.make()
            del call  # otherwise the texts of the last batch stay in memory


_idle: list[_Worker] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a forked child has the list, but not the threads


def guarded(work: Callable[[], T], timeout: float | None = None) -> tuple[T | None, BaseException | None]:
    """Return what the call returned and what it raised; raise `HangError` if it takes too long.

    Ctrl-C interrupts the thread that waits here and is raised as usual.
    """
    call = _Call(work)
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.begin(call)
    if not call.wait(timeout):
        worker.begin(None)  # if the call ever ends, the thread stops
        raise HangError
    _idle.append(worker)
    return call.value, call.error


_turn = threading.Lock()
_depth = 0
_stdout = None


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect what is printed in this block to standard error; several threads may be inside at once."""
    global _depth, _stdout  # noqa: PLW0603 - there is one standard output per process
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
