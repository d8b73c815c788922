"""An index of many keys in little memory: twelve bytes for each."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from salva._types import Ints64

Heads: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
"""The first eight bytes of keys: of ten million, two are the same with a probability of 3 in a million."""


_LONGEST = 1 << 20  # keys in a run


class _Run(NamedTuple):
    """Some keys in ascending order, with the place of each."""

    heads: Heads
    places: np.ndarray[Any, np.dtype[np.uint32]]


class KeyIndex:
    """Where keys are; of equal keys, the one that was added last.

    Keys are kept in sorted runs, each more than twice as long as the next, so that adding is cheap and few
    runs are searched; a run of a million keys stays as it is, because sorting takes three times its memory. A
    dict of as many keys takes ten times the memory.
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
        while len(self._runs) > 1 and _may_merge(*self._runs[-2:]):
            newer, older = self._runs.pop(), self._runs.pop()
            heads = np.concatenate([older.heads, newer.heads])
            self._runs.append(_sort(heads, np.concatenate([older.places, newer.places])))

    def find_repeats(self, heads: Heads) -> Ints64:
        """Return which of some keys are known, or occur among them before; then add all of them."""
        known = self.find(heads) >= 0
        _, first = np.unique(heads, return_index=True)
        is_first = np.zeros(len(heads), np.bool_)
        is_first[first] = True
        fresh = ~known & is_first
        self.add(heads[fresh], np.zeros(int(fresh.sum()), np.int64))
        return np.flatnonzero(~fresh)


def _may_merge(older: _Run, newer: _Run) -> bool:
    sizes = len(older.heads), len(newer.heads)
    return sizes[0] <= 2 * sizes[1] and sum(sizes) <= _LONGEST


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
