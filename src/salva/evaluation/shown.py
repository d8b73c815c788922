"""Twins as people see them: the text or the whole question, with the edits where they are in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from salva.evaluation.results import Edit
from salva.tasks import Question
from salva.transforms import Twins

Moves: TypeAlias = Sequence[tuple[int, int]]
"""How far the parts of a value are moved: where each begins, ascending, and by how much."""


class ShownTwin(NamedTuple):
    """A twin as people see it, with its edits; `places` has the column of each edit and where that begins.

    `values` are the rewritten columns themselves. `original` is the clean text, if the edits do not show it.
    """

    text: str
    edits: tuple[Edit, ...]
    values: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    original: str | None = None

    def beside(self, original: str) -> ShownTwin:
        """Return the twin with the clean text, if that is another one."""
        return self if original == self.text else self._replace(original=original)


def show_question(
    question: Question,
    values: tuple[str, ...],
    edits: Sequence[tuple[Edit, ...]],
    names: Sequence[str],
    moves: Sequence[Moves],
) -> ShownTwin:
    """Return a question with its edits where they are in it, in the order of its text.

    `values`, `edits`, `names` and `moves` belong to the rewritten columns.
    """
    starts = [question.starts[name] for name in names]
    placed = sorted(
        (edit.start + place, column, place, edit)
        for column, some in enumerate(edits)
        for edit in some
        for place in [starts[column] + _move(edit.start, moves[column])]
    )
    return ShownTwin(
        question.prompt.text,
        tuple(edit.moved(place) for _, _, place, edit in placed),
        values,
        tuple((column, place) for _, column, place, _ in placed),
    )


def _move(position: int, moves: Moves) -> int:
    return next((by for start, by in reversed(moves) if start <= position), 0)


def list_edits(twins: Twins, rows: int) -> list[tuple[Edit, ...]]:
    """Return the edits of every row."""
    by_row: list[list[Edit]] = [[] for _ in range(rows)]
    names = ("row", "new_start", "new_end", "old", "new", "rule")
    for row, start, end, old, new, rule in zip(
        *(twins.edits[name].to_pylist() for name in names), strict=True
    ):
        by_row[row].append(Edit(start, end, old, new, rule, blamed=False))
    return [tuple(edits) for edits in by_row]
