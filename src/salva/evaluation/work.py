"""The work of a run: ask the model about every text and its twins, then measure noise, flips and blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import pyarrow as pa

from salva.evaluation.answered import Answered
from salva.evaluation.blame import Case, Finding, blame_of
from salva.evaluation.classes import Classes
from salva.evaluation.flips import find_flips
from salva.evaluation.results import Blame, Flip
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.stopwatch import Stopwatch
from salva.evaluation.tasks import Task
from salva.models import Text, text_id
from salva.runs import Asker, Noise, Purpose, RowGroup, RunRows, Sample, count_noise
from salva.transforms import Twins

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Work:
    """The rows, the conditions, and a model to ask."""

    kept: RunRows
    tasks: Sequence[Task]
    settings: EvaluationSettings
    watch: Stopwatch
    threads: int | None = None

    def ask_all(self, asker: Asker, classes: Classes, progress: Progress) -> tuple[Answered, Noise]:
        """Ask about all rows under all conditions, group by group; then ask about some of them again."""
        answered = Answered.empty(classes, len(self.kept), len(self.tasks))
        sample = Sample(self.settings.noise)
        with self.watch("read"):
            for group in self.kept:
                self._ask_group(group, asker, answered, sample)
                progress(group.first + len(group))
        return answered, self._noise(asker, answered.classes, sample.texts())

    def distinct_texts(self) -> Iterator[Text]:
        """Yield every text that `ask_all` would ask about, once."""
        seen: set[bytes] = set()
        for group in self.kept:
            twins = (self._twin_inputs(group, twins) for twins in self._made(group))
            for text in chain(_inputs(group.texts), *twins):
                if text is not None and (name := text_id(text)) not in seen:
                    seen.add(name)
                    yield text

    def _ask_group(self, group: RowGroup, asker: Asker, answered: Answered, sample: Sample) -> None:
        with self.watch("transform"):
            made = list(self._made(group))
            for k, twins in enumerate(made):
                answered.edits[k] += twins.summary
            clean = _inputs(group.texts)
            texts = [clean, *(self._twin_inputs(group, twins) for twins in made)]
        with self.watch("store"):
            flat = asker.answers([text for some in texts for text in some])
            answered.fill_clean(group.first, group.labels, flat[: len(group)])
            for k in range(len(made)):
                answered.fill(k, group.first, flat[(k + 1) * len(group) : (k + 2) * len(group)])
            for text in clean:
                if text is not None:
                    sample.offer(text)

    def _made(self, group: RowGroup) -> Iterator[Twins]:
        for task in self.tasks:
            yield task.twins(group.texts[self.settings.transformed_column], threads=self.threads)

    def _twin_inputs(self, group: RowGroup, twins: Twins) -> list[Text | None]:
        columns = list(group.texts)
        columns[self.settings.transformed_column] = twins.column
        return _inputs(columns)

    def _noise(self, asker: Asker, classes: Classes, texts: list[Text]) -> Noise:
        with self.watch("store"):
            _, *answers = asker.rerun(texts, alone=self.settings.alone)
        return count_noise(*map(classes.answers, answers))

    def flips(self, answered: Answered) -> list[Flip]:
        """Return some flips of every condition."""
        column, most = self.settings.transformed_column, self.settings.flips
        with self.watch("flips"):
            return [
                flip
                for k, task in enumerate(self.tasks)
                for flip in find_flips(task, k, answered, self.kept, most=most, column=column)
            ]

    def blame(self, asker: Asker, answered: Answered, flips: list[Flip]) -> tuple[list[Flip], Blame]:
        """Find the edits to blame for flips, and mark them."""
        by_name = {task.name: task for task in self.tasks}
        places = [k for k, flip in enumerate(flips) if by_name[flip.condition].severity is not None]
        cases = [Case(flips[k], by_name[flips[k].condition].spliced) for k in places]

        def comes_back(asked: list[tuple[Case, str]]) -> list[bool]:
            texts = self._beside([(case.flip.row, text) for case, text in asked])
            answers = [one and one.label for one in asker.answers(texts, purpose=Purpose.BLAME)]
            codes = answered.classes.answers(answers)
            return [
                bool(code >= 0 and answered.classes.name(int(code)) == case.flip.before)
                for code, (case, _) in zip(codes, asked, strict=True)
            ]

        with self.watch("blame"):
            findings, blame = blame_of(cases, self.settings.blame_calls, comes_back)
        marked = list(flips)
        for k, finding in zip(places, findings, strict=True):
            marked[k] = _marked(flips[k], finding)
        return marked, blame

    def _beside(self, texts: list[tuple[int, str]]) -> list[Text | None]:
        """Return changed texts as model inputs: for pairs, with the other text of the row."""
        rows = sorted({row for row, _ in texts})
        kept = self.kept.rows(rows)
        if len(kept.texts) == 1:
            return [text for _, text in texts]
        other = dict(zip(rows, kept.texts[1 - self.settings.transformed_column].to_pylist(), strict=True))
        if self.settings.transformed_column == 0:
            return [(text, other[row]) for row, text in texts]
        return [(other[row], text) for row, text in texts]


def _inputs(columns: Sequence[pa.LargeStringArray]) -> list[Text | None]:
    """Return rows as model inputs: one text, or two; None if one is missing."""
    if len(columns) == 1:
        texts: list[Text | None] = columns[0].to_pylist()
        return texts
    pairs = zip(*(column.to_pylist() for column in columns), strict=True)
    return [None if None in pair else pair for pair in pairs]


def _marked(flip: Flip, finding: Finding) -> Flip:
    edits = tuple(replace(edit, blamed=k in finding.blamed) for k, edit in enumerate(flip.edits))
    return replace(flip, edits=edits)
