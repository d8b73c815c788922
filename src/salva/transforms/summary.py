"""What a transform did, in numbers: the edits, and their share of the words that could have been edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from salva._show import number_of
from salva.edits.chunk import RULES
from salva.text.tagger import CLASSES

_NO_RULES = (0,) * len(RULES)
_NO_CLASSES = ((0, 0, 0),) * len(CLASSES)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over rows; summaries can be added.

    A word is eligible if the preset could have edited it. `classes` has the words, eligible words and edits
    per part of speech, if the preset uses parts of speech.
    """

    rows: int = 0
    rows_without_eligible: int = 0
    rows_edited: int = 0
    eligible: int = 0
    rules: tuple[int, ...] = field(default=_NO_RULES)
    classes: tuple[tuple[int, int, int], ...] = field(default=_NO_CLASSES)

    @property
    def edits(self) -> int:
        """How many words were edited."""
        return sum(self.rules)

    @property
    def rate(self) -> float | None:
        """The share of the eligible words that were edited; None if no word was eligible."""
        return _share(self.edits, self.eligible)

    def __add__(self, other: Summary) -> Summary:
        """Return the summary of the rows of both."""
        return Summary(
            self.rows + other.rows,
            self.rows_without_eligible + other.rows_without_eligible,
            self.rows_edited + other.rows_edited,
            self.eligible + other.eligible,
            tuple(a + b for a, b in zip(self.rules, other.rules, strict=True)),
            tuple(map(tuple, np.add(self.classes, other.classes).tolist())),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        by_rule = {
            name: {"edits": count, "rate": _share(count, self.eligible)}
            for name, count in zip(RULES, self.rules, strict=True)
            if count
        }
        by_pos = {
            name: {"words": words, "eligible": eligible, "edits": edits, "rate": _share(edits, eligible)}
            for name, (words, eligible, edits) in zip(CLASSES, self.classes, strict=True)
            if words
        }
        counts = {name: getattr(self, name) for name in ("rows", "rows_without_eligible", "rows_edited")}
        rest = {"eligible": self.eligible, "edits": self.edits, "rate": self.rate, "by_rule": by_rule}
        return counts | rest | ({"by_pos": by_pos} if by_pos else {})

    def __str__(self) -> str:
        """Return everything on one line."""
        if not self.eligible:
            share = 100 * self.rows_without_eligible / max(self.rows, 1)
            return f"0 edits; 0 eligible words in {share:g} % of rows"
        rules = ", ".join(f"{name} {count:,}" for name, count in zip(RULES, self.rules, strict=True) if count)
        edits, rows = number_of(self.edits, "edit"), number_of(self.rows_edited, "row")
        line = f"{edits} in {rows}, {self.rate:.1%} of the eligible words"
        return f"{line} ({rules})" if rules else line


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
