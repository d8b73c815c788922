"""The judge of a run: another model that is asked about every reply, and how far its verdicts can be trusted.

The judge sees the clean question, also if the model saw a twin: the right answer belongs to it, and the
judge's own weakness for typing errors must not be taken for the model's. So the same reply to a text and to
its twin is one question to the judge, and has one verdict.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from salva._arguments import argument
from salva.errors import ModelError, UsageError
from salva.evaluation.answers import Graded, LabelCodes
from salva.evaluation.results import JudgeResult
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.task_codes import TaskCodes
from salva.models import Model, ModelOptions, Prompt, open_model
from salva.models.options import REPLY
from salva.models.protocol import combined
from salva.numbers import UNJUDGED, UNPARSED, wilson
from salva.runs import Answer, AnswerStore, Asker, Noise, Sample, count_noise, list_failures
from salva.tasks import Judge, Key, Task, Verdict

KEY_VARIABLE = "JUDGE_API_KEY"
"""The variable with the judge's key: the key for the model's server is not sent to another one."""
_UNPARSED, _FAILED = "unparsed", "failed"


def change_options(options: ModelOptions, changes: Mapping[str, Any]) -> ModelOptions:
    """Return how the judge is opened: as the model is, except for what belongs to one model alone."""
    own = {"batch_size": None, "model_id": None, "choose_by": REPLY, "logits": False, "prompt": None}
    own |= {"dtype": None, "api_key_variable": KEY_VARIABLE}
    return dataclasses.replace(options, **{**own, **changes})


@contextlib.contextmanager
def open_judge(
    judge: Any, options: ModelOptions | None, model_options: ModelOptions, task: Task | None
) -> Iterator[Model | None]:
    """Open the judge that a task needs, and close it at the end of the block; None if it needs none."""
    needed = task is not None and task.answer.needs_judge
    if needed and judge is None:
        raise UsageError(f"the task has a rubric for a judge; name a model with {argument('judge')}")
    if judge is not None and not needed:
        raise UsageError(f"{argument('judge')} is for tasks of the kind judge; leave it out")
    if judge is None:
        yield None
        return
    field = task.answer.verdict_field if task is not None and isinstance(task.answer, Judge) else ""
    own = dataclasses.replace(options or change_options(model_options, {}), writes=True, json_field=field)
    with contextlib.closing(open_model(judge, own)) as opened:
        yield opened


def open_verdicts(folder: Path, digest: str, *, read_only: bool = False) -> AnswerStore:
    """Open the verdicts of a judge, which are stored apart from the replies of the same model."""
    return AnswerStore(folder / "run.db", combined("judge", digest), read_only=read_only)


@contextlib.contextmanager
def judge_replies(codes: LabelCodes, judge: Model | None, asker: Asker, folder: Path) -> Iterator[None]:
    """Let a judge grade the replies inside the block; its calls count as those of `asker`."""
    if judge is None or not isinstance(codes, JudgedCodes):
        yield
        return
    with open_verdicts(folder, judge.digest) as store:
        codes.seat(asker.beside(judge, store, "judge"))
        yield


class JudgedCodes(TaskCodes):
    """Codes of answers that a judge grades."""

    passes = 2

    def __init__(self, task: Task, settings: EvaluationSettings) -> None:
        super().__init__(task)
        self._settings = settings
        self._asker: Asker | None = None
        self._ahead: dict[Prompt | None, Answer | None] = {}
        self._counts: Counter[str] = Counter()
        self._sample = Sample[None](settings.noise)
        self._noise: Noise | None = None
        self._turned = 0

    @property
    def asker(self) -> Asker:
        """What asks the judge."""
        assert self._asker is not None  # noqa: S101
        return self._asker

    @property
    def _judge(self) -> Judge:
        assert isinstance(self._task.answer, Judge)  # noqa: S101
        return self._task.answer

    def seat(self, asker: Asker) -> None:
        """Set what asks the judge."""
        self._asker = asker

    def look_ahead(self, answers: Sequence[Answer | None], keys: Sequence[Key] | None) -> None:
        """Ask about all replies to some rows at once; `keys` is repeated for every condition."""
        repeated = list(keys or ()) * (len(answers) // max(len(keys or ()), 1))
        prompts = self._prompts([answer and answer.label for answer in answers], repeated)
        self._ahead = dict(zip(prompts, self._ask(prompts), strict=True))
        for prompt in prompts:
            if prompt is not None:
                self._sample.offer(prompt)
                answer = self._ahead[prompt]
                verdict = None if answer is None else self._judge.read_verdict(answer.label)
                named = _FAILED if answer is None else _UNPARSED
                self._counts[named if verdict is None else f"judged {verdict.name}"] += 1

    def grade(self, labels: Sequence[str | None], keys: Sequence[Key] | None) -> Graded:
        """Return the codes of the answers that the verdicts on replies stand for, and their scores."""
        prompts = self._prompts(labels, keys or ())
        known = all(prompt is None or prompt in self._ahead for prompt in prompts)
        answers = list(map(self._ahead.get, prompts)) if known else self._ask(prompts)
        codes = np.full(len(labels), -1, np.int32)
        scores = np.full(len(labels), math.nan) if self._judge.is_graded else None
        for k, (reply, prompt, answer) in enumerate(zip(labels, prompts, answers, strict=True)):
            if reply is None:
                continue
            verdict = None if answer is None else self._judge.read_verdict(answer.label)
            if verdict is None:
                codes[k] = UNPARSED if prompt is None else UNJUDGED
                continue
            grade = self._judge.grade_verdict(verdict, (keys or ())[k])
            codes[k] = self._code(grade.answer)
            if scores is not None:
                scores[k] = verdict.score
        return Graded(codes, scores)

    def _prompts(self, replies: Sequence[str | None], keys: Sequence[Key]) -> list[Prompt | None]:
        pairs = zip(replies, keys, strict=True)
        return [None if reply is None else self._task.ask_judge(reply, key) for reply, key in pairs]

    def _ask(self, prompts: Sequence[Prompt | None]) -> list[Answer | None]:
        with _naming_the_judge():
            return self.asker.answers(prompts)

    def conclude(self) -> None:
        """Ask about some replies again, and stop a run whose judge failed too often."""
        with _naming_the_judge():
            if not self.asker.is_fixed:
                texts = self._sample.texts()
                _, *reruns = self.asker.rerun(texts, alone=self._settings.alone)
                read = [[self._read(text) for text in some] for some in reruns]
                names = sorted({verdict.name for some in read for verdict in some if verdict is not None})
                self._noise = count_noise(
                    *([-1 if one is None else names.index(one.name) for one in some] for some in read)
                )
                self._turned = sum(self._turns(a, b) for a, b in zip(*read[:2], strict=True))
            self.asker.finish()

    def _read(self, text: str | None) -> Verdict | None:
        return None if text is None else self._judge.read_verdict(text)

    def _turns(self, first: Verdict | None, again: Verdict | None) -> bool:
        """Return whether the second verdict on a reply makes it right or wrong where the first does not."""
        if first is None or again is None:
            return False
        return (first.score >= self._judge.right_from) != (again.score >= self._judge.right_from)

    def count_calls(self) -> dict[str, int]:
        """Return how many verdicts were asked for."""
        return {"verdicts_asked": self.asker.asked}

    def describe_judge(self) -> JudgeResult | None:
        """Return the judge, its verdicts and its noise."""
        counts = {
            name.removeprefix("judged "): times
            for name, times in sorted(self._counts.items())
            if name.startswith("judged ")
        }
        asked = 0 if self._noise is None else self._noise.asked
        return JudgeResult(
            name=self.asker.model.name,
            digest=self.asker.model.digest,
            verdicts=counts,
            unparsed=self._counts[_UNPARSED],
            failed=self._counts[_FAILED],
            failures=list_failures(self.asker.failures()),
            noise=self._noise,
            turned=self._turned,
            turned_rate=wilson(self._turned, asked),
        )


def make_codes(data_labels: Sequence[str], settings: EvaluationSettings) -> LabelCodes:
    """Return the codes for the answers of a run."""
    task = settings.task
    if task is None:
        return LabelCodes(data_labels, settings.label_map)
    return JudgedCodes(task, settings) if task.answer.needs_judge else TaskCodes(task)


@contextlib.contextmanager
def _naming_the_judge() -> Iterator[None]:
    """Name the judge in an error of its model."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"the judge: {error}") from None
