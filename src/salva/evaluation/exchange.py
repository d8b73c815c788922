"""The exchange with the model: every text and its twins, some texts again, then the flips and their blame."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from salva._show import number_of
from salva.errors import ModelError
from salva.evaluation.answers import AnswerTable, LabelCodes
from salva.evaluation.blame import Case, Explanation, find_blame
from salva.evaluation.contrasts import Contrasts
from salva.evaluation.facts import RowFacts
from salva.evaluation.failed import FailedCounter
from salva.evaluation.flips import find_flips
from salva.evaluation.frozen_inputs import make_contrasts
from salva.evaluation.inputs import RowTwins, TwinMaker
from salva.evaluation.results import Blame, Flip
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.span_keys import finds_spans, move_keys
from salva.models import Text
from salva.numbers import PairTable
from salva.runs import Answer, Asker, Noise, Purpose, RowGroup, Sample, Texts, count_noise
from salva.runs.ahead import MadeAhead
from salva.runs.stopwatch import Stopwatch
from salva.tasks import Key
from salva.transforms.twins import Summary


class _Inputs(NamedTuple):
    """Some rows as inputs of the model: the clean ones, then those of every condition; keys likewise."""

    group: RowGroup
    clean: list[Text | None]
    summaries: list[Summary]
    texts: Texts
    keys: list[list[Key] | None]


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
        self.contrasts = Contrasts(make_contrasts(maker, settings), asker, self.answers)
        self.summaries = [Summary() for _ in self.conditions]
        self.noise: Noise | None = None
        self.facts = RowFacts(
            len(maker.rows),
            settings.group_column,
            columns=settings.slice_by,
            text_column=settings.transformed_column,
        )
        self.failed = FailedCounter([condition.name for condition in self.conditions], asker.reason)
        self._cases: list[Case] = []
        self.blame: Blame | None = None
        self.failures: dict[str, int] = {}
        self.distinct_texts = self.texts_asked = 0

    def carry_out(self) -> None:
        """Ask about everything: all rows, some of them again, and what explains their flips."""
        self.ask_all()
        self.find_flips()
        # A text with some edits undone has other positions than its twin, so its spans cannot be compared.
        if self._settings.blame_calls and not self.is_fixed and not finds_spans(self._settings.task):
            self.find_blame()

    def ask_all(self) -> None:
        """Ask about all rows under all conditions, group by group; then ask about some of them again."""
        sample = Sample[Key | None](self._settings.noise)
        with contextlib.closing(MadeAhead(self._make_inputs())) as made:
            self._ask_groups(iter(made), sample)
        self.contrasts.ask_all()
        if not self.is_fixed:
            self._measure_noise(sample)
        self.answers.codes.conclude()
        self.failures = self._asker.failures()
        if (self.answers.clean == -1).all():
            reason = next(iter(self.failures), "no row has a text")
            texts = number_of(len(self.answers.clean), "text")
            raise ModelError(f"the model answered none of {texts}; {reason}")
        self._asker.finish()
        self.distinct_texts, self.texts_asked = self._asker.distinct_texts(), self._asker.asked

    def _measure_noise(self, sample: Sample[Key | None]) -> None:
        """Ask about some texts again, and count the answers that change."""
        texts, keys = sample.texts(), [key for key in sample.details() if key is not None] or None
        _, *answers = self._asker.rerun(texts, alone=self._settings.alone)
        graded = (self.answers.codes.grade(some, keys and keys[: len(some)]) for some in answers)
        self.noise = count_noise(*(codes for codes, _ in graded))

    @property
    def flips(self) -> list[Flip]:
        """Some flips of every condition."""
        return [case.flip for case in self._cases]

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
                inputs, keys = [self._maker.clean_inputs(group)], [self._maker.find_keys(group)]
                times, summaries = [0], []
                for twins in self._maker.make_twins(group):
                    summaries.append(twins.summary)
                    inputs.append(self._maker.twin_inputs(group, twins))
                    keys.append(self._find_keys(group, twins, keys[0]))
                    times.append(twins.time)
            with self._watch("store"):
                texts = Texts(list(chain(*inputs)), list(np.repeat(times, len(group)).tolist()))
            yield _Inputs(group, inputs[0], summaries, texts, keys)

    def _find_keys(self, group: RowGroup, twins: RowTwins, clean: list[Key] | None) -> list[Key] | None:
        """Return what answers under a condition are checked against: another order or spans change that."""
        if clean is not None and finds_spans(self._settings.task):
            return move_keys(clean, twins)
        ordered = twins.variant is not None and twins.variant.order is not None
        return self._maker.variant_keys(group, [twins.variant] * len(group)) if ordered else clean

    def _ask_groups(self, made: Iterator[_Inputs], sample: Sample[Key | None]) -> None:
        first = next(made, None)
        if first is None:
            return
        # One batch shows most labels of the model: do they match those of the data?
        self._asker.tracker.begin("checking the labels")
        some = self._asker.answers(first.clean[: self._asker.model.batch_size])
        self.answers.codes.align_answers(some)
        total = len(self._maker.rows) * (1 + len(self.conditions)) * self.answers.codes.passes
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

    def _keep(self, inputs: _Inputs, answers: list[Answer | None], sample: Sample[Key | None]) -> None:
        self.answers.codes.align_answers(answers)
        group, size, keys = inputs.group, len(inputs.group), inputs.keys[0]
        self.summaries = [a + b for a, b in zip(self.summaries, inputs.summaries, strict=True)]
        self.facts.add(group, inputs.texts.ids[:size])
        self.failed.add(group, inputs.texts.ids, answers)
        self.answers.codes.look_ahead(answers, keys)
        # A run that is scored again may read the same targets in another way.
        labels = [key.label for key in keys] if keys else group.labels
        self.answers.fill_clean(group.first, labels, answers[:size], keys)
        for k in range(len(self.conditions)):
            place = slice((k + 1) * size, (k + 2) * size)
            self.answers.fill(k, group.first, answers[place], inputs.keys[k + 1])
            self.answers.mark_asked(k, group.first, inputs.texts.ids[place], inputs.texts.ids[:size])
        for k, text in enumerate(inputs.clean):
            if text is not None:
                sample.offer(text, keys[k] if keys else None)

    def collect_tables(self) -> dict[str, Any]:
        """Return what a run without a folder keeps: answers, scores, and which rows were asked about."""
        names, answers = [condition.name for condition in self.conditions], self.answers
        asked = zip(names, answers.asked, strict=True)
        return {
            "answer_table": answers.collect(names, self._maker.rows),
            "score_table": answers.collect_scores(names, self._maker.rows),
            "asked": {name: rows for name, rows in asked if rows is not None},
        }

    def pair_tables(self) -> Iterator[PairTable]:
        """Yield the pairs of answers under every condition."""
        answers, clusters = self.answers, self.facts.clusters
        return (
            PairTable.of(answers.labels, answers.clean, after, clusters=clusters) for after in answers.after
        )

    def find_flips(self) -> None:
        """Choose some flips of every condition."""
        most = self._settings.flips
        with self._watch("flips"):
            for k, condition in enumerate(self.conditions):
                self._cases += find_flips(condition, k, self.answers, self._maker, most=most)

    def find_blame(self) -> None:
        """Find the edits to blame for flips, and mark them."""
        edited = {condition.name for condition in self.conditions if condition.has_edits}
        places = [k for k, flip in enumerate(self.flips) if flip.condition in edited]
        cases = [self._cases[k] for k in places]
        self._asker.tracker.begin("blame", "texts")
        with self._watch("blame"):
            explanations, self.blame = find_blame(cases, self._settings.blame_calls, self._comes_back)
        self.texts_asked = self._asker.asked
        for k, explanation in zip(places, explanations, strict=True):
            self._cases[k] = replace(self._cases[k], flip=_mark(self._cases[k].flip, explanation))

    def _comes_back(self, undone: list[tuple[Case, tuple[str, ...]]]) -> list[bool]:
        """Return, for each text with some edits undone, whether it gets the first answer again."""
        group, variants = (
            self._maker.take([case.flip.row for case, _ in undone]),
            [case.variant for case, _ in undone],
        )
        texts = self._maker.changed_inputs(group, [values for _, values in undone], variants)
        answers = self._asker.answers(texts, purpose=Purpose.BLAME)
        replies = [answer and answer.label for answer in answers]
        labels = self.answers.codes.decode(
            self.answers.codes.grade(replies, self._maker.variant_keys(group, variants)).codes
        )
        return [label == case.flip.before for label, (case, _) in zip(labels, undone, strict=True)]


def _mark(flip: Flip, explanation: Explanation) -> Flip:
    edits = tuple(replace(edit, blamed=k in explanation.blamed) for k, edit in enumerate(flip.edits))
    return replace(flip, edits=edits, cause=explanation.cause)
