"""Intervals, exact tests for pairs, and the correction for many of them; rates in percent, p from 0 to 1."""

from __future__ import annotations

from salva.stats.bootstrap import bootstrap_counts, bootstrap_rows
from salva.stats.estimate import Estimate
from salva.stats.exact import mcnemar, sign_flip
from salva.stats.holm import holm
from salva.stats.rates import newcombe, wilson

__all__ = [
    "Estimate",
    "bootstrap_counts",
    "bootstrap_rows",
    "holm",
    "mcnemar",
    "newcombe",
    "sign_flip",
    "wilson",
]
