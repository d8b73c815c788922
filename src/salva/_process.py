"""The process: how its memory is kept, what is freed is reused or shared by all threads; how it ends.

At its end, Python stops threads wherever they are; one that is inside C++ code, such as torch's, then aborts
the process, with a page of noise and an exit code that says nothing. So it is left quickly, although a thread
may still compute.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import os
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

# Parameters of mallopt(3), and the sizes from which glibc would return memory or map pages for one block.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_KEPT_BYTES, _MAPPED_BYTES, _LARGE_BYTES = 1 << 28, 1 << 26, 1 << 21


def keep_freed_memory() -> None:
    """Let glibc keep what is freed, in one arena for all threads; does nothing without glibc.

    For commands whose threads take a few large arrays at a time: many small ones would wait for each other.
    Every chunk of texts needs some large arrays for a moment. By default, glibc returns their pages after
    each chunk and gets them back, zeroed, for the next: `salva transform --preset typos` of a gigabyte took
    17.5 s and 527,000 page faults instead of 13.9 s and 49,000, with the same peak of memory.
    """
    _tune_malloc({_TRIM_THRESHOLD: _KEPT_BYTES, _MMAP_THRESHOLD: _MAPPED_BYTES, _ARENA_MAX: 1})


def share_freed_memory() -> None:
    """Let threads share freed memory, and take large arrays from the system; does nothing without glibc.

    By default, each thread has an arena of its own, which keeps what another could use, and large arrays that
    come and go leave gaps: an evaluation of 100,000 rows took 420 instead of 350 MB, one of a million 690
    instead of 500.
    """
    _tune_malloc({_ARENA_MAX: 1, _MMAP_THRESHOLD: _LARGE_BYTES})


def _tune_malloc(parameters: dict[int, int]) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):  # another C library, such as musl
            for parameter, value in parameters.items():
                ctypes.CDLL(None).mallopt(parameter, value)


@contextlib.contextmanager
def arrow_by_malloc() -> Iterator[None]:
    """Let Arrow take its memory from the C library in the block, which uses again what others freed."""
    import pyarrow as pa

    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)


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
