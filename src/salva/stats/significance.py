"""Exact tests of pairs, with no sampling and no approximation, and Holm's correction for several of them.

The tests use the distribution of sums with random signs. Holm's correction (1979) bounds the probability of
even one false alarm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from salva._types import Floats


class Tested(Protocol):
    """A dataclass with a p-value and room for the corrected one."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def p(self) -> float | None:
        """The p-value of this test alone."""
        ...


T = TypeVar("T", bound=Tested)


def mcnemar(worse: int, better: int) -> float:
    """Return the two-sided p-value for changed pairs being equally likely to change either way.

    >>> round(mcnemar(8, 2), 6)
    0.109375
    """
    return sign_flip(worse - better, ones=worse + better)


def fewest_worse(tests: int = 1, level: float = 0.05) -> int:
    """Return how many pairs must get worse, if none gets better, for one of several tests to be significant.

    The p-value is that of `mcnemar`, multiplied by the number of tests, as Holm does with the smallest one.

    >>> fewest_worse(), fewest_worse(tests=6)
    (6, 8)
    """
    worse = 1
    while tests * mcnemar(worse, 0) >= level:
        worse += 1
    return worse


def sign_flip(total: int, *, ones: int, twos: int = 0) -> float:
    """Return the probability that ones and twos with random signs add up to `total` or farther from 0.

    This is the sign-flip permutation test of a mean of 0 for differences from -2 to 2, over all flips. It is
    exact if a difference and its opposite are equally likely; with ones only, it is McNemar's test.

    >>> round(sign_flip(4, ones=2, twos=1), 6)
    0.25
    """
    far = abs(total)
    if far == 0:
        return 1.0
    up = np.arange(twos + 1)  # number of positive twos, which gives the least number of positive ones
    needed = np.clip((far + ones) // 2 + twos - 2 * up, 0, ones + 1)
    at_least = np.append(np.cumsum(heads(ones)[::-1])[::-1], 0.0)
    return min(1.0, 2 * float(np.sum(heads(twos) * at_least[needed])))


def heads(coins: int) -> Floats:
    """Return the probability of each number of heads, from 0 to `coins`.

    Each is a multiple of the one nearer to the middle, so that even the smallest are exact to 14 digits.

    >>> heads(3).tolist()
    [0.125, 0.375, 0.375, 0.125]
    """
    number = np.arange((coins + 1) // 2, coins)
    upper = np.cumprod(np.concatenate([[1.0], (coins - number) / (number + 1)]))
    lower = upper[::-1] if coins % 2 else upper[:0:-1]
    chances: Floats = np.concatenate([lower, upper])
    chances /= chances.sum()
    return chances


def sign_flip_sums(differences: Sequence[int]) -> float:
    """Return the two-sided probability that whole numbers with random signs add up as far from 0 as these do.

    >>> sign_flip_sums([1, 1, 1])
    0.25
    """
    sizes = [abs(difference) for difference in differences if difference]
    total = abs(sum(differences))
    if total == 0:
        return 1.0
    step = math.gcd(*sizes)
    sizes = sorted(size // step for size in sizes)
    reach = sum(sizes)
    # Half of the distribution: entry k is the probability that the positive ones add up to k.
    chances: Floats = np.zeros(reach + 1)
    chances[0] = 1.0
    top = 0
    for size in sizes:
        top += size
        chances[size : top + 1] = (chances[size : top + 1] + chances[: top + 1 - size]) / 2
        chances[:size] /= 2
    least = (reach + total // step) // 2
    return min(1.0, 2 * float(chances[least:].sum()))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return every p-value corrected for all of them; None means no test, stays None and does not count.

    >>> holm([0.01, None, 0.03])
    [0.02, None, 0.03]
    """
    corrected: list[float | None] = list(p_values)
    tests = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    greatest = 0.0
    for rank, (p, place) in enumerate(tests):
        greatest = max(greatest, min(1.0, p * (len(tests) - rank)))
        corrected[place] = greatest
    return corrected


def with_holm(results: Sequence[T]) -> list[T]:
    """Return results with `p_holm` set: their p-values, corrected for all of them."""
    corrected = holm([result.p for result in results])
    return [replace(result, p_holm=p) for result, p in zip(results, corrected, strict=True)]
