"""Ranks one exercise: which of its words is least like the others, and how high the outlier ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from salva._show import number_of
from salva._types import Floats
from salva.outliers.policies import Policy
from salva.outliers.sets import Exercise, WordSet
from salva.outliers.vectors import Similarities

# Identical vectors gave unequal sums in 113 of 200 trials; the smallest real margin observed is 7e-6.
# Relative to the largest similarity, which is 1 for vectors and can be anything for a thesaurus.
TIE = 1e-9


class Ranked(NamedTuple):
    """A ranked exercise; `ExerciseScore` explains the fields."""

    counted: bool
    n: int
    op: int
    predicted: str | None
    beaten_by: tuple[str, ...]
    margin: float | None
    reason: str | None

    @property
    def hit(self) -> bool:
        """Whether every inlier ranks above the outlier; missing inliers do not."""
        return self.counted and self.ranked and self.op == self.n

    @property
    def ranked(self) -> bool:
        """Whether there was anything to rank."""
        return self.margin is not None


class SetMatrix:
    """The words of a set that a policy can rank, and their similarities summed over both directions."""

    def __init__(self, words: WordSet, similarities: Similarities, policy: Policy) -> None:
        distinct = list(dict.fromkeys(words.words))
        known = [word for word in distinct if similarities.known(word)]
        zero = [word for word in distinct if policy.zero_multiwords and "_" in word and word not in known]
        self.numbers = {word: number for number, word in reversed(list(enumerate(words.outliers)))}
        self.place = {word: i for i, word in enumerate([*known, *zero])}
        self.both = np.zeros((len(self.place), len(self.place)))
        self.tie = TIE
        if known:
            one_way = similarities.matrix(known)
            self.tie = TIE * (float(np.abs(one_way).max()) or 1.0)
            self.both[: len(known), : len(known)] = one_way + one_way.T

    def likeness(self, words: Sequence[str]) -> Floats:
        """Return the mean similarity of each word to the others, over both directions (p)."""
        places = [self.place[word] for word in words]
        inside = self.both[np.ix_(places, places)]
        np.fill_diagonal(inside, 0.0)
        likeness: Floats = inside.sum(axis=1) / (2 * (len(words) - 1))
        return likeness


def rank(exercise: Exercise, matrix: SetMatrix, policy: Policy) -> Ranked:
    """Rank the words of an exercise by the compactness of the rest."""
    inliers = list(dict.fromkeys(exercise.inliers)) if policy.distinct else exercise.inliers
    n = len(inliers)
    known = [word for word in inliers if word in matrix.place]
    size = len(known) if policy.missing_inlier == "shrink" else n
    if policy.distinct and matrix.numbers[exercise.outlier] < exercise.number:
        return _unranked(False, n, "the outlier already has an exercise")
    if exercise.outlier not in matrix.place:
        return _unranked(policy.missing_outlier == "wrong", n, "the outlier is missing")
    if len(known) < n and policy.missing_inlier in ("wrong", "skip"):
        return _unranked(policy.missing_inlier == "wrong", n, "an inlier is missing")
    if len(known) < policy.least:
        reason = f"{number_of(len(known), 'inlier is', 'inliers are')} known, too few to rank"
        return _unranked(policy.missing_inlier == "keep size", n, reason)
    return _ranked(known, exercise.outlier, size, matrix, policy)


def _unranked(counted: bool, n: int, reason: str) -> Ranked:
    return Ranked(counted, n, 0, None, (), None, reason)


def _ranked(known: list[str], outlier: str, size: int, matrix: SetMatrix, policy: Policy) -> Ranked:
    *inside, own = matrix.likeness([*known, outlier]).tolist()
    tolerance = matrix.tie if policy.ties == "for" else -matrix.tie
    rivals = [(value, word) for value, word in zip(inside, known, strict=True) if word != outlier]
    twins = 0 if policy.distinct or policy.ties == "against" else len(known) - len(rivals)
    above = sum(value >= own - tolerance for value, _ in rivals) + twins
    beaten_by = tuple(dict.fromkeys(word for value, word in sorted(rivals) if value < own - tolerance))
    predicted = beaten_by[0] if beaten_by else outlier
    reason = "an inlier is missing" if size > len(known) else None
    if len(rivals) < len(known):
        reason = "the outlier is also an inlier"
    return Ranked(True, size, above, predicted, beaten_by, min(inside) - own, reason)
