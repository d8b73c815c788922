"""Keep somebody else's code from ending the process with `os._exit`, which no handler sees.

What ends the process from C, such as a segmentation fault, or in a thread that the code started, still does.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import NoReturn

_exit = os._exit
_turn = threading.Lock()
_depth = 0
_here = threading.local()


@contextlib.contextmanager
def refusing_exits() -> Iterator[None]:
    """Let `os._exit` raise `SystemExit` in this thread; several threads may be inside at once.

    >>> with contextlib.suppress(SystemExit), refusing_exits():
    ...     os._exit(0)
    """
    global _depth  # noqa: PLW0603 - there is one os._exit per process
    with _turn:
        _depth += 1
        os._exit = _raise
    outer, _here.process = getattr(_here, "process", None), os.getpid()
    try:
        yield
    finally:
        _here.process = outer
        with _turn:
            _depth -= 1
            if not _depth:
                os._exit = _exit


def _raise(status: int) -> NoReturn:
    if getattr(_here, "process", None) != os.getpid():  # another thread, or a child that the code forked
        _exit(status)
    raise SystemExit(f"the code called os._exit({status!r})")
