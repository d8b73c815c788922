"""Texts asked about again: which ones, and how many answers change, which is the model's own noise."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from salva._types import Ints
from salva.models import Text, text_id
from salva.numbers import Estimate, wilson

# By default, texts sent a second time, and how many of these are sent one at a time as well.
NOISE_TEXTS, ALONE_TEXTS = 100, 16

Detail = TypeVar("Detail")


class Sample(Generic[Detail]):
    """The texts with the smallest ids among those offered, so that their order does not matter.

    Each may come with a detail that the caller needs later.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[int, Text, Detail | None]] = []
        self._known: set[int] = set()

    def offer(self, text: Text, detail: Detail | None = None) -> None:
        """Add a text if its id is among the smallest."""
        key = -int.from_bytes(text_id(text), "big")
        if key in self._known or not self._size:
            return
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, (key, text, detail))
        elif key > self._heap[0][0]:
            self._known.discard(heapq.heapreplace(self._heap, (key, text, detail))[0])
        else:
            return
        self._known.add(key)

    def texts(self) -> list[Text]:
        """Return the texts in the order of their ids."""
        return [text for _, text, _ in self._sorted()]

    def details(self) -> list[Detail | None]:
        """Return the details of the texts, in the same order."""
        return [detail for *_, detail in self._sorted()]

    def _sorted(self) -> list[tuple[int, Text, Detail | None]]:
        return sorted(self._heap, reverse=True, key=lambda item: item[0])


class Reruns(NamedTuple):
    """Some texts with three sets of answers: the first, those on asking again, and those asked alone."""

    texts: Sequence[Text]
    first: list[str | None]
    again: list[str | None]
    alone: list[str | None]


@dataclass(frozen=True, slots=True)
class Noise:
    """Texts asked again: answers that changed in a batch, and answers that changed one at a time."""

    asked: int
    changed: int
    rate: Estimate  # percent, with Wilson's interval
    alone_asked: int
    alone_changed: int


def count_noise(
    first: Sequence[int] | Ints, again: Sequence[int] | Ints, alone: Sequence[int] | Ints
) -> Noise:
    """Return how many answers changed; -1 means no answer, and `alone` has the first of the texts.

    >>> noise = count_noise([0, 1, 2], [0, 2, -1], [1])
    >>> noise.asked, noise.changed, noise.alone_asked, noise.alone_changed
    (2, 1, 1, 1)
    """
    asked, changed = _count_changes(np.asarray(first), np.asarray(again))
    alone_asked, alone_changed = _count_changes(np.asarray(first)[: len(alone)], np.asarray(alone))
    return Noise(asked, changed, wilson(changed, asked), alone_asked, alone_changed)


def _count_changes(first: Ints, second: Ints) -> tuple[int, int]:
    """Return how many texts have two answers, and how many of these differ."""
    both = (first >= 0) & (second >= 0)
    return int(both.sum()), int((both & (first != second)).sum())
