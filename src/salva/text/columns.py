"""Columns processed in chunks of rows by threads; kernels release the GIL, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

from salva._arguments import check_whole
from salva._arrow import BadRowError, Strings
from salva._types import Ints64

# A chunk's arrays have room for one span per byte. Above this size the allocator returns pages after every
# chunk, and up to a third of the time is spent on getting them back.
CHUNK_BYTES = 1 << 18
TYPED_BYTES = 1 << 20  # for callers that look up each word type once per chunk
MOST_BYTES = (1 << 31) - (1 << 22)  # in one row: a chunk holds less than 4 MB before its last row

Item = TypeVar("Item")
Result = TypeVar("Result")


def over_threads(
    work: Callable[[Item], Result], items: Sequence[Item], *, threads: int | None
) -> list[Result]:
    """Return `work(item)` for every item, in order; `threads` is as for `thread_count`.

    >>> over_threads(abs, [-1, 2], threads=1)
    [1, 2]
    """
    count = thread_count(threads)
    if count == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, items))


def thread_count(threads: int | None) -> int:
    """Return how many threads to use; None stands for all cores available to this process."""
    return _usable_cores() if threads is None else check_whole("threads", threads, 1, 1 << 16)


def over_chunks(
    work: Callable[[Strings], Result], texts: Strings, *, size: int = CHUNK_BYTES, threads: int | None
) -> list[Result]:
    """Return `work(rows)` for every chunk of about `size` bytes of a column, in order."""
    check_sizes(texts)
    chunks = row_chunks(texts.offsets, size)
    return over_threads(lambda rows: work(texts.rows(*rows)), chunks, threads=threads)


def row_chunks(offsets: Ints64, size: int) -> list[tuple[int, int]]:
    """Return the first and last row of each chunk of about `size` bytes; rows are never split.

    >>> row_chunks(np.array([0, 5, 9]), 5)
    [(0, 1), (1, 2)]
    """
    rows = len(offsets) - 1
    marks = np.arange(size, max(int(offsets[-1]), size), size)
    cuts = sorted({row for row in np.searchsorted(offsets, marks).tolist() if 0 < row < rows})
    return list(pairwise([0, *cuts, rows]))


def check_sizes(texts: Strings) -> None:
    """Refuse rows whose positions do not fit into 32 bits."""
    sizes = np.diff(texts.offsets)
    if sizes.max(initial=0) > MOST_BYTES:
        row = int(np.argmax(sizes))
        raise BadRowError(row, f"has {sizes[row]} bytes; the limit is {MOST_BYTES}")


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
