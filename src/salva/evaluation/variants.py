"""All ways of asking together: each axis as a whole, robust accuracy, and what the variance is due to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from salva.evaluation.comparison import CLEAN, PRESETS
from salva.evaluation.details import AxisResult
from salva.evaluation.exchange import Exchange
from salva.evaluation.settings import EvaluationSettings
from salva.pairs import VarianceShare, VariantScore, score_variants, share_variance


def measure_axes(exchange: Exchange, settings: EvaluationSettings) -> dict[str, Any]:
    """Return the fields of results about axes, robust accuracy and shares of the variance."""
    ways = _list_ways(exchange)
    return {
        "axes": tuple(
            AxisResult(axis, _name_ways(exchange, some), _score(exchange, some))
            for axis, some in ways.items()
            if axis != PRESETS
        ),
        "robust": _score(exchange, ways[PRESETS]) if PRESETS in ways else None,
        "variance": _share(exchange, ways, settings) if len(ways) > (PRESETS in ways) else (),
    }


def _list_ways(exchange: Exchange) -> dict[str, list[int]]:
    """Return the numbers of the conditions of every axis, and of the presets that keep the meaning.

    Crossed conditions are left out: in each of these, one thing varies.
    """
    ways: dict[str, list[int]] = {}
    for number, condition in enumerate(exchange.conditions):
        if condition.rewriting is None and condition.variant is not None:
            ways.setdefault(condition.variant.axis, []).append(number)
        elif condition.family == "meaning" and condition.has_edits:
            ways.setdefault(PRESETS, []).append(number)
    return ways


def _name_ways(exchange: Exchange, numbers: Sequence[int]) -> tuple[str, ...]:
    return (CLEAN, *(exchange.conditions[number].name for number in numbers))


def _score(exchange: Exchange, numbers: Sequence[int]) -> VariantScore:
    answers = exchange.answers
    return score_variants(
        answers.labels,
        [answers.clean, *(answers.after[number] for number in numbers)],
        asked=[None, *(answers.asked[number] for number in numbers)],
        scores=[answers.clean_scores, *(answers.scores[number] for number in numbers)],
        clusters=exchange.facts.clusters,
    )


def _share(
    exchange: Exchange, ways: dict[str, list[int]], settings: EvaluationSettings
) -> tuple[VarianceShare, ...]:
    """Return the shares over the rows that have a label and an answer in every way."""
    answers = exchange.answers
    chosen = [number for some in ways.values() for number in some]
    codes = np.stack([answers.clean, *(answers.after[number] for number in chosen)], axis=1)
    whole = (answers.labels >= 0) & (codes >= 0).all(axis=1)
    right = codes[whole] == answers.labels[whole, np.newaxis]
    places = {axis: [0, *(1 + chosen.index(number) for number in some)] for axis, some in ways.items()}
    return share_variance(right, places, clusters=exchange.facts.clusters[whole], seed=settings.seed)
