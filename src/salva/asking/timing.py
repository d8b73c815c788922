"""Where the time of a run goes, by stage, and its memory; kept apart from the results."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

TOTAL = "total"  # from the beginning to the end: stages that overlap add up to more


class Stopwatch:
    """Adds up seconds by stage, in any thread; a stage inside another pauses the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun = time.perf_counter()
        self._turn = threading.Lock()
        self._here = threading.local()

    def add(self, stage: str, seconds: float) -> None:
        """Add time to a stage."""
        with self._turn:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
            self.seconds[TOTAL] = time.perf_counter() - self._begun

    @contextlib.contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        stages: list[str] = self._here.__dict__.setdefault("stages", [])
        self._pause(stages)
        stages.append(stage)
        try:
            yield
        finally:
            self._pause(stages)
            stages.pop()

    def _pause(self, stages: list[str]) -> None:
        now = time.perf_counter()
        if stages:
            self.add(stages[-1], now - self._here.since)
        self._here.since = now


def peak_memory() -> int | None:
    """Return the peak memory of this process, including the model, in megabytes; None on Windows."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)
