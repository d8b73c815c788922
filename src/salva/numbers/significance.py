"""Exact tests of pairs, and Holm's correction for several of them.

The tests ask how likely sums are if every sign is random; nothing is sampled. Holm's correction (1979) bounds
the probability of even one false alarm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from salva._types import Floats, Ints

_MOST_STEPS = 30_000_000  # of the exact distribution of sums: tens of milliseconds


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


def sign_flip_sums(differences: Sequence[int]) -> float:
    """Return the two-sided probability that whole numbers with random signs add up as far from 0 as these do.

    >>> sign_flip_sums([1, 1, 1])
    0.25
    """
    sizes, total = _reduce(np.array(differences, np.int64))
    return _tail(sizes, total, ones=0) if total else 1.0


def sign_flip_clusters(sums: Ints) -> float:
    """Return the two-sided p-value of the sums of clusters: 0 on average, each as likely with either sign.

    If all sums are -1, 0 or 1, this is McNemar's exact test. It is exact, unless that takes too long: then
    there are so many clusters that their sum is normal.

    >>> sign_flip_clusters(np.array([10, 10, 10, 0]))
    0.25
    """
    sizes, total = _reduce(sums)
    if not total:
        return 1.0
    ones, larger = int((sizes == 1).sum()), sizes[sizes > 1]
    if sizes.max() <= 2:
        return sign_flip(total, ones=ones, twos=len(larger))
    if len(larger) * int(sizes.sum()) > _MOST_STEPS:
        spread = math.sqrt(2 * float((sizes.astype(np.float64) ** 2).sum()))
        return math.erfc((total - 1) / spread)  # sums are two apart: half of that less
    return _tail(larger, total, ones=ones)


def _reduce(differences: Ints) -> tuple[Ints, int]:
    """Return the sorted sizes of the differences that are not 0, and that of their sum, in common units."""
    sizes = np.abs(differences[differences != 0])
    step = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    return np.sort(sizes // step), abs(int(differences.sum())) // step


def _tail(sizes: Ints, total: int, *, ones: int) -> float:
    """Return the probability that ones and sizes with random signs add up to `total` or farther from 0."""
    reach = ones + int(sizes.sum())
    chances: Floats = np.zeros(reach + 1)  # that the positive ones add up to so much
    chances[: ones + 1] = heads(ones)
    top = ones
    for size in sizes.tolist():
        top += size
        chances[size : top + 1] = (chances[size : top + 1] + chances[: top + 1 - size]) / 2
        chances[:size] /= 2
    return min(1.0, 2 * float(chances[(reach + total) // 2 :].sum()))


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
