"""Drops from published tables, which report how many answers were right before and after, but not which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from salva.stats import Estimate, newcombe


@dataclass(frozen=True, slots=True)
class UnpairedDrop:
    """A drop in points between two samples that are treated as independent."""

    drop: Estimate
    effective: bool | None
    surely_effective: bool | None
    method: Literal["unpaired (Newcombe)"] = "unpaired (Newcombe)"


def unpaired(
    n_right_before: int, n_before: int, n_right_after: int, n_after: int, *, effective_over: float = 4.0
) -> UnpairedDrop:
    """Return the drop between two accuracies.

    If both samples are the same rows, the true interval is narrower; by how much cannot be known.

    >>> unpaired(23063, 25000, 21644, 25000).drop.value
    5.676
    """
    drop = newcombe(n_right_before, n_before, n_right_after, n_after)
    return UnpairedDrop(
        drop,
        effective=None if drop.value is None else drop.value > effective_over,
        surely_effective=None if drop.low is None else drop.low > effective_over,
    )
