"""Accuracy and both OPPs of many exercises, with intervals from a bootstrap over topics, not exercises.

The exercises of a set share their inliers, and the sets of a topic in several languages share their meanings,
so whole topics are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from salva._types import Floats
from salva.outliers.results import ExerciseScore, Figures, Group, SetScore
from salva.stats import Estimate

_RESAMPLES = 1_000
_MOST_NUMBERS = 1 << 22  # drawn per group: 32 MB


def figures_of(exercises: Iterable[ExerciseScore], *, seed: int | None = None) -> Figures:
    """Return the figures of exercises, without intervals if there is no seed."""
    rows = [one for one in exercises if one.counted]
    if not rows:
        return Figures(0, 0, Estimate(), Estimate(), Estimate())
    if seed is None:
        means = (100 * sum(values) / len(rows) for values in zip(*map(_measures, rows), strict=True))
        return Figures(len(rows), sum(one.hit for one in rows), *(Estimate(mean) for mean in means))
    topics = {topic: place for place, topic in enumerate(dict.fromkeys(one.topic for one in rows))}
    sums = np.zeros((len(topics), 4))
    for one in rows:
        sums[topics[one.topic]] += (*_measures(one), 1)
    return Figures(len(rows), sum(one.hit for one in rows), *_estimates(sums, seed))


def _measures(one: ExerciseScore) -> tuple[float, float, float]:
    return one.hit, one.opp, one.opp_1based


def _estimates(sums: Floats, seed: int) -> Iterator[Estimate]:
    """Yield means in percent; `sums` has one row per topic: three sums and a count."""
    total = sums.sum(axis=0)
    drawn = _draws(len(sums), seed) @ sums
    ends = np.quantile(100 * drawn[:, :3] / drawn[:, 3:], [0.025, 0.975], axis=0)
    for value, low, high in zip(100 * total[:3] / total[3], *ends, strict=True):
        mean = float(value)
        yield (
            Estimate(mean, min(mean, float(low)), max(mean, float(high))) if len(sums) > 1 else Estimate(mean)
        )


@lru_cache(maxsize=4)
def _draws(topics: int, seed: int) -> Floats:
    """Return how often each topic was drawn, one row per resample; groups of the same size share them."""
    generator = np.random.Generator(np.random.Philox(seed))
    size = max(100, min(_RESAMPLES, _MOST_NUMBERS // topics))
    return generator.multinomial(topics, np.full(topics, 1 / topics), size=size).astype(np.float64)


def groups_of(
    exercises: Sequence[ExerciseScore], sets: Sequence[SetScore], *, seed: int
) -> tuple[Group, ...]:
    """Return the figures by sub-set, kind, part of speech, language, and presence of a multiword term."""
    kinds = {(one.digest, one.topic, one.language): one for one in sets}
    members: dict[tuple[str, str], list[ExerciseScore]] = {}
    for one in exercises:
        home = kinds[one.digest, one.topic, one.language]
        names = {
            "sub-set": str(one.subset),
            "kind": home.kind or "unknown",
            "part of speech": home.pos or "unknown",
            "language": one.language,
            "multiword": "multiword" if one.multiword else "single words",
        }
        for by, name in names.items():
            members.setdefault((by, name), []).append(one)
    order = {"sub-set": 0, "kind": 1, "part of speech": 2, "language": 3, "multiword": 4}
    return tuple(
        Group(by, name, len({(e.topic, e.language) for e in group}), figures_of(group, seed=seed))
        for (by, name), group in sorted(members.items(), key=lambda item: (order[item[0][0]], item[0][1]))
    )
