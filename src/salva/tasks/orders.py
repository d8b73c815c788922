"""Orders of options, drawn for each row. `OptionSource.reorder` puts the options of a row into an order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Places: TypeAlias = tuple[int, ...]
"""For each place, the number of the option that is shown there, counted from 0."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the options other than their own: the first, second … of all, or of those drawn at random.

    What is drawn depends on the seed and the text of the row alone. A row that has fewer orders is not asked.
    """

    number: int
    seed: int = 0
    is_drawn: bool = True

    def find(self, options: int, text: str) -> Places | None:
        """Return the order of as many options; None if there are not so many orders.

        >>> Order(1).find(2, "Is it?"), Order(2).find(2, "Is it?"), Order(5, is_drawn=False).find(3, "")
        ((1, 0), None, (2, 1, 0))
        """
        if self.number >= math.factorial(options):
            return None
        if not self.is_drawn:
            return arrange(self.number, options)
        ranks = _draw(options, self.seed, text)
        return arrange([rank for _, rank in zip(range(self.number), ranks, strict=False)][-1], options)


def arrange(rank: int, size: int) -> Places:
    """Return the order with this rank among all orders of as many things, from 0, which is their own.

    >>> [arrange(rank, 3) for rank in (0, 1, 5)]
    [(0, 1, 2), (0, 2, 1), (2, 1, 0)]
    """
    left, places = list(range(size)), []
    for after in range(size - 1, -1, -1):
        place, rank = divmod(rank, math.factorial(after))
        places.append(left.pop(place))
    return tuple(places)


def _draw(size: int, seed: int, text: str) -> Iterator[int]:
    """Yield the ranks of all orders but their own, each once, in random order."""
    seen, number = {0}, 0
    while len(seen) < math.factorial(size):
        content = f"{seed}\0{number}\0{text}".encode("utf-8", "surrogatepass")
        # 512 bits: a remainder by 26! is as good as uniform.
        rank = int.from_bytes(hashlib.blake2b(content, digest_size=64).digest(), "big") % math.factorial(size)
        number += 1
        if rank not in seen:
            seen.add(rank)
            yield rank
