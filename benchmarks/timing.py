"""Measure how long calls take, and how much two threads can gain at most on this machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from salva._kernels.jit import kernel


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def median_seconds(work: Callable[[], object], times: int = 5) -> float:
    """Return the median time of some calls, after a first call that may compile."""
    work()
    return statistics.median(seconds(work) for _ in range(times))


@kernel
def spin(
    numbers: np.ndarray[tuple[int], np.dtype[np.int64]], out: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> None:
    """Do only arithmetic, to measure how much two threads can gain at most on this machine."""
    for k in range(len(out)):
        total = numbers[k]
        for i in range(200_000_000):
            total = total * 3 + i
        out[k] = total


def control_gain() -> float:
    """Return how many times as fast two threads run an empty loop as one thread."""
    one = np.ones(1, np.int64)
    spin(one, one.copy())

    def both(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda _: spin(one, np.empty(1, np.int64)), range(4)))

    return median_seconds(lambda: both(1)) / median_seconds(lambda: both(2))
