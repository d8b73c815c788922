"""Columns processed in chunks of rows by threads; kernels release the GIL, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

from salva._arguments import check_whole
from salva._types import Ints64

# A chunk's arrays have room for one span per byte. Above this size the allocator returns pages after every
# chunk, and up to a third of the time is spent on getting them back.
CHUNK_BYTES = 1 << 18
TYPED_BYTES = 1 << 20  # for callers that look up each word type once per chunk

Item = TypeVar("Item")
Result = TypeVar("Result")


def over_threads(
    work: Callable[[Item], Result], items: Sequence[Item], *, threads: int | None
) -> list[Result]:
    """Return `work(item)` for every item, in order; `threads=None` uses all cores available to this process.

    >>> over_threads(abs, [-1, 2], threads=1)
    [1, 2]
    """
    if threads is None:
        threads = _usable_cores()
    check_whole("threads", threads, 1, 1 << 16)
    if threads == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))


def row_chunks(offsets: Ints64, size: int = CHUNK_BYTES) -> list[tuple[int, int]]:
    """Return the first and last row of each chunk of about `size` bytes; rows are never split.

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
