"""All ways of asking together: each axis as a whole, and robust accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from salva.evaluation.comparison import CLEAN, PRESETS
from salva.evaluation.details import AxisResult
from salva.evaluation.exchange import Exchange
from salva.numbers import VariantScore, score_variants


def measure_axes(exchange: Exchange) -> dict[str, Any]:
    """Return the fields of results about axes and robust accuracy."""
    ways = _list_ways(exchange)
    return {
        "axes": tuple(
            AxisResult(axis, _name_ways(exchange, some), _score(exchange, some))
            for axis, some in ways.items()
            if axis != PRESETS
        ),
        "robust": _score(exchange, ways[PRESETS]) if PRESETS in ways else None,
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
