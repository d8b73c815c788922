"""Ray: joined, or started on this machine, and left as it was found."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

from salva.errors import UsageError, extra


@contextlib.contextmanager
def joined(address: str | None = None, cpus: int | None = None) -> Iterator[Any]:
    """Join the Ray at an address, in `RAY_ADDRESS` or of this process, or start one on this machine.

    Provides the module. A Ray that is started here gets `cpus` cores, by default all, and is stopped later.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would send them over the network
    # Ray warns that it will stop hiding accelerators from tasks that ask for none; ours do not mind.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with extra("ray"):
        import ray

    own = not ray.is_initialized()
    if own:
        before = signal.getsignal(signal.SIGTERM)  # which Ray replaces when it starts
        _connect(ray, address, cpus)
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
    try:
        yield ray
    finally:
        if own:
            ray.shutdown()


def _connect(ray: Any, address: str | None, cpus: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    local = address is None and not os.environ.get("RAY_ADDRESS")
    if local:
        quiet |= {"num_cpus": cpus, "include_dashboard": False}
    try:
        ray.init(address="local" if local else address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"Ray at {address or 'this machine'} cannot be reached ({reason:.200})") from None
