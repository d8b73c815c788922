"""Measure how long calls take, and how much two threads can gain at most on this machine."""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def median_seconds(work: Callable[[], object], times: int = 5) -> float:
    """Return the median time of some calls, after a first call that may compile."""
    work()
    return statistics.median(seconds(work) for _ in range(times))


def control_gain() -> float:
    """Return how many times as fast two threads digest bytes, outside Python's lock, as one thread."""
    data = bytes(100_000_000)

    def both(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(hashlib.sha256, [data] * 4))

    return median_seconds(lambda: both(1)) / median_seconds(lambda: both(2))
