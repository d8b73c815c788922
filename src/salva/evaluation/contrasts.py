"""Contrasts of a run: the model is asked about them, and its answers must change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salva._types import Bools, Ints32, Ints64
from salva.evaluation.answers import AnswerTable
from salva.evaluation.conditions import Contrast
from salva.evaluation.contrast_results import ContrastResult
from salva.evaluation.contrast_twins import ContrastMaker, ContrastTwins
from salva.evaluation.results import Flip
from salva.numbers import score_contrast
from salva.runs import Asker, RowGroup


class Contrasts:
    """Asks about the contrasts of all rows, and holds what comes back."""

    def __init__(self, maker: ContrastMaker, asker: Asker, answers: AnswerTable) -> None:
        self._maker, self._asker, self._answers = maker, asker, answers
        self.contrasts = maker.contrasts
        size = len(self.contrasts), len(answers.labels)
        self._after: Ints32 = np.full(size, -1, np.int32)
        self._edited, self._known, self._right = np.zeros((3, *size), np.bool_)
        self._edits = [0] * len(self.contrasts)

    def ask_all(self) -> None:
        """Ask about every row that a contrast edits."""
        if not self.contrasts:
            return
        self._asker.tracker.begin("asking about contrasts", "texts", self._edited.size)
        for group in self._maker.maker.rows:
            for k, contrast in enumerate(self.contrasts):
                self._ask(k, group, self._maker.make(contrast, group))

    def _ask(self, k: int, group: RowGroup, twins: ContrastTwins) -> None:
        answers = self._asker.answers(self._maker.inputs(group, twins))
        replies = [answer and answer.label for answer in answers]
        codes, place = self._answers.codes, slice(group.first, group.first + len(group))
        # Whether an answer changed is told by the key of the clean text, for both.
        self._after[k, place] = codes.grade(replies, self._maker.maker.find_keys(group)).codes
        self._edited[k, place] = twins.edited
        self._edits[k] += twins.twins.summary.edits
        known, right = self._check(replies, twins, self._after[k, place])
        self._known[k, place], self._right[k, place] = known & twins.edited, right

    def _check(self, replies: list[str | None], twins: ContrastTwins, after: Ints32) -> tuple[Bools, Bools]:
        """Return for which rows the new right answer is known, and which answers are it."""
        codes = self._answers.codes
        if not twins.keys:
            targets = codes.encode_labels(twins.labels)
            return targets >= 0, (targets >= 0) & (after == targets)
        known = np.array([key is not None and key.label is not None for key in twins.keys])
        right = np.zeros(len(known), np.bool_)
        for row in np.flatnonzero(known).tolist():
            key = twins.keys[row]
            if key is not None:
                graded = codes.grade([replies[row]], [key]).codes
                right[row] = graded[0] == codes.encode_labels([key.label])[0]
        return known, right

    def score(self, clusters: Ints64) -> Iterator[ContrastResult]:
        """Yield the numbers of every contrast."""
        before, labels = self._answers.clean, self._answers.labels
        for k, contrast in enumerate(self.contrasts):
            validity = contrast.transform.validity
            yield ContrastResult(
                name=contrast.name,
                preset=contrast.preset,
                severity=contrast.severity,
                replicate=contrast.replicate,
                score=score_contrast(
                    before,
                    self._after[k],
                    edited=self._edited[k],
                    known=self._known[k],
                    right_before=(before == labels) & (labels >= 0),
                    right_after=self._right[k],
                    clusters=clusters,
                ),
                edits=self._edits[k],
                validity=None if validity is None or validity.edits is None else validity.edits.rate,
                version=str(contrast.transform.version),
            )

    def find_unchanged(self, most: int) -> Iterator[Flip]:
        """Yield some pairs of every contrast whose answer stayed, evenly spaced over all of them."""
        for k, contrast in enumerate(self.contrasts):
            before = self._answers.clean
            same = np.flatnonzero(self._edited[k] & (before >= 0) & (self._after[k] == before))
            if len(same) > most:
                same = same[np.linspace(0, len(same) - 1, most).astype(np.int64)] if most else same[:0]
            if len(same):
                yield from self._show(contrast, same)

    def _show(self, contrast: Contrast, rows: Ints64) -> Iterator[Flip]:
        maker, decode = self._maker.maker, self._answers.codes.decode
        group = maker.rows.rows(rows.tolist())
        shown = maker.show(group, self._maker.make(contrast, group).twins)
        answers = decode(self._answers.clean[rows])
        labels = decode(self._answers.labels[rows])
        for row, name, label, answer, twin in zip(
            rows.tolist(), group.ids, labels, answers, shown, strict=True
        ):
            yield Flip(row, name, contrast.name, label, answer or "", answer or "", twin.text, twin.edits)
