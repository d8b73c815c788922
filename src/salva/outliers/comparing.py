"""Compares two models on the same exercises: which finds more outliers, and whether that may be chance.

The exercises of a set are alike, so the test flips the signs of whole topics: if the models were equal, the
difference on a topic could just as well have gone the other way. All flips are counted; the test is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from salva._arguments import check_whole
from salva._results import brief
from salva._types import Floats
from salva.errors import InputError
from salva.numbers import Estimate, bootstrap_counts, holm, sign_flip_sums
from salva.outliers.results import ExerciseScore, OutlierScore

_SHARES = 840  # every OP/n with n up to 8 is a whole number of these, so sums are exact


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """A measure of both models in percent, the difference b - a in points, p, and p corrected by Holm."""

    name: str
    a: float
    b: float
    difference: Estimate
    p: float
    p_holm: float
    verdict: str


@brief
@dataclass(frozen=True, slots=True)
class ScoreComparison:
    """Two models on the exercises that count for both; `only_a` is the number of hits of only the first."""

    a: str
    b: str
    policy: str
    sets: int
    sets_apart: int
    exercises: int
    left_out: int
    only_a: int
    only_b: int
    both: int
    neither: int
    measures: tuple[MeasureComparison, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def compare(a: OutlierScore, b: OutlierScore, *, seed: int = 0) -> ScoreComparison:
    """Compare two scores of the same policy, over the sets and exercises that they share."""
    check_whole("seed", seed)
    if a.policy != b.policy:
        raise InputError(f"policies {a.policy!r} and {b.policy!r} differ; score both with the same policy")
    left, right = _by_key(a), _by_key(b)
    shared = [key for key in left if key in right]
    if not shared:
        raise InputError(f"{a.source.name} and {b.source.name} were not scored on any common set")
    pairs = [(left[k], right[k]) for k in shared if left[k].counted and right[k].counted]
    hits = [(by_a.hit, by_b.hit) for by_a, by_b in pairs]
    common = len({key[0] for key in shared})
    return ScoreComparison(
        a=a.source.name,
        b=b.source.name,
        policy=a.policy,
        sets=common,
        sets_apart=len({key[0] for key in left.keys() | right.keys()}) - common,
        exercises=len(pairs),
        left_out=len(shared) - len(pairs),
        only_a=hits.count((True, False)),
        only_b=hits.count((False, True)),
        both=hits.count((True, True)),
        neither=hits.count((False, False)),
        measures=_compare_measures(pairs, seed),
        warnings=tuple(_find_warnings(a, b)),
    )


def _by_key(score: OutlierScore) -> dict[tuple[tuple[str, str, str], int], ExerciseScore]:
    return {((e.digest, e.topic, e.language), e.number): e for e in score.exercises}


def _compare_measures(
    pairs: Sequence[tuple[ExerciseScore, ExerciseScore]], seed: int
) -> tuple[MeasureComparison, ...]:
    if not pairs:
        return ()
    topics = {topic: i for i, topic in enumerate(dict.fromkeys(by_a.topic for by_a, _ in pairs))}
    counts = np.zeros(len(topics))
    sums = {"accuracy": np.zeros((2, len(topics)), int), "opp": np.zeros((2, len(topics)), int)}
    for pair in pairs:
        topic = topics[pair[0].topic]
        counts[topic] += 1
        for model, exercise in enumerate(pair):
            sums["accuracy"][model, topic] += exercise.hit
            sums["opp"][model, topic] += round(_SHARES * exercise.opp)
    p_values = [sign_flip_sums((both[1] - both[0]).tolist()) for both in sums.values()]
    p_holms = [p or 0.0 for p in holm(p_values)]
    units = (1, _SHARES)
    return tuple(
        _compare_measure(name, both / unit, counts, p=p, p_holm=p_holm, seed=seed)
        for (name, both), unit, p, p_holm in zip(sums.items(), units, p_values, p_holms, strict=True)
    )


def _compare_measure(
    name: str, both: Floats, counts: Floats, *, p: float, p_holm: float, seed: int
) -> MeasureComparison:
    gained = both[1] - both[0]
    difference = Estimate(float(100 * gained.sum() / counts.sum()))
    if len(counts) > 1:
        difference = bootstrap_counts(
            np.ones(len(counts)), lambda drawn: 100 * (drawn @ gained) / (drawn @ counts), seed=seed
        )
    means = 100 * both.sum(axis=1) / counts.sum()
    better = "b" if gained.sum() > 0 else "a"
    verdict = f"{better} is better" if p_holm < 0.05 else "no clear difference"
    return MeasureComparison(name, float(means[0]), float(means[1]), difference, p, p_holm, verdict)


def _find_warnings(a: OutlierScore, b: OutlierScore) -> Iterator[str]:
    if a.source.chain != b.source.chain:
        yield f"the look-ups differ: {'+'.join(a.source.chain)} and {'+'.join(b.source.chain)}"
    if abs(a.coverage.percent - b.coverage.percent) > 1:
        covered = f"{a.coverage.percent:.1f} % and {b.coverage.percent:.1f} %"
        yield f"the coverages differ: {covered} of the words; a missing word is not a vector's fault"
