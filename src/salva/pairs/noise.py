"""Answers to the same texts asked twice: what changes is the model's own noise, not caused by any word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salva._types import Ints
from salva.stats import Estimate, wilson


@dataclass(frozen=True, slots=True)
class Noise:
    """Texts asked again: answers that changed in a batch, and answers that changed one at a time."""

    asked: int
    changed: int
    rate: Estimate  # percent, with Wilson's interval
    alone_asked: int
    alone_changed: int


def noise(first: Sequence[int] | Ints, again: Sequence[int] | Ints, alone: Sequence[int] | Ints) -> Noise:
    """Return how many answers changed; -1 means no answer, and `alone` has the first of the texts.

    >>> found = noise([0, 1, 2], [0, 2, -1], [1])
    >>> found.asked, found.changed, found.alone_asked, found.alone_changed
    (2, 1, 1, 1)
    """
    asked, changed = _changed(np.asarray(first), np.asarray(again))
    alone_asked, alone_changed = _changed(np.asarray(first)[: len(alone)], np.asarray(alone))
    return Noise(asked, changed, wilson(changed, asked), alone_asked, alone_changed)


def _changed(first: Ints, second: Ints) -> tuple[int, int]:
    """Return how many texts have two answers, and how many of these differ."""
    both = (first >= 0) & (second >= 0)
    return int(both.sum()), int((both & (first != second)).sum())
