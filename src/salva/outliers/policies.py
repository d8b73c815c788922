"""The rules of known scorers by name, and the ranking of an exercise by them.

A policy says how missing words, ties and multiword terms count. `rank` finds the word of an exercise that is
least like the others, and how high the outlier ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from salva._arguments import did_you_mean
from salva._types import Floats
from salva.errors import UsageError
from salva.outliers.sets import Exercise, WordSet
from salva.outliers.vectors.lookup import CHAIN
from salva.outliers.vectors.similarities import Similarities


@dataclass(frozen=True, slots=True)
class Policy:
    """How missing words and ties count.

    A missing inlier is dropped, and the exercise either keeps its size (so it cannot be a hit) or shrinks;
    or all exercises of the set count as wrong. With a missing outlier, its exercise is wrong or skipped.
    `ties` count for or against the outlier, `opp` is the OPP that this scorer reports.
    """

    name: str
    meaning: str
    chain: tuple[str, ...]
    missing_inlier: Literal["keep size", "shrink", "wrong"]
    missing_outlier: Literal["wrong", "skip"]
    ties: Literal["for", "against"]
    opp: Literal["opp", "opp_1based"]
    zero_multiwords: bool = False  # a multiword term with unknown parts is a zero vector, and so not missing
    as_published: bool = False  # sets may have white space around words and inside terms, like its own
    distinct: bool = False  # a word that appears twice counts once: the scorer uses Python sets of words


# Identical vectors gave unequal sums in 113 of 200 trials; the smallest real margin observed is 7e-6.
# Relative to the largest similarity, which is 1 for vectors and can be anything for a thesaurus.
TIE = 1e-9

POLICIES = {
    policy.name: policy
    for policy in (
        Policy(
            name="default",
            meaning="a missing word never makes a hit; ties count against the outlier",
            chain=CHAIN,
            missing_inlier="keep size",
            missing_outlier="wrong",
            ties="against",
            opp="opp",
        ),
        Policy(
            name="50-8-8",
            meaning="the 50-8-8 scorer: a missing inlier makes the whole set wrong",
            chain=("exact", "parts"),
            missing_inlier="wrong",
            missing_outlier="wrong",
            ties="for",
            opp="opp",
            zero_multiwords=True,
            as_published=True,
            distinct=True,
        ),
        Policy(
            name="hamod",
            meaning="HAMOD's od_eval_embed.py: missing inliers are dropped, the exercise keeps its size",
            chain=("exact", "parts"),
            missing_inlier="keep size",
            missing_outlier="wrong",
            ties="for",
            opp="opp_1based",
        ),
        Policy(
            name="hamod-ignore",
            meaning="like hamod, but ignores missing words: exercises shrink, or do not count",
            chain=("exact", "parts"),
            missing_inlier="shrink",
            missing_outlier="skip",
            ties="for",
            opp="opp_1based",
        ),
    )
}


def find_policy(name: str) -> Policy:
    """Return a policy by its name.

    >>> find_policy("hamod").ties
    'for'
    """
    if name not in POLICIES:
        hint = did_you_mean(name, POLICIES, otherwise=f"the policies are {', '.join(POLICIES)}")
        raise UsageError(f"policy {name!r} is unknown; {hint}")
    return POLICIES[name]


class Ranking(NamedTuple):
    """How the words of an exercise rank; `ExerciseScore` explains the fields."""

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
        return self.counted and self.margin is not None and self.op == self.n

    @property
    def opp_1based(self) -> float:
        """(OP+1)/(n+1), or 0 if there was nothing to rank."""
        return 0.0 if self.margin is None else (self.op + 1) / (self.n + 1)


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


def rank(exercise: Exercise, matrix: SetMatrix, policy: Policy) -> Ranking:
    """Rank the words of an exercise by the compactness of the rest."""
    inliers = list(dict.fromkeys(exercise.inliers)) if policy.distinct else exercise.inliers
    n = len(inliers)
    known = [word for word in inliers if word in matrix.place]
    size = len(known) if policy.missing_inlier == "shrink" else n
    if policy.distinct and matrix.numbers[exercise.outlier] < exercise.number:
        return _unranked(False, n, "the outlier already has an exercise")
    if exercise.outlier not in matrix.place:
        return _unranked(policy.missing_outlier == "wrong", n, "the outlier is missing")
    if len(known) < n and policy.missing_inlier == "wrong":
        return _unranked(True, n, "an inlier is missing")
    if not known:
        return _unranked(policy.missing_inlier == "keep size", n, "0 inliers are known, too few to rank")
    return _rank_known(known, exercise.outlier, size, matrix, policy)


def _unranked(counted: bool, n: int, reason: str) -> Ranking:
    return Ranking(counted, n, 0, None, (), None, reason)


def _rank_known(known: list[str], outlier: str, size: int, matrix: SetMatrix, policy: Policy) -> Ranking:
    *inside, own = matrix.likeness([*known, outlier]).tolist()
    tolerance = matrix.tie if policy.ties == "for" else -matrix.tie
    rivals = [(value, word) for value, word in zip(inside, known, strict=True) if word != outlier]
    repeats = 0 if policy.distinct or policy.ties == "against" else len(known) - len(rivals)
    above = sum(value >= own - tolerance for value, _ in rivals) + repeats
    beaten_by = tuple(dict.fromkeys(word for value, word in sorted(rivals) if value < own - tolerance))
    predicted = beaten_by[0] if beaten_by else outlier
    reason = "an inlier is missing" if size > len(known) else None
    if len(rivals) < len(known):
        reason = "the outlier is also an inlier"
    return Ranking(True, size, above, predicted, beaten_by, min(inside) - own, reason)
