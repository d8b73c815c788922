"""Entities of a run: their precision, recall and F1, over all labels and by label."""

from __future__ import annotations

import json
from collections.abc import Hashable

from salva._types import Ints32
from salva.evaluation.exchange import Exchange
from salva.evaluation.results import LabelEntities
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.span_keys import finds_spans
from salva.numbers import EntityScore, score_entities

Entities = frozenset[Hashable] | None


def score_condition(exchange: Exchange, k: int, settings: EvaluationSettings) -> EntityScore | None:
    """Return the numbers of the entities under a condition; None if the answers are not spans."""
    if not finds_spans(settings.task):
        return None
    answers = exchange.answers
    columns = (_decode(exchange, codes) for codes in (answers.labels, answers.clean, answers.after[k]))
    return score_entities(*columns, clusters=exchange.facts.clusters, seed=settings.seed)


def score_labels(exchange: Exchange, settings: EvaluationSettings) -> tuple[LabelEntities, ...]:
    """Return the same for the entities of every label."""
    if not finds_spans(settings.task):
        return ()
    answers, found = exchange.answers, []
    targets, clean = (_decode(exchange, codes) for codes in (answers.labels, answers.clean))
    labels = sorted({entity[2] for row in targets if row for entity in row})  # type: ignore[index]
    for condition, codes in zip(exchange.conditions, answers.after, strict=True):
        after = _decode(exchange, codes)
        for label in labels:
            rows = ([_only(row, label) for row in column] for column in (targets, clean, after))
            score = score_entities(*rows, clusters=exchange.facts.clusters, seed=settings.seed)
            found.append(LabelEntities(condition.name, label, score))
    return tuple(found)


def _decode(exchange: Exchange, codes: Ints32) -> list[Entities]:
    names = exchange.answers.codes.names
    read: list[Entities] = [frozenset(tuple(span) for span in json.loads(name)) for name in names]
    return [read[code] if code >= 0 else None for code in codes.tolist()]


def _only(row: Entities, label: str) -> Entities:
    return None if row is None else frozenset(entity for entity in row if entity[2] == label)  # type: ignore[index]
