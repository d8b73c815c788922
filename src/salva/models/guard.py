"""Run somebody else's code at arm's length: in its own thread, with a time limit, off our standard output.

What the code prints from Python goes to standard error; what a C library writes to file descriptor 1 is not
caught. Threads cannot be killed: one that hangs is left behind and ends with the process. `os._exit`, which
no handler sees, only raises an error; what ends the process from C, such as a segmentation fault, or in a
thread that the code started, still does.
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
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Generic, NoReturn, TypeVar, cast

from salva._process import computing

T = TypeVar("T")
_SLICE = 0.5


class HangError(Exception):
    """The code did not finish in time."""


class Call(Generic[T]):
    """One call in a thread of its own, and its outcome."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._context = contextvars.copy_context()
        self._done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None
        self.ended = math.inf  # by `time.perf_counter`

    def make(self) -> None:
        """Run the work, in the thread that calls this."""
        try:
            self.value = self._context.run(self._work)
        except BaseException as error:  # noqa: BLE001 - a model that calls sys.exit() fails; Salva goes on
            self.error = error
        del self._work  # otherwise the texts stay in memory as long as the answers
        self.ended = time.perf_counter()
        self._done.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Return whether the call finished in time."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        # In slices: a Ctrl-C that arrives just before a wait begins is not seen until that wait ends.
        while not self._done.wait(max(min(_SLICE, end - time.monotonic()), 0)):
            if time.monotonic() >= end:
                return False
        return True

    def result(self) -> T:
        """Wait for the call; return what it returned, or raise what it raised."""
        self.wait()
        if self.error is not None:
            raise self.error
        return cast(T, self.value)


class Worker:
    """A thread that runs calls one after the other.

    It is kept for the next call: OpenMP, which torch and scikit-learn use, builds a new pool of threads for
    every thread that calls it.
    """

    def __init__(self, name: str = "salva-model") -> None:
        self._calls: queue.SimpleQueue[Call[Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def begin(self, work: Callable[[], T]) -> Call[T]:
        """Run a call after those that were begun before, and return at once."""
        call = Call(work)
        self._calls.put(call)
        return call

    def stop(self) -> None:
        """End the thread once the calls so far are made; if one of them hangs, it is left behind."""
        self._calls.put(None)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            with computing():
                call.make()
            del call  # otherwise the texts of the last batch stay in memory


_idle: list[Worker] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a forked child has the list, but not the threads


def guarded(work: Callable[[], T], timeout: float | None = None) -> tuple[T | None, BaseException | None]:
    """Return what the call returned and what it raised; raise `HangError` if it takes too long.

    Ctrl-C interrupts the thread that waits here and is raised as usual.
    """
    try:
        worker = _idle.pop()
    except IndexError:
        worker = Worker()
    call = worker.begin(work)
    if not call.wait(timeout):
        worker.stop()
        raise HangError
    _idle.append(worker)
    return call.value, call.error


_turn = threading.Lock()
_depth = 0
_stdout: Any = None
_ours: Counter[int] = Counter()  # threads whose output stays where it is, by their ids


class _Redirected:
    """Standard error for everybody else's threads."""

    def __getattr__(self, name: str) -> Any:
        ours = threading.get_ident() in _ours or sys.stderr is None
        return getattr(_stdout if ours else sys.stderr, name)


@contextlib.contextmanager
def stdout_to_stderr(*, except_here: bool = False) -> Iterator[None]:
    """Redirect what is printed in this block to standard error; several threads may be inside at once.

    With `except_here`, what this thread prints stays on standard output: it only waits for the others.
    """
    global _depth, _ours, _stdout  # noqa: PLW0603 - there is one standard output per process
    ours = Counter([threading.get_ident()] if except_here else [])
    with _turn:
        if _depth == 0:
            _stdout, sys.stdout = sys.stdout, cast(Any, _Redirected())
        _depth += 1
        _ours += ours
    try:
        yield
    finally:
        with _turn:
            _depth -= 1
            _ours -= ours
            if _depth == 0:
                sys.stdout, _stdout = _stdout, None


_exit = os._exit
_exit_turn = threading.Lock()
_exit_depth = 0
_here = threading.local()


@contextlib.contextmanager
def refusing_exits() -> Iterator[None]:
    """Let `os._exit` raise `SystemExit` in this thread; several threads may be inside at once.

    >>> with contextlib.suppress(SystemExit), refusing_exits():
    ...     os._exit(0)
    """
    global _exit_depth  # noqa: PLW0603 - there is one os._exit per process
    with _exit_turn:
        _exit_depth += 1
        os._exit = _raise
    outer, _here.process = getattr(_here, "process", None), os.getpid()
    try:
        yield
    finally:
        _here.process = outer
        with _exit_turn:
            _exit_depth -= 1
            if not _exit_depth:
                os._exit = _exit


def _raise(status: int) -> NoReturn:
    if getattr(_here, "process", None) != os.getpid():  # another thread, or a child that the code forked
        _exit(status)
    raise SystemExit(f"the code called os._exit({status!r})")
