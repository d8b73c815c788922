"""How sure the model is of its answers, and of the right ones, before and after."""

from __future__ import annotations

import numpy as np

from salva._types import Bools, Floats, Ints64
from salva.evaluation.details import ConfidenceShift
from salva.evaluation.exchange import Exchange
from salva.numbers import Estimate, clustered_mean, sum_clusters


def measure_confidence(exchange: Exchange) -> tuple[ConfidenceShift, ...]:
    """Return the shift under every condition; nothing if the model gives no probabilities."""
    answers, clusters = exchange.answers, exchange.facts.clusters
    clean = answers.clean_probabilities
    found = []
    for condition, codes, after in zip(
        exchange.conditions, answers.after, answers.probabilities, strict=True
    ):
        if clean is None or after is None:
            continue
        both = ~np.isnan(clean) & ~np.isnan(after)
        known = both & (answers.labels >= 0) if answers.codes.is_binary else np.zeros(len(both), np.bool_)
        of_label = (
            np.where(answers.clean == answers.labels, clean, 1 - clean),
            np.where(codes == answers.labels, after, 1 - after),
        )
        found.append(
            ConfidenceShift(
                condition.name,
                int(both.sum()),
                *_means(clean, after, both, clusters),
                int(known.sum()),
                *_means(*of_label, known, clusters),
            )
        )
    return tuple(found)


def _means(
    before: Floats, after: Floats, among: Bools, clusters: Ints64
) -> tuple[Estimate, Estimate, Estimate]:
    """Return the means before and after, and the mean change, with intervals over clusters."""
    first, second, change = (
        clustered_mean(*sum_clusters(clusters[among], values[among]), least=least, extra=0)
        for values, least in ((before, 0), (after, 0), (after - before, -1))
    )
    return first, second, change
