"""Intervals, tests, corrections, clusters, agreement, ranks, audits; rates in percent, p from 0 to 1."""

from __future__ import annotations

from salva.stats.agreement import (
    above_guessing,
    alpha_interval,
    free_marginal_kappa,
    krippendorff_alpha,
    pairwise_agreement,
    pairwise_interval,
    tally,
)
from salva.stats.audited import audited_mean
from salva.stats.bootstrap import bootstrap_counts, bootstrap_rows
from salva.stats.clusters import clustered_mean, design_effect, sign_flip_clusters
from salva.stats.ranks import kendall_tau_b, rank
from salva.stats.rates import Estimate, newcombe, wilson
from salva.stats.significance import fewest_worse, holm, mcnemar, sign_flip, sign_flip_sums, with_holm

__all__ = [
    "Estimate",
    "above_guessing",
    "alpha_interval",
    "audited_mean",
    "bootstrap_counts",
    "bootstrap_rows",
    "clustered_mean",
    "design_effect",
    "fewest_worse",
    "free_marginal_kappa",
    "holm",
    "kendall_tau_b",
    "krippendorff_alpha",
    "mcnemar",
    "newcombe",
    "pairwise_agreement",
    "pairwise_interval",
    "rank",
    "sign_flip",
    "sign_flip_clusters",
    "sign_flip_sums",
    "tally",
    "wilson",
    "with_holm",
]
