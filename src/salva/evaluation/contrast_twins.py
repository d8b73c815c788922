"""Rows and their contrasts: one edit per row, the inputs for the model, and the new right answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from salva._arguments import argument
from salva._arrow import Strings
from salva._types import Bools
from salva.errors import UsageError
from salva.evaluation.conditions import Contrast
from salva.evaluation.inputs import RowTwins, TwinMaker
from salva.evaluation.settings import EvaluationSettings
from salva.models import Text, text_id
from salva.runs import RowGroup
from salva.tasks import Expected
from salva.tasks.choices import Row
from salva.transforms import Protected, RowSpans, Twins

_MOST_LABELS = 12  # in a message


def check_opposites(settings: EvaluationSettings, labels: Iterable[str]) -> None:
    """Refuse opposite labels that the data does not have."""
    known = list(labels)
    for label in settings.opposites:
        if label not in known:
            name = argument("contrast_labels", flag="--contrast-label")
            listed = ", ".join(map(repr, known[:_MOST_LABELS])) or "none"
            raise UsageError(f"{name}: the data has no label {label!r}; its labels are {listed}")


class ContrastTwins(NamedTuple):
    """Some rows under a contrast: their twins, which of them were edited, and their new keys or labels."""

    twins: RowTwins
    edited: Bools
    keys: list[Expected | None]
    labels: list[str | None]

    @property
    def targets(self) -> list[tuple[str, ...]]:
        """The new right answers of every row; none if it was not edited, or they do not follow."""
        if self.keys:
            return [() if key is None else key.targets for key in self.keys]
        rows = zip(self.labels, self.edited.tolist(), strict=True)
        return [(label,) if done and label is not None else () for label, done in rows]


class ContrastMaker:
    """Makes the contrasts of rows."""

    def __init__(self, maker: TwinMaker, settings: EvaluationSettings, threads: int | None = None) -> None:
        self.maker, self.contrasts, self._threads = maker, settings.contrasts, threads
        self._task, self._columns = settings.task, settings.rewritten_columns
        self._opposites = settings.opposites

    def make(self, contrast: Contrast, group: RowGroup) -> ContrastTwins:
        """Return some rows under a contrast."""
        rows = self.maker.list_rows(group)
        edited, columns = np.zeros(len(group), np.bool_), []
        for place, column in enumerate(self._columns):
            texts = group.texts[column]
            twins = contrast.transform.transform(
                texts,
                seed=contrast.seed,
                severity=contrast.severity,
                replicate=contrast.replicate,
                protected=self._protect(place, rows, texts, edited),
                threads=self._threads,
            )
            edited[twins.edits["row"].to_numpy()] = True
            columns.append(twins)
        keys = [self._find_key(contrast, row, k, columns) for k, row in enumerate(rows)]
        labels = [self._find_label(contrast, label) for label in group.labels]
        kept = [key if done else None for key, done in zip(keys, edited, strict=True)] if rows else []
        return ContrastTwins(make_row_twins(columns), edited, kept, labels)

    def _protect(self, place: int, rows: Sequence[Row], texts: Strings, edited: Bools) -> Protected:
        """Return what a contrast leaves alone in a column: all of it in rows that have their edit."""
        if self._task is None:
            return None
        name = self._task.edit[place]
        spans = [
            [(0, len(text or ""))] if done else self._task.contrast_protected(name, row)
            for row, text, done in zip(rows, texts.array.to_pylist(), edited, strict=True)
        ]
        return RowSpans.of(texts, spans)

    def _find_key(
        self, contrast: Contrast, row: Row, number: int, columns: Sequence[Twins]
    ) -> Expected | None:
        """Return what the answer to a row's contrast is checked against; None if that does not follow."""
        if self._task is None:
            return None
        if contrast.flips_answers and self._task.contrast.opposites:
            return self._task.expect_opposite(row)
        for name, twins in zip(self._task.edit, columns, strict=True):
            table = twins.edits.filter(twins.edits["row"].to_numpy() == number)
            edits = list(zip(*(table[key].to_pylist() for key in ("start", "end", "new")), strict=True))
            if edits:
                return self._task.expect_edited(name, row, edits)
        return None

    def _find_label(self, contrast: Contrast, label: str | None) -> str | None:
        return self._opposites.get(label) if label is not None and contrast.flips_answers else None

    def inputs(self, group: RowGroup, twins: ContrastTwins) -> list[Text | None]:
        """Return the edited rows as inputs of the model; None for the others."""
        texts = self.maker.twin_inputs(group, twins.twins)
        return [text if done else None for text, done in zip(texts, twins.edited, strict=True)]

    def distinct_texts(self) -> Iterator[Text]:
        """Yield every text that the model is asked about, those of contrasts last."""
        seen: set[bytes] = set()
        for text in self.maker.distinct_texts():
            seen.add(text_id(text))
            yield text
        for group in self.maker.rows:
            for contrast in self.contrasts:
                for twin in self.inputs(group, self.make(contrast, group)):
                    if twin is not None and (name := text_id(twin)) not in seen:
                        seen.add(name)
                        yield twin


def make_row_twins(columns: Sequence[Twins]) -> RowTwins:
    """Return twins column by column."""
    return RowTwins(tuple(one.column for one in columns), tuple(columns), None)
