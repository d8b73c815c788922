"""The local engine: threads of this process. Kernels release the GIL, and the threads share one lexicon."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from salva._arguments import argument
from salva.errors import UsageError
from salva.transforms.engines.protocol import Map, Work


@contextlib.contextmanager
def start(address: str | None, threads: int) -> Iterator[Map]:
    """Provide a map over threads; there is nothing to connect to."""
    if address is not None:
        raise UsageError(f"{argument('address', address)} is for a cluster; name its engine: ray or spark")

    def run(
        work: Work, common: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
    ) -> Iterator[tuple[int, Any]]:
        stop = threading.Event()
        workers = max(1, min(threads, len(items)))
        # Few parts leave cores idle, which the threads within a part then use.
        shared = {**common, "threads": max(1, threads // workers)}
        with ThreadPoolExecutor(workers) as pool:
            futures = {pool.submit(work, shared, item, stop.is_set): i for i, item in enumerate(items)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    yield run
