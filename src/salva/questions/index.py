"""An index of many keys in little memory: twelve bytes for each."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from salva._types import Ints64

Heads: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
"""The first eight bytes of keys. Among ten million keys, two are the same with a probability of 3 in a million."""


class _Run(NamedTuple):
    """Some keys in ascending order, with the place of each."""

    heads: Heads
    places: np.ndarray[Any, np.dtype[np.uint32]]


class KeyIndex:
    """Where keys are; of equal keys, the one that was added last.

    Keys are kept in sorted runs, each more than twice as long as the next, so that adding is cheap and few runs
    are searched. A dict of as many keys takes ten times the memory.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def __len__(self) -> int:
        return sum(len(run.heads) for run in self._runs)

    def find(self, heads: Heads) -> Ints64:
        """Return the place of every key, -1 if it is not known."""
        found = np.full(len(heads), -1, np.int64)
        for run in self._runs:
            at = np.searchsorted(run.heads, heads)
            at[at == len(run.heads)] = 0
            hits = run.heads[at] == heads
            found[hits] = run.places[at[hits]]
        return found

    def add(self, heads: Heads, places: Ints64) -> None:
        """Add keys with their places."""
        if not len(heads):
            return
        self._runs.append(_sort(heads, places.astype(np.uint32)))
        while len(self._runs) > 1 and len(self._runs[-2].heads) <= 2 * len(self._runs[-1].heads):
            newer, older = self._runs.pop(), self._runs.pop()
            merged = (np.concatenate(both) for both in zip(older, newer, strict=True))
            self._runs.append(_sort(*merged))

    def find_repeats(self, heads: Heads) -> Ints64:
        """Return which of some keys are known, or occur among them before; then add all of them."""
        known = self.find(heads) >= 0
        _, first = np.unique(heads, return_index=True)
        is_first = np.zeros(len(heads), np.bool_)
        is_first[first] = True
        fresh = ~known & is_first
        self.add(heads[fresh], np.zeros(int(fresh.sum()), np.int64))
        return np.flatnonzero(~fresh)


def _sort(heads: Heads, places: np.ndarray[Any, np.dtype[np.uint32]]) -> _Run:
    """Return keys in order; of equal ones, the last."""
    order = np.argsort(heads, kind="stable")
    heads = heads[order]
    last = np.ones(len(heads), np.bool_)
    last[:-1] = heads[1:] != heads[:-1]
    return _Run(heads[last], places[order][last])


def heads_of(keys: list[bytes]) -> Heads:
    """Return the heads of keys of sixteen bytes."""
    return np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2)[:, 0].copy()
