"""Where the time of a run goes, by stage, and its memory; kept apart from the results."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator


class Stopwatch:
    """Adds up seconds by stage; a stage inside another pauses the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = time.perf_counter()

    @contextlib.contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        self._turn()
        self._stages.append(stage)
        try:
            yield
        finally:
            self._turn()
            self._stages.pop()

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._stages:
            stage = self._stages[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now


def peak_memory() -> int | None:
    """Return the peak memory of this process, including the model, in megabytes; None on Windows."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)
