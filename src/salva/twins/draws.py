"""Random draws that do not depend on a text: a key from a seed and a purpose, and orders and choices from it.

The bits come from `salva._kernels.rng`, with the name of the purpose in place of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from salva._arguments import check_whole
from salva._types import Uints64

Item = TypeVar("Item")


def key_of(seed: int, purpose: str) -> np.uint64:
    """Return the key for a seed and a purpose."""
    from salva._kernels import rng

    data = np.frombuffer(purpose.encode(), np.uint8)
    offsets = np.array([0, len(data)], np.int64)
    offsets.flags.writeable = False
    out = np.empty(1, np.uint64)
    rng.row_keys(data, offsets, np.uint64(check_whole("seed", seed)), np.uint64(0), out)
    return np.uint64(out[0])


def order_draws(seed: int, purpose: str, size: int) -> Uints64:
    """Return one draw for each number from 0 up to but not including `size`."""
    from salva._kernels import pcfg_samples

    bits = np.empty(size, np.uint64)
    pcfg_samples.fill_draws(key_of(seed, purpose), bits)
    return bits


def shuffled(items: Sequence[Item], *, seed: int, purpose: str) -> list[Item]:
    """Return the items in a random order.

    >>> sorted(shuffled("abc", seed=0, purpose="example"))
    ['a', 'b', 'c']
    """
    return [items[i] for i in np.argsort(order_draws(seed, purpose, len(items)), kind="stable").tolist()]


class Dice:
    """A stream of random numbers for a seed and a purpose.

    >>> dice = Dice(0, "example")
    >>> 0 <= dice.roll(6) < 6
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._key = key_of(seed, purpose)
        self._rolls = 0

    def roll(self, sides: int) -> int:
        """Return a number from 0 up to but not including `sides`."""
        from salva._kernels import rng, stages

        self._rolls += 1
        bits = np.uint64(rng.draw(self._key, self._rolls, stages.PCFG_SAMPLE))
        return int(rng.bounded(bits, sides))
