"""Ray: one task per part. Ray starts a task again if its worker dies."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from salva._ray import joined
from salva.errors import StorageError
from salva.transforms.engines.protocol import Map, Work


@contextlib.contextmanager
def start(address: str | None, threads: int) -> Iterator[Map]:
    """Join Ray, or start one on this machine with as many workers as there are threads."""
    with joined(address, threads) as ray:
        yield _make_map(ray)


def _make_map(ray: Any) -> Map:
    def run(
        work: Work, common: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
    ) -> Iterator[tuple[int, Any]]:
        shared = ray.put({**common, "threads": 1})
        task = ray.remote(work).options(num_cpus=1, max_retries=3)
        numbers = {task.remote(shared, item): i for i, item in enumerate(items)}
        waiting = list(numbers)
        try:
            while waiting:
                [ready], waiting = ray.wait(waiting, num_returns=1)
                yield numbers[ready], ray.get(ready)
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise StorageError(f"a worker of Ray died four times on the same part ({reason:.200})") from None
        finally:
            for each in waiting:
                ray.cancel(each, force=True)

    return run
