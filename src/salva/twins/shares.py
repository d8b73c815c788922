"""Divide a number among parts, in proportion to their sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Part = TypeVar("Part")


def shares(number: int, sizes: Mapping[Part, int]) -> dict[Part, int]:
    """Divide a number among parts by their sizes; the rest goes to the parts with the largest remainders.

    If remainders are equal, the part that comes first wins.

    >>> shares(4, {"a": 10, "b": 23})
    {'a': 1, 'b': 3}
    """
    total = sum(sizes.values())
    parts = {part: number * size // total for part, size in sizes.items()}
    by_rest = sorted(
        sizes, key=lambda part: -(number * sizes[part] % total)
    )  # stable, so ties keep their order
    for part in by_rest[: number - sum(parts.values())]:
        parts[part] += 1
    return parts
