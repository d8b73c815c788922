"""The device on which torch runs, and how causal models compute on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from salva.errors import UsageError


def find_device(wanted: str | None) -> Any:
    """Return the device to compute on; by default a GPU if there is one."""
    import torch

    try:
        device = torch.device(wanted or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0].partition(". ")[0]
        raise UsageError(f"device {wanted!r} cannot be used here ({reason:.120}); try 'cpu'") from None
    return device


@contextlib.contextmanager
def inference() -> Iterator[None]:
    """Compute without gradients, and without cuDNN's attention, which makes a plan for every new shape.

    Every token that a causal model writes is a new shape: GPT-2 took an H200 55 ms per token instead of 6.
    Even with plans from before, cuDNN was not faster than the others.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    others = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with torch.inference_mode(), sdpa_kernel(others):
        yield
