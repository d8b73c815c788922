"""Classes: how many rows they have, how many are found before and after, and with what they are confused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from salva._types import Ints32
from salva.evaluation.details import ClassCount, ClassScore, ConditionClasses, Confusion
from salva.evaluation.exchange import Exchange
from salva.numbers import PairTable

_MOST_CLASSES = 50
_MOST_CONFUSIONS = 400  # per condition


def count_classes(exchange: Exchange) -> tuple[ClassCount, ...]:
    """Return the classes that rows have, with the labels of the model that stand for them."""
    codes, labels = exchange.answers.codes, exchange.answers.labels
    if not codes.has_classes:
        return ()
    counts = np.bincount(labels[labels >= 0], minlength=len(codes.names))
    mapped = sorted(codes.aligned.items())
    return tuple(
        ClassCount(name, int(rows), tuple(ours for ours, theirs in mapped if theirs == name))
        for name, rows in zip(codes.names, counts, strict=True)
        if rows
    )


def score_classes(exchange: Exchange) -> tuple[ConditionClasses, ...]:
    """Return the scores of every class under every condition, of the most frequent if there are very many."""
    answers, names = exchange.answers, exchange.answers.codes.names
    if not answers.codes.has_classes:
        return ()
    counts = np.bincount(answers.labels[answers.labels >= 0], minlength=len(names))
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CLASSES]
    chosen = [int(code) for code in np.sort(frequent) if counts[code]]
    found = []
    for condition, after, table in zip(
        exchange.conditions, answers.after, exchange.pair_tables(), strict=True
    ):
        scores = [
            _score(
                names[code],
                table.where(answers.labels == code),
                table.where(answers.clean == code),
                table.where(after == code),
            )
            for code in chosen
        ]
        confusions = _confusions(names, answers.labels, answers.clean, after)
        found.append(ConditionClasses(condition.name, tuple(scores), tuple(confusions)))
    return tuple(found) if chosen else ()


def _score(name: str, labelled: PairTable, before: PairTable, after: PairTable) -> ClassScore:
    """Return the score of a class, from the pairs that have it as label, or as answer before or after."""
    return ClassScore(
        label=name,
        n=labelled.n,
        recall_before=labelled.accuracy_before(),
        recall_after=labelled.accuracy_after(),
        drop=labelled.drop(),
        precision_before=before.accuracy_before(),
        precision_after=after.accuracy_after(),
    )


def _confusions(names: list[str], labels: Ints32, clean: Ints32, after: Ints32) -> Iterator[Confusion]:
    """Yield labels and answers that occur together, before or after, in the order of the classes."""
    whole = (labels >= 0) & (clean >= 0) & (after >= 0)
    before, later = (
        Counter(zip(labels[whole].tolist(), answers[whole].tolist(), strict=True))
        for answers in (clean, after)
    )
    both = before + later
    frequent = sorted(both, key=lambda pair: (-both[pair], pair))[:_MOST_CONFUSIONS]
    for label, answer in sorted(frequent):
        yield Confusion(names[label], names[answer], before[label, answer], later[label, answer])
