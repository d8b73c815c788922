"""Labels, answers and clusters as whole numbers, -1 for none; counts of each combination that occurs."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from salva._types import Bools, Ints, Ints64
from salva.errors import UsageError

_MOST_SLOTS = 1 << 16  # of a table of all combinations; above this, sort those that occur
_SPARSE = 4  # times as many numbers of clusters as rows; above this, count those that occur
_MOST_CODES = 1 << 20  # three of them fit into 64 bits


class Cells(NamedTuple):
    """The distinct combinations of label, answer before and answer after, with the number of pairs each."""

    labels: Ints
    before: Ints
    after: Ints
    counts: Ints

    def where(self, chosen: Bools) -> Cells:
        """Return some of the cells."""
        return Cells(self.labels[chosen], self.before[chosen], self.after[chosen], self.counts[chosen])

    def size(self) -> int:
        """Return the number of pairs."""
        return int(self.counts.sum())


class ClusterSums(NamedTuple):
    """For each cluster that has rows, the sum of their values, and their number."""

    sums: NDArray[Any]
    sizes: Ints


def refuse_lengths(columns: dict[str, Any]) -> None:
    """Raise if the columns differ in length."""
    lengths = {name: len(column) for name, column in columns.items() if isinstance(column, Sized)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise UsageError(f"columns of different lengths: {listed}; give one entry per pair")


def as_codes(**columns: ArrayLike) -> list[Ints]:
    """Return columns of codes as arrays; refuse columns of other types or of different lengths.

    >>> as_codes(labels=[0, 1], before=[1, -1])
    [array([0, 1]), array([ 1, -1])]
    """
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    for name, array in arrays.items():
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
            described = f"shape {array.shape} and type {array.dtype}"
            raise UsageError(f"{name} has {described}; expected one whole number per pair")
    refuse_lengths(arrays)
    return [np.maximum(array.astype(np.int64), -1) for array in arrays.values()]


def as_clusters(clusters: ArrayLike | None, rows: int) -> Ints64 | None:
    """Return the cluster of every row as a number from 0; None if every row is a cluster of its own."""
    if clusters is None:
        return None
    codes, _ = as_codes(clusters=clusters, rows=np.zeros(rows, np.int64))
    if not rows or not 0 <= int(codes.min()) <= int(codes.max()) < _SPARSE * rows:
        _, codes = np.unique(codes, return_inverse=True)
    return codes.astype(np.int64) if (np.bincount(codes) > 1).any() else None


def sum_clusters(clusters: Ints64, values: ArrayLike) -> ClusterSums:
    """Return the sums of values by cluster; of whole numbers, as whole numbers."""
    weights = np.asarray(values)
    sizes = np.bincount(clusters)
    some = sizes > 0
    sums = np.bincount(clusters, weights)[some]
    return ClusterSums(sums if weights.dtype.kind == "f" else sums.astype(np.int64), sizes[some])


def count_cells(labels: ArrayLike, before: ArrayLike, after: ArrayLike) -> Cells:
    """Return the joint table of counts, from which every number about the pairs is computed."""
    columns = np.stack(as_codes(labels=labels, before=before, after=after)) + 1
    size = int(columns.max(initial=0)) + 1
    names = np.arange(size) if size <= _MOST_CODES else np.unique(columns)
    if size > _MOST_CODES:
        columns, size = np.searchsorted(names, columns), len(names)
    combinations, counts = _distinct((columns[0] * size + columns[1]) * size + columns[2], size**3)
    rest, after_code = np.divmod(combinations, size)
    label, before_code = np.divmod(rest, size)
    return Cells(names[label] - 1, names[before_code] - 1, names[after_code] - 1, counts)


def _distinct(keys: Ints, slots: int) -> tuple[Ints, Ints]:
    if slots > _MOST_SLOTS:
        distinct, times = np.unique(keys, return_counts=True)
        return distinct, times
    counts = np.bincount(keys, minlength=slots)
    distinct = np.flatnonzero(counts)
    return distinct, counts[distinct]


def macro_f1(labels: Ints, answers: Ints, counts: Ints) -> float | None:
    """Return the mean F1 score of the classes in percent, over the classes that occur in labels or answers.

    A class that is never predicted correctly scores 0, as in scikit-learn's `f1_score(average="macro",
    zero_division=0)`.
    """
    if not len(counts):
        return None
    classes, places = np.unique(np.concatenate([labels, answers]), return_inverse=True)
    label, answer = np.split(places, 2)
    right = label == answer
    hits = np.bincount(label[right], counts[right], len(classes))
    named = np.bincount(label, counts, len(classes)) + np.bincount(answer, counts, len(classes))
    return float(100 * np.mean(2 * hits / named))
