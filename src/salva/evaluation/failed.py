"""Texts without an answer: how many, in how many rows, and some of them with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from salva.evaluation.results import FailedText, FailedTexts
from salva.runs import Answer, RowGroup

CLEAN = "clean"  # the condition of a text before rewriting
_MOST_LISTED = 100
_NO_TEXT = "the row has no text"


class FailedCounter:
    """Counts the texts that got no answer, and lists the first in the order of rows."""

    def __init__(self, conditions: Sequence[str], reason: Callable[[bytes], str]) -> None:
        self._names, self._reason = (CLEAN, *conditions), reason
        self._texts = self._rows = 0
        self._listed: list[FailedText] = []

    def add(self, group: RowGroup, ids: Sequence[bytes | None], answers: Sequence[Answer | None]) -> None:
        """Add a group of rows: the ids of its texts and the answers, the clean ones first, then by condition.

        A row that is not asked about under a condition, although it has a text, has not failed there.
        """
        size = len(group)
        places = [
            (place % size, place // size)
            for place, answer in enumerate(answers)
            if answer is None and (ids[place] is not None or ids[place % size] is None)
        ]
        self._texts += len(places)
        self._rows += len({row for row, _ in places})
        for row, k in sorted(places)[: _MOST_LISTED - len(self._listed)]:
            name = ids[k * size + row]
            error = _NO_TEXT if name is None else self._reason(name)
            self._listed.append(FailedText(group.ids[row], self._names[k], error))

    def as_result(self) -> FailedTexts:
        """Return what was counted."""
        return FailedTexts(self._texts, self._rows, tuple(self._listed))
