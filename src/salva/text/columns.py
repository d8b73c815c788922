"""Columns in chunks of rows, over threads: kernels release the interpreter lock, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from salva.errors import UsageError

__all__ = ["CHUNK_BYTES", "TYPED_BYTES", "over_threads", "row_chunks"]

# A chunk's arrays have room for a span a byte. Above this size the allocator gives pages back after every
# chunk, and up to a third of the time goes into getting them again.
CHUNK_BYTES = 1 << 18
TYPED_BYTES = 1 << 20  # for those who look words up once a type and chunk

Item = TypeVar("Item")
Result = TypeVar("Result")


def over_threads(
    work: Callable[[Item], Result], items: Sequence[Item], *, threads: int | None
) -> list[Result]:
    """Return `work` of every item, in order; `threads=None` uses the cores that this process may use.

    >>> over_threads(abs, [-1, 2], threads=1)
    [1, 2]
    """
    if threads is None:
        threads = _usable_cores()
    if not isinstance(threads, int) or threads < 1:
        raise UsageError(f"threads={threads!r} must be a whole number, 1 or more")
    if threads == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))


def row_chunks(offsets: NDArray[np.int64], size: int = CHUNK_BYTES) -> list[tuple[int, int]]:
    """Return first and last row of one or more chunks of about `size` bytes; no row is divided.

    >>> row_chunks(np.array([0, 5, 9]), 5)
    [(0, 1), (1, 2)]
    """
    rows = len(offsets) - 1
    marks = np.arange(size, max(int(offsets[-1]), size), size)
    cuts = np.unique(np.searchsorted(offsets, marks))
    return list(pairwise([0, *(int(row) for row in cuts if 0 < row < rows), rows]))


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
