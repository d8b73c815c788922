"""A number shared out over parts, in proportion to their sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

__all__ = ["shares"]

Part = TypeVar("Part")


def shares(number: int, sizes: Mapping[Part, int]) -> dict[Part, int]:
    """Share a number out over parts by their sizes; what is left goes to the largest remainders.

    Of equal remainders the part that comes first has precedence.

    >>> shares(4, {"a": 10, "b": 23})
    {'a': 1, 'b': 3}
    """
    total = sum(sizes.values())
    parts = {part: number * size // total for part, size in sizes.items()}
    by_rest = sorted(sizes, key=lambda part: -(number * sizes[part] % total))  # stable, so in their order
    for part in by_rest[: number - sum(parts.values())]:
        parts[part] += 1
    return parts
