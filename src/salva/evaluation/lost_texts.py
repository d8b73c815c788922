"""Texts that only one model loses, and texts that all lose; with their twins if a run has kept them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from salva._results import choose_evenly
from salva._types import Bools
from salva.evaluation.alignment import AlignedRuns
from salva.evaluation.comparison import CLEAN, LostText
from salva.evaluation.flips import show_question
from salva.evaluation.results import Flip
from salva.numbers import SeveralScores

_MOST = 10  # per model, and as many that all models lose


class _Place(NamedTuple):
    """A row lost under a condition, by one model or, if that is None, by all."""

    model: int | None
    condition: str
    row: int


def find_lost_texts(aligned: AlignedRuns, scores: Mapping[str, SeveralScores]) -> tuple[LostText, ...]:
    """Return some texts per model that it alone loses, then some that all lose, over all conditions.

    Rows whose twin was kept come first: they show what was edited.
    """
    finder = _Finder(aligned)
    places = []
    for model in range(len(aligned.runs)):
        places += finder.choose(model, {name: found.lost_alone(model) for name, found in scores.items()})
    places += finder.choose(None, {name: found.lost_by_all() for name, found in scores.items()})
    return tuple(finder.describe(places))


class _Finder:
    """Chooses rows of aligned runs, and reads their texts."""

    def __init__(self, aligned: AlignedRuns) -> None:
        self.aligned = aligned
        self.ids = aligned.ids
        self.flips: list[dict[tuple[str, str], Flip]] = [
            {(flip.condition, flip.id): flip for flip in run.flips} for run in aligned.runs
        ]

    def choose(self, model: int | None, lost: Mapping[str, Bools]) -> list[_Place]:
        groups = []
        for condition, rows in lost.items():
            places = [_Place(model, condition, int(row)) for row in np.flatnonzero(rows)]
            kept = [place for place in places if self.flip_of(place) is not None]
            groups.append(kept or places)
        chosen = [place for some in choose_evenly(groups, _MOST) for place in some]
        return sorted(chosen, key=lambda place: (list(lost).index(place.condition), place.row))

    def flip_of(self, place: _Place) -> Flip | None:
        """Return the flip that a run has kept of this row; that of the first run if all lose it."""
        return self.flips[place.model or 0].get((place.condition, self.ids[place.row]))

    def describe(self, places: Sequence[_Place]) -> Iterator[LostText]:
        aligned, texts = self.aligned, self.read_texts(places)
        for place in places:
            flip = self.flip_of(place)
            yield LostText(
                model=None if place.model is None else aligned.names[place.model],
                condition=place.condition,
                id=self.ids[place.row],
                label=aligned.vocabulary[aligned.labels[place.row]],
                text=texts.get(place.row),
                before=self.answers(CLEAN, place.row),
                after=self.answers(place.condition, place.row),
                twin=flip.text if flip else None,
                edits=flip.edits if flip else (),
            )

    def answers(self, name: str, row: int) -> dict[str, str]:
        answers = [self.aligned.vocabulary[code] for code in self.aligned.answers[name][:, row]]
        return dict(zip(self.aligned.names, answers, strict=True))

    def read_texts(self, places: Sequence[_Place]) -> dict[int, str]:
        """Return the texts of rows by number, if the first run has a folder."""
        run, rows = self.aligned.runs[0], sorted({place.row for place in places})
        if not rows or run.folder is None:
            return {}
        questions = run.questions
        clean = questions.about.condition(CLEAN)
        numbers = {int(self.aligned.places[0][row]): row for row in rows}
        found = questions.take(dict.fromkeys(numbers, (CLEAN,)), ["item", "parts", "options", "edits"])
        return {numbers[one["item"]]: show_question(questions.about, clean, one)[0] for one in found}
