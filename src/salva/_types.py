"""Type aliases and small containers shared by several packages; nothing here needs its own tests."""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

PathLike: TypeAlias = str | os.PathLike[str]
Ints: TypeAlias = NDArray[np.integer[Any]]
Ints8: TypeAlias = NDArray[np.int8]
Ints16: TypeAlias = NDArray[np.int16]
Ints32: TypeAlias = NDArray[np.int32]
Ints64: TypeAlias = NDArray[np.int64]
Uints32: TypeAlias = NDArray[np.uint32]
Uints64: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.uint8]
Bools: TypeAlias = NDArray[np.bool_]
Floats32: TypeAlias = NDArray[np.float32]
Floats: TypeAlias = NDArray[np.float64]
Pos: TypeAlias = Literal["n", "v", "a", "s", "r"]


class Ragged(NamedTuple):
    """Concatenated lists of numbers: list `i` is `values[starts[i]:starts[i + 1]]`."""

    starts: Ints
    values: Ints

    def row(self, i: int) -> list[int]:
        """Return list `i`.

        >>> Ragged(np.array([0, 2, 2]), np.array([7, 8])).row(0)
        [7, 8]
        """
        values: list[int] = self.values[self.starts[i] : self.starts[i + 1]].tolist()
        return values

    def inverse(self) -> Ragged:
        """Return the inverse relation: for each target, the lists that contain it, in ascending order."""
        size = len(self.starts) - 1
        sources = np.repeat(np.arange(size, dtype=self.values.dtype), np.diff(self.starts))
        counts = np.bincount(self.values, minlength=size)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(self.starts.dtype)
        return Ragged(starts, sources[np.argsort(self.values, kind="stable")])
