"""The mean of valid rows, if only some rows were audited for validity.

Rows of one kind have the same value. Their number is known for every kind; how many of them are valid is
known only as far as they were audited. The estimate is the post-stratified one, which is also the maximum of
the likelihood: each kind counts with the share of its audited rows that are valid.

How often 95 % intervals contain the true value is measured in `tests/stats/test_audited.py`; docs/numbers.md
has the figures. The difference estimator (the mean of all rows, less what the audited invalid ones add to it)
covers as well, but with many invalid rows its interval is twice as wide: it does not use how many rows of
each kind there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from salva._types import Floats
from salva.errors import UsageError
from salva.stats.bootstrap import between
from salva.stats.rates import Estimate

_JEFFREYS = 0.5  # rows added to the valid and to the invalid ones of each kind, for the interval


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

    There is one entry per kind of row: its value, how many rows are valid without doubt, how many others
    there are, how many of those were audited, and how many of the audited ones are invalid. Audited rows must
    be a random choice of the doubtful ones. A kind of which none was audited gets the rate of all audited
    rows. In every resample, rows are drawn as in `bootstrap_counts`, and each kind's rate of invalid rows
    from its posterior under Jeffreys' prior. `pseudo_counts` are added to the doubtful rows to draw from. If
    rows are not independent, fewer of them are drawn, as many as `design_effect` leaves.

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
    drawn = _mean(value, drawn_sure + drawn_open * (1 - drawn_rates))
    return between(float(_mean(value, certain + open_ * (1 - rates))), drawn, level)


def _mean(values: Floats, weights: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # nothing is valid: the mean is not a number
        mean: Floats = (values * weights).sum(axis=-1) / weights.sum(axis=-1)
    return mean
