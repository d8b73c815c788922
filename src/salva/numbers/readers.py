"""What people's answers say: how far they agree, and what twins score if only those they call valid count.

Functions about agreement take counts, one unit per row and one category per column: how many annotators
chose it. Units with fewer than two answers say nothing about agreement and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Bools, Floats, Ints, Ints64
from salva.errors import UsageError
from salva.numbers.intervals import Estimate, between, bootstrap_rows, wilson
from salva.numbers.pair_scores import as_codes
from salva.numbers.statistics import Statistic

_JEFFREYS = 0.5  # rows added to the valid and to the invalid ones of each kind, for the interval


def tally(annotators: Sequence[Sequence[Hashable | None]]) -> Ints64:
    """Return the counts of answers, given one sequence per annotator; None is a missing answer.

    There is one column per distinct answer, in order of first appearance.

    >>> tally([["a", "b", None], ["a", "a", "b"]])
    array([[2, 0],
           [1, 1],
           [0, 1]])
    """
    lengths = {len(answers) for answers in annotators}
    if len(lengths) > 1:
        raise UsageError(f"annotators have {sorted(lengths)!r} answers; give None for a missing one")
    seen = dict.fromkeys(answer for answers in annotators for answer in answers if answer is not None)
    units = zip(*annotators, strict=True)
    counts = [[unit.count(answer) for answer in seen] for unit in units]
    return np.array(counts, np.int64).reshape(max(lengths, default=0), len(seen))


def pairwise_agreement(counts: ArrayLike) -> float | None:
    """Return how often two annotators of a unit agree, in percent, as the mean over units (Fleiss 1971).

    >>> pairwise_agreement([[2, 0], [1, 1]])
    50.0
    """
    return pairwise_interval(counts).value


def pairwise_interval(counts: ArrayLike) -> Estimate:
    """Return pairwise agreement with its interval: Wilson's over units, each of which counts as a share.

    With two annotators, it is the interval of the share of units on which they agree. A bootstrap of few
    units, or of units that all agree equally, would be too narrow.

    >>> pairwise_interval([[2, 0], [0, 2]]).low > 30
    True
    """
    paired, answers = _pairable(counts)
    shares = (paired * (paired - 1)).sum(axis=1) / (answers * (answers - 1))
    return wilson(float(shares.sum()), len(shares))


def above_guessing(agreement: float, q: int = 9) -> float:
    """Return an agreement in percent, rescaled so that guessing among `q` categories is 0 and perfect is 1.

    >>> above_guessing(100.0), above_guessing(0.0, q=2)
    (1.0, -1.0)
    """
    return (agreement / 100 - 1 / q) / (1 - 1 / q)


def krippendorff_alpha(counts: ArrayLike) -> float | None:
    """Return Krippendorff's alpha for nominal data; not every annotator needs to answer every unit.

    None if nothing could differ: no unit has two answers, or all answers are the same category.

    >>> krippendorff_alpha(tally([["a", "b", "a", "b"], ["a", "b", "a", None]]))
    1.0
    """
    paired, answers = _pairable(counts)
    n = float(answers.sum())
    totals = paired.sum(axis=0)
    expected = n * n - float((totals * totals).sum())
    if expected == 0:
        return None
    disagreeing = (answers * answers - (paired * paired).sum(axis=1)) / (answers - 1)
    return float(1 - (n - 1) * disagreeing.sum() / expected)


def alpha_interval(counts: ArrayLike) -> Estimate:
    """Return Krippendorff's alpha with a bootstrap over units; no interval if all resamples are equal.

    >>> alpha_interval([[2, 0], [0, 2]])
    Estimate(value=1.0, low=None, high=None)
    """
    table = np.asarray(counts)

    def statistic(rows: Ints) -> float:
        value = krippendorff_alpha(table[rows])
        return math.nan if value is None else value

    alpha = bootstrap_rows(len(table), statistic)
    return Estimate(alpha.value) if alpha.low == alpha.high else alpha


def _pairable(counts: ArrayLike) -> tuple[Floats, Floats]:
    """Return the units with two or more answers, and how many each has."""
    table = np.asarray(counts, dtype=np.float64)
    answers = table.sum(axis=-1)
    return table[answers >= 2], answers[answers >= 2]


def audited_mean(
    values: ArrayLike,
    sure: ArrayLike,
    doubtful: ArrayLike,
    audited: ArrayLike,
    invalid: ArrayLike,
    *,
    pseudo_counts: ArrayLike = 0.0,
    design_effect: float = 1.0,
    resamples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """Return the mean value of the valid rows, with an interval for both samples: the rows, and the audit.

    There is one entry per kind of row, whose rows have the same value: its value, how many rows are valid
    without doubt, how many others there are, how many of those were audited, and how many of the audited ones
    are invalid. Audited rows must be a random choice of the doubtful ones. A kind of which none was audited
    gets the rate of all audited rows.

    The estimate is the post-stratified one, which is also the maximum of the likelihood: each kind counts
    with the share of its audited rows that are valid. In every resample, rows are drawn as in
    `bootstrap_counts`, and each kind's rate of invalid rows from its posterior under Jeffreys' prior.
    `pseudo_counts` are added to the doubtful rows to draw from. If rows are not independent, fewer of them
    are drawn, as many as `design_effect` leaves.

    How often 95 % intervals contain the true value is measured in `tests/numbers/test_readers.py`;
    docs/numbers.md has the figures. The difference estimator (the mean of all rows, less what the audited
    invalid ones add to it) covers as well, but with many invalid rows its interval is twice as wide: it does
    not use how many rows of each kind there are.

    >>> audited_mean([0, 100], [0, 0], [80, 20], [8, 4], [0, 2]).value
    11.11111111111111
    """
    value, certain, open_, seen, bad = (
        np.asarray(column, dtype=np.float64) for column in (values, sure, doubtful, audited, invalid)
    )
    if (bad > seen).any() or (seen > open_).any():
        raise UsageError("invalid rows must be audited ones, and audited rows doubtful ones")
    if not seen.sum():
        return Estimate()
    rates = np.where(seen > 0, bad / np.maximum(seen, 1), bad.sum() / seen.sum())
    generator = np.random.Generator(np.random.Philox(seed))
    extra = design_effect * np.asarray(pseudo_counts, dtype=np.float64)
    weights = np.concatenate([certain, open_ + extra])
    independent = max(1, int((certain + open_).sum() / design_effect))
    rows = generator.multinomial(independent, weights / weights.sum(), size=resamples)
    drawn_sure, drawn_open = np.split(rows, 2, axis=1)
    drawn_rates = generator.beta(bad + _JEFFREYS, seen - bad + _JEFFREYS, size=(resamples, len(value)))

    def mean(valid: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # nothing is valid: the mean is not a number
            return np.asarray((value * valid).sum(axis=-1) / valid.sum(axis=-1))

    drawn = mean(drawn_sure + drawn_open * (1 - drawn_rates))
    return between(float(mean(certain + open_ * (1 - rates))), drawn, level)


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
