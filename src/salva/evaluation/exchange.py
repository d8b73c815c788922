"""The exchange with the model: every text and its twins, some texts again, then the flips and their blame."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import pyarrow as pa

from salva._show import number_of
from salva.errors import ModelError
from salva.evaluation.answers import AnswerTable, LabelCodes
from salva.evaluation.blame import Case, Explanation, find_blame
from salva.evaluation.facts import RowFacts
from salva.evaluation.failed import FailedCounter
from salva.evaluation.flips import find_flips
from salva.evaluation.results import Blame, Flip
from salva.evaluation.settings import EvaluationSettings
from salva.models import Text, text_id
from salva.pairs.clusters import ClusteredPairs, pair_rows
from salva.runs import Answer, Asker, Noise, Purpose, RowGroup, RunRows, Sample, Texts, count_noise
from salva.runs.ahead import MadeAhead
from salva.runs.stopwatch import Stopwatch
from salva.transforms import Twins
from salva.transforms.twins import Summary


class TwinMaker:
    """Makes the inputs of the model: the texts of the rows, and their twins under every condition."""

    def __init__(self, rows: RunRows, settings: EvaluationSettings, threads: int | None = None) -> None:
        self.rows, self.conditions, self._threads = rows, settings.conditions, threads
        self._column = settings.transformed_column

    def make_twins(self, group: RowGroup) -> Iterator[Twins]:
        """Yield the twins of some rows, one condition at a time."""
        for condition in self.conditions:
            yield condition.make_twins(group.texts[self._column], threads=self._threads)

    def clean_inputs(self, group: RowGroup) -> list[Text | None]:
        """Return rows as model inputs: one text, or two; None if one is missing."""
        return _join([text.array for text in group.texts])

    def twin_inputs(self, group: RowGroup, twins: Twins) -> list[Text | None]:
        """Return rows as model inputs, with one of the texts replaced by its twin."""
        columns = [text.array for text in group.texts]
        columns[self._column] = twins.column
        return _join(columns)

    def changed_inputs(self, texts: Sequence[tuple[int, str]]) -> list[Text | None]:
        """Return changed texts of rows as model inputs: for pairs, with the other text of the row."""
        numbers = sorted({row for row, _ in texts})
        places = {row: place for place, row in enumerate(numbers)}
        group = self.rows.rows(numbers)
        columns = [column.array.take([places[row] for row, _ in texts]) for column in group.texts]
        columns[self._column] = pa.array([text for _, text in texts], pa.large_string())
        return _join(columns)

    def distinct_texts(self) -> Iterator[Text]:
        """Yield every text that the model is asked about, once; not those asked to find the blame."""
        seen: set[bytes] = set()
        for group in self.rows:
            twins = (self.twin_inputs(group, twins) for twins in self.make_twins(group))
            for text in chain(self.clean_inputs(group), *twins):
                if text is not None and (name := text_id(text)) not in seen:
                    seen.add(name)
                    yield text


class _Inputs(NamedTuple):
    """Some rows as inputs of the model: the clean ones, then those of every condition."""

    group: RowGroup
    inputs: list[list[Text | None]]
    summaries: list[Summary]
    texts: Texts


class Exchange:
    """Asks the model, and holds what comes back: answers as codes, noise, flips and blame."""

    def __init__(
        self,
        maker: TwinMaker,
        asker: Asker,
        codes: LabelCodes,
        settings: EvaluationSettings,
        watch: Stopwatch,
    ) -> None:
        self._maker, self._asker, self._settings, self._watch = maker, asker, settings, watch
        self.conditions = maker.conditions
        self.answers = AnswerTable(codes, len(maker.rows), len(self.conditions))
        self.summaries = [Summary() for _ in self.conditions]
        self.noise: Noise | None = None
        self.facts = RowFacts(
            len(maker.rows),
            settings.group_column,
            columns=settings.slice_by,
            text_column=settings.transformed_column,
        )
        self.failed = FailedCounter([condition.name for condition in self.conditions], asker.reason)
        self.flips: list[Flip] = []
        self.blame: Blame | None = None
        self.failures: dict[str, int] = {}
        self.distinct_texts = self.texts_asked = 0

    def carry_out(self) -> None:
        """Ask about everything: all rows, some of them again, and what explains their flips."""
        self.ask_all()
        self.find_flips()
        if self._settings.blame_calls and not self.is_fixed:
            self.find_blame()

    def ask_all(self) -> None:
        """Ask about all rows under all conditions, group by group; then ask about some of them again."""
        sample = Sample(self._settings.noise)
        with contextlib.closing(MadeAhead(self._make_inputs())) as made:
            self._ask_groups(iter(made), sample)
        if not self.is_fixed:
            _, *answers = self._asker.rerun(sample.texts(), alone=self._settings.alone)
            self.noise = count_noise(*map(self.answers.codes.encode_answers, answers))
        self.failures = self._asker.failures()
        if (self.answers.clean < 0).all():
            reason = next(iter(self.failures), "no row has a text")
            texts = number_of(len(self.answers.clean), "text")
            raise ModelError(f"the model answered none of {texts}; {reason}")
        self._asker.finish()
        self.distinct_texts, self.texts_asked = self._asker.distinct_texts(), self._asker.asked

    @property
    def is_fixed(self) -> bool:
        """Whether the answers come from files: no further text can be asked about, and none varies."""
        return self._asker.is_fixed

    def _make_inputs(self) -> Iterator[_Inputs]:
        """Yield the inputs of one group of rows after the other; runs in a thread of its own."""
        groups = iter(self._maker.rows)
        while True:
            with self._watch("read"):
                group = next(groups, None)
            if group is None:
                return
            with self._watch("transform"):
                inputs, summaries = [self._maker.clean_inputs(group)], []
                for twins in self._maker.make_twins(group):
                    summaries.append(twins.summary)
                    inputs.append(self._maker.twin_inputs(group, twins))
            with self._watch("store"):
                texts = Texts(list(chain(*inputs)))
            yield _Inputs(group, inputs, summaries, texts)

    def _ask_groups(self, made: Iterator[_Inputs], sample: Sample) -> None:
        first = next(made, None)
        if first is None:
            return
        # One batch shows most labels of the model: do they match those of the data?
        self._asker.tracker.begin("checking the labels")
        some = self._asker.answers(first.inputs[0][: self._asker.model.batch_size])
        self.answers.codes.align_answers(some)
        total = len(self._maker.rows) * (1 + len(self.conditions))
        self._asker.tracker.begin("asking", "texts", total)
        asked: deque[_Inputs] = deque()

        def texts() -> Iterator[Texts]:
            for inputs in chain([first], made):
                asked.append(inputs)
                yield inputs.texts

        with contextlib.closing(self._asker.answer_groups(texts())) as groups:
            for answers in groups:
                with self._watch("store"):
                    self._keep(asked.popleft(), answers, sample)

    def _keep(self, inputs: _Inputs, answers: list[Answer | None], sample: Sample) -> None:
        self.answers.codes.align_answers(answers)
        group, size, clean = inputs.group, len(inputs.group), inputs.inputs[0]
        self.summaries = [a + b for a, b in zip(self.summaries, inputs.summaries, strict=True)]
        self.facts.add(group, clean)
        self.failed.add(group, inputs.inputs, answers)
        self.answers.fill_clean(group.first, group.labels, answers[:size])
        for k in range(len(self.conditions)):
            self.answers.fill(k, group.first, answers[(k + 1) * size : (k + 2) * size])
        for text in clean:
            if text is not None:
                sample.offer(text)

    def collect_answers(self) -> pa.Table:
        """Return every answer: id, label, clean, and one column per condition."""
        return self.answers.collect([condition.name for condition in self.conditions], self._maker.rows)

    def pair_tables(self) -> Iterator[ClusteredPairs]:
        """Yield the pairs of answers under every condition."""
        answers, clusters = self.answers, self.facts.clusters
        return (pair_rows(answers.labels, answers.clean, after, clusters) for after in answers.after)

    def find_flips(self) -> None:
        """Choose some flips of every condition."""
        column, most = self._settings.transformed_column, self._settings.flips
        with self._watch("flips"):
            for k, condition in enumerate(self.conditions):
                rows = self._maker.rows
                self.flips += find_flips(condition, k, self.answers, rows, most=most, column=column)

    def find_blame(self) -> None:
        """Find the edits to blame for flips, and mark them."""
        by_name = {condition.name: condition for condition in self.conditions}
        places = [k for k, flip in enumerate(self.flips) if by_name[flip.condition].severity is not None]
        cases = [Case(self.flips[k], by_name[self.flips[k].condition].spliced) for k in places]
        self._asker.tracker.begin("blame", "texts")
        with self._watch("blame"):
            explanations, self.blame = find_blame(cases, self._settings.blame_calls, self._comes_back)
        self.texts_asked = self._asker.asked
        for k, explanation in zip(places, explanations, strict=True):
            self.flips[k] = _mark(self.flips[k], explanation)

    def _comes_back(self, undone: list[tuple[Case, str]]) -> list[bool]:
        """Return, for each text with some edits undone, whether it gets the first answer again."""
        texts = self._maker.changed_inputs([(case.flip.row, text) for case, text in undone])
        answers = self._asker.answers(texts, purpose=Purpose.BLAME)
        codes = self.answers.codes.encode_answers([answer and answer.label for answer in answers])
        labels = self.answers.codes.decode(codes)
        return [label == case.flip.before for label, (case, _) in zip(labels, undone, strict=True)]


def _join(columns: Sequence[pa.LargeStringArray]) -> list[Text | None]:
    if len(columns) == 1:
        texts: list[Text | None] = columns[0].to_pylist()
        return texts
    pairs = zip(*(column.to_pylist() for column in columns), strict=True)
    return [None if None in pair else pair for pair in pairs]


def _mark(flip: Flip, explanation: Explanation) -> Flip:
    edits = tuple(replace(edit, blamed=k in explanation.blamed) for k, edit in enumerate(flip.edits))
    return replace(flip, edits=edits, cause=explanation.cause)
