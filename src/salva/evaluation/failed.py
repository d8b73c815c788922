"""Texts without an answer: how many, in how many rows, and some of them with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from salva.evaluation.results import FailedText, FailedTexts
from salva.models import Text
from salva.runs import Answer, RowGroup

CLEAN = "clean"  # the condition of a text before rewriting
_MOST_LISTED = 100
_NO_TEXT = "the row has no text"


class FailedCounter:
    """Counts the texts that got no answer, and lists the first in the order of rows."""

    def __init__(self, conditions: Sequence[str], reason: Callable[[Text], str]) -> None:
        self._names, self._reason = (CLEAN, *conditions), reason
        self._texts = self._rows = 0
        self._listed: list[FailedText] = []

    def add(
        self, group: RowGroup, inputs: Sequence[Sequence[Text | None]], answers: Sequence[Answer | None]
    ) -> None:
        """Add a group of rows: the inputs of every condition, the clean ones first, and all their answers."""
        size = len(group)
        places = [(place % size, place // size) for place, answer in enumerate(answers) if answer is None]
        self._texts += len(places)
        self._rows += len({row for row, _ in places})
        for row, k in sorted(places)[: _MOST_LISTED - len(self._listed)]:
            text = inputs[k][row]
            error = _NO_TEXT if text is None else self._reason(text)
            self._listed.append(FailedText(group.ids[row], self._names[k], error))

    def as_result(self) -> FailedTexts:
        """Return what was counted."""
        return FailedTexts(self._texts, self._rows, tuple(self._listed))
