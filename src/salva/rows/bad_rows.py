"""What to do with a row that cannot be read as it is: fail, keep what can be repaired, or drop it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from salva._arguments import argument
from salva.errors import InputError

OnBadRow: TypeAlias = Literal["fail", "keep", "drop"]
Numbering: TypeAlias = Literal["line", "row"]


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that was repaired or rejected, and why."""

    place: int
    problem: str
    kept: bool


@dataclass(slots=True)
class BadRows:
    """Counts bad rows and lists the first of them; with `fail`, the first bad row is an error.

    `keep` replaces bytes that are not text with U+FFFD and fills missing cells with empty ones. Rows that
    cannot be repaired (too many cells, broken JSON) are rejected by `keep` as well as by `drop`.
    """

    name: str
    policy: OnBadRow = "fail"
    numbered_by: Numbering = "line"
    repaired: int = 0
    rejected: int = 0
    listed: list[BadRow] = field(default_factory=list)

    MOST_LISTED = 1000

    def accepts(
        self, place: int, problem: str, *, repairable: bool = False, by: Numbering | None = None
    ) -> bool:
        """Record a bad row; return whether its repaired form stays in the data."""
        if self.policy == "fail":
            remedy = f"to go on, pass {argument('on_bad_row', 'keep')} or drop"
            raise self.error(place, f"{problem}; {remedy}", by)
        kept = repairable and self.policy == "keep"
        self.repaired += kept
        self.rejected += not kept
        if len(self.listed) < self.MOST_LISTED:
            self.listed.append(BadRow(place, problem, kept))
        return kept

    def error(self, place: int, problem: str, by: Numbering | None = None) -> InputError:
        """Return the error for a problem at a line or row."""
        if (by or self.numbered_by) == "line":
            return InputError.at(self.name, place, problem)
        return InputError.at(self.name, None, f"row {place}: {problem}")
