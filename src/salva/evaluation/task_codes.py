"""Answers to the questions of a task as codes: the same answer, the same code; unparsed replies apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from salva._types import Ints32
from salva.evaluation.answers import Graded, LabelCodes
from salva.numbers import UNPARSED
from salva.tasks import Key, Task


class TaskCodes(LabelCodes):
    """Codes of answers that a task finds in replies."""

    def __init__(self, task: Task) -> None:
        super().__init__(task.labels, {})
        self._task, self.has_classes = task, task.answer.has_classes
        task.answer.prepare()

    def align(self, model_labels: Iterable[str]) -> None:
        """Do nothing: a reply may be any text."""

    def encode_labels(self, labels: Sequence[str | None]) -> Ints32:
        """Return the codes of right answers."""
        return np.fromiter(
            (-1 if label is None else self._code(label) for label in labels), np.int32, len(labels)
        )

    def grade(self, labels: Sequence[str | None], keys: Sequence[Key] | None) -> Graded:
        """Return the codes of the answers in replies, and their scores if the task gives partial ones."""
        codes = np.full(len(labels), -1, np.int32)
        scores = np.full(len(labels), math.nan) if self._task.answer.is_graded else None
        for k, (reply, key) in enumerate(zip(labels, keys or (), strict=True)):
            if reply is None:
                continue
            grade = self._task.grade(reply, key)
            codes[k] = UNPARSED if grade is None else self._code(grade.answer)
            if scores is not None and grade is not None and grade.score is not None:
                scores[k] = grade.score
        return Graded(codes, scores)
