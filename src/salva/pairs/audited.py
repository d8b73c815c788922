"""Scores of the valid twins: what a condition costs if twins that readers judged invalid do not count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Bools, Ints
from salva.pairs.codes import as_codes
from salva.pairs.statistics import Statistic
from salva.stats import Estimate, audited_mean, wilson


@dataclass(frozen=True, slots=True)
class AuditedScore:
    """The numbers of the valid twins of a condition, estimated from those that were read."""

    items: Annotated[int, Statistic("twins that were read")]
    readers: Annotated[int, Statistic("people who read them")]
    invalid: Annotated[Estimate, Statistic("invalid twins among those read")]
    accuracy_before: Annotated[Estimate, Statistic("right answers to the clean texts of valid twins")]
    accuracy_after: Annotated[Estimate, Statistic("right answers to valid twins")]
    drop: Annotated[Estimate, Statistic("accuracy before minus after, over valid twins")]
    consistency: Annotated[Estimate, Statistic("how often valid twins get the answer of their original")]


def score_audited(
    labels: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    changed: ArrayLike,
    verdicts: ArrayLike,
    *,
    readers: int,
    design_effect: float = 1.0,
    seed: int = 0,
    resamples: int = 10_000,
) -> AuditedScore:
    """Return the numbers of the valid twins.

    Labels and answers are codes, -1 for none. `changed` is 1 for a twin that differs from its original, else
    0: an unchanged twin is valid. `verdicts` are 1 for a valid twin, 0 for an invalid one, -1 for one that
    was not read; the twins that were read must be a random choice of the changed ones. If rows are
    not independent, `design_effect` is that of their drop.

    >>> score_audited([0] * 4, [0] * 4, [1, 1, 0, 0], [1] * 4, [0, 1, 1, 1], readers=1).drop.value
    33.333333333333336
    """
    label, first, second, edited, verdict = as_codes(
        labels=labels, before=before, after=after, changed=changed, verdicts=verdicts
    )
    answered = (first >= 0) & (second >= 0)
    labelled = answered & (label >= 0)
    right = 2 * (first == label) + (second == label)  # wrong twice, only after, only before, right twice
    same = (first == second).astype(np.int64)
    draws: dict[str, Any] = {"seed": seed, "resamples": resamples, "design_effect": design_effect}

    def mean(kinds: Ints, among: Bools, values: list[float], pseudo_counts: list[float]) -> Estimate:
        def count(rows: Bools) -> Ints:
            return np.bincount(kinds[rows & among], minlength=len(values))

        unchanged, read = edited < 1, (edited > 0) & (verdict >= 0)
        counts = map(count, (unchanged, ~unchanged, read, read & (verdict == 0)))
        return audited_mean(values, *counts, pseudo_counts=pseudo_counts, **draws)

    # As for the drop of all pairs, the interval is drawn with one more pair that changed in each direction.
    flips = [0.0, 1.0, 1.0, 0.0]
    read = int((verdict >= 0).sum())
    return AuditedScore(
        items=read,
        readers=readers,
        invalid=wilson(int((verdict == 0).sum()), read),
        accuracy_before=mean(right, labelled, [0, 0, 100, 100], flips),
        accuracy_after=mean(right, labelled, [0, 100, 0, 100], flips),
        drop=mean(right, labelled, [0, -100, 100, 0], flips),
        consistency=mean(same, answered, [0, 100], [1.0, 1.0]),
    )
