"""Leave the process, quickly, and although a thread may still compute.

At its end, Python stops threads wherever they are; one that is inside C++ code, such as torch's, then aborts
the process, with a page of noise and an exit code that says nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

_computing: set[int] = set()


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Mark this thread, in this block, as one that somebody else's code keeps busy."""
    thread = threading.get_ident()
    _computing.add(thread)
    try:
        yield
    finally:
        _computing.discard(thread)


def leave(code: int) -> NoReturn:
    """Exit as usual, or at once if a thread computes; what is registered for the exit is done before."""
    # Or Python looks for garbage in all modules once more: half a second.
    gc.freeze()
    if not _computing:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # there is none, or nobody reads it
            stream.flush()
    os._exit(code)
