"""What the tests of scores share: a set of letters, and similarities that are written down."""

from __future__ import annotations

import numpy as np

from salva.outliers import WordSet
from salva.outliers.vectors.lookup import Lookup
from salva.outliers.vectors.similarities import Vectors

INLIERS = ("a", "b", "c", "d", "e", "f", "g", "ice_cream")
OUTLIERS = ("p", "q", "r", "s", "t", "u", "v", "w_x")
LETTERS = WordSet("Letters", "EN", INLIERS, OUTLIERS)


def vectors_of(words=LETTERS.words, *, angles=None, chain=("exact", "parts")) -> Vectors:
    """Inliers at small angles to one another, outliers at right angles, unless said otherwise."""
    usual = {word: i / 100 for i, word in enumerate(INLIERS)} | dict.fromkeys(OUTLIERS, np.pi / 2)
    turned = usual | (angles or {})
    known = {word: np.array([np.cos(turned[word]), np.sin(turned[word])]) for word in words}
    return Vectors("made", known, LETTERS.words, lookup=Lookup(tuple(chain)))


def without(*missing: str) -> list[str]:
    return [word for word in LETTERS.words if word not in missing]


def copies(number: int) -> list[WordSet]:
    """The same words under several topics."""
    return [WordSet(f"Letters_{i}", "EN", INLIERS, OUTLIERS) for i in range(number)]
