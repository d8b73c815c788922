"""Choose rows at random, with the same share of every class; a larger sample contains the smaller ones."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np


def choose_rows(labels: Sequence[str | None], size: int, seed: int = 0) -> list[int]:
    """Return the numbers of `size` rows in ascending order; with the same seed, a larger sample has them too.

    Each class gets its share of the rows, rounded down or up; rows without a label are a class of their own.

    >>> choose_rows(["a", "a", "b", "a", "a", "b"], 3)
    [0, 3, 5]
    """
    order = _order_rows(labels, seed)
    return sorted(row for row, _ in zip(order, range(size), strict=False))


def _order_rows(labels: Sequence[str | None], seed: int) -> Iterator[int]:
    """Yield all rows, so that in the first so many every class has its share, rounded down or up.

    The largest remainders of each size alone would not be nested: a class can lose a row when the sample
    grows. So rows are scheduled: of n rows in a class, row k may come once its share k/n of all places has
    passed, and is due when (k+1)/n has. The row that is due first comes first, which keeps every date.
    """
    keys = np.random.Generator(np.random.Philox(seed)).random(len(labels))
    classes: defaultdict[str | None, list[int]] = defaultdict(list)
    for row in np.argsort(keys, kind="stable").tolist():
        classes[labels[row]].append(row)
    total = len(labels)
    waiting = [(0, rows[0], 0, rows) for rows in classes.values()]
    heapq.heapify(waiting)
    ready: list[tuple[int, float, int, list[int]]] = []
    for place in range(total):
        while waiting and waiting[0][0] <= place:
            _, row, k, rows = heapq.heappop(waiting)
            due = -(-(k + 1) * total // len(rows))
            heapq.heappush(ready, (due, keys[row], k, rows))  # the key: rows due together come at random
        _, _, k, rows = heapq.heappop(ready)
        yield rows[k]
        if k + 1 < len(rows):
            heapq.heappush(waiting, ((k + 1) * total // len(rows), rows[k + 1], k + 1, rows))
