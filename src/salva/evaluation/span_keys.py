"""Spans that models find in twins are moved back to the original texts, where the targets are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from salva.errors import UsageError
from salva.evaluation.inputs import RowTwins
from salva.rows.columns import Entity
from salva.tasks import Expected, Task
from salva.tasks.labelled_spans import Spans, read_spans
from salva.transforms.backward import align_rows, move_back


def finds_spans(task: Task | None) -> bool:
    """Return whether the answers of a task are spans."""
    return task is not None and isinstance(task.answer, Spans)


def move_keys(keys: Sequence[Expected], twins: RowTwins) -> list[Expected]:
    """Return what the answers about twins are checked against: they are moved back first."""
    if twins.variant is not None and twins.variant.column is not None:
        raise UsageError("spans cannot follow a paraphrase, which has no edits; leave out the paraphrases")
    if not twins.columns:
        return list(keys)
    texts = twins.texts[0].to_pylist()
    rows = zip(keys, align_rows(twins.columns[0].alignment, len(keys)), texts, strict=True)
    return [
        key._replace(to_original=partial(move_back, own, _read_targets(key)), text=text or "")
        for key, own, text in rows
    ]


def _read_targets(key: Expected) -> list[Entity]:
    return (read_spans(key.targets[0]) or []) if key.targets else []
