"""Compares two models on the same exercises: which finds more outliers, and whether that may be chance.

The exercises of a set are alike, so the test flips the signs of whole topics: if the models were equal, the
difference on a topic could just as well have gone the other way. All flips are counted; the test is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from salva._types import Floats
from salva.errors import InputError
from salva.outliers.results import ExerciseScore, OutlierScore
from salva.stats import Estimate, bootstrap_counts, holm, sign_flip_sums

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
    if a.policy != b.policy:
        raise InputError(f"policies {a.policy!r} and {b.policy!r} differ; score both with the same policy")
    if a.leave_one_out != b.leave_one_out:
        raise InputError("only one of the scores uses leave-one-out; score both the same way")
    left, right = _by_key(a), _by_key(b)
    shared = [key for key in left if key in right]
    if not shared:
        raise InputError(f"{a.source.name} and {b.source.name} were not scored on any common set")
    pairs = [(left[k], right[k]) for k in shared if left[k].counted and right[k].counted]
    hits = [(one.hit, other.hit) for one, other in pairs]
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
        measures=_measures(pairs, seed),
        warnings=tuple(_warnings(a, b)),
    )


def _by_key(score: OutlierScore) -> dict[tuple[tuple[str, str, str], int, int | None], ExerciseScore]:
    return {((one.digest, one.topic, one.language), one.number, one.left_out): one for one in score.exercises}


def _measures(
    pairs: Sequence[tuple[ExerciseScore, ExerciseScore]], seed: int
) -> tuple[MeasureComparison, ...]:
    if not pairs:
        return ()
    topics = {topic: i for i, topic in enumerate(dict.fromkeys(one.topic for one, _ in pairs))}
    counts = np.zeros(len(topics))
    sums = {"accuracy": np.zeros((2, len(topics)), int), "opp": np.zeros((2, len(topics)), int)}
    for pair in pairs:
        place = topics[pair[0].topic]
        counts[place] += 1
        for side, one in enumerate(pair):
            sums["accuracy"][side, place] += one.hit
            sums["opp"][side, place] += round(_SHARES * one.opp)
    p_values = [sign_flip_sums((both[1] - both[0]).tolist()) for both in sums.values()]
    corrected = holm(p_values)
    return tuple(
        _measure(
            name,
            both / (1 if name == "accuracy" else _SHARES),
            counts,
            p=p,
            p_holm=adjusted or 0.0,
            seed=seed,
        )
        for (name, both), p, adjusted in zip(sums.items(), p_values, corrected, strict=True)
    )


def _measure(
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


def _warnings(a: OutlierScore, b: OutlierScore) -> list[str]:
    found = []
    if a.source.chain != b.source.chain:
        chains = " and ".join("+".join(one.source.chain) for one in (a, b))
        found.append(f"the look-ups differ: {chains}")
    if abs(a.coverage.percent - b.coverage.percent) > 1:
        covered = f"{a.coverage.percent:.1f} % and {b.coverage.percent:.1f} %"
        found.append(f"the coverages differ: {covered} of the words; a missing word is not a vector's fault")
    return found
