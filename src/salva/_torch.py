"""The device on which torch runs: the same for Hugging Face models and for the reference model of twins.

Needs neither Arrow nor numba, so that a model can be trained on a machine that has a GPU and little else.
"""

from __future__ import annotations

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
