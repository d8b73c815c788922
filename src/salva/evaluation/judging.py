"""The judge of a run: another model that is asked about every reply, and how far its verdicts can be trusted.

The judge sees the clean question, also if the model saw a twin: the right answer belongs to it, and the
judge's own weakness for typing errors must not be taken for the model's. So the same reply to a text and to
its twin is one question to the judge, and has one verdict. Its questions are parts of the table.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import as_numbers
from salva.asking.asker import ASKED_COLUMNS, Asker, list_failures
from salva.asking.log import AnswerLog
from salva.errors import ModelError, UsageError
from salva.evaluation.grading import (
    NO_ANSWER,
    AskedRow,
    Graded,
    Noise,
    TaskGrader,
    count_noise,
    list_asked_rows,
    list_contrast_rows,
    read_repeats,
)
from salva.evaluation.results import JudgeResult
from salva.models import Model, ModelOptions, Prompt, open_model
from salva.models.protocol import REPLY, combined, text_id
from salva.numbers import UNJUDGED, UNPARSED, wilson
from salva.questions.make import repeat_questions
from salva.questions.options import Measure
from salva.questions.table import (
    CHANGE,
    JUDGE,
    MADE,
    STAY,
    About,
    Questions,
    as_keys,
    make_block,
    short_name,
    write_part,
)
from salva.tasks import Judge, Task, Verdict

KEY_VARIABLE = "JUDGE_API_KEY"
"""The variable with the judge's key: the key for the model's server is not sent to another one."""
_AGAIN = "again"  # the part with questions to the judge that were asked twice
_COLUMNS = ("key", "item", "id", "condition", "expected", "options", "facts", "parts")


def change_options(options: ModelOptions, changes: Mapping[str, Any]) -> ModelOptions:
    """Return how the judge is opened: as the model is, except for what belongs to one model alone."""
    own: dict[str, Any] = {
        **dict.fromkeys(("batch_size", "model_id", "prompt", "dtype")),
        "choose_by": REPLY,
        "logits": False,
        "api_key_variable": KEY_VARIABLE,
        "request": {},
    }
    return replace(options, **{**own, **changes})


@contextlib.contextmanager
def open_judge(measure: Measure, model_options: ModelOptions, task: Task | None) -> Iterator[Model]:
    """Open the judge that a task needs, and close it at the end of the block."""
    if measure.judge is None:
        raise UsageError(f"the task has a rubric for a judge; name a model with {argument('judge')}")
    if task is None or not isinstance(task.answer, Judge):
        raise UsageError(f"{argument('judge')} is for tasks of the kind judge; leave it out")
    field = task.answer.verdict_field
    chosen = measure.judge_options or change_options(model_options, {})
    own = replace(chosen, writes=True, json_field=field)
    with contextlib.closing(open_model(measure.judge, own)) as opened:
        yield opened


def open_verdicts(path: Path, digest: str, *, read_only: bool = False) -> AnswerLog:
    """Open the verdicts of a judge, which are kept apart from the replies of the same model."""
    return AnswerLog(path, combined("judge", digest), read_only=read_only)


class JudgeGrader(TaskGrader):
    """Answers that a judge grades: its verdicts on replies are looked up in its log."""

    def __init__(self, task: Task, asker: Asker, folder: Path, model: str) -> None:
        super().__init__(task)
        assert isinstance(task.answer, Judge)  # noqa: S101
        self.judge, self.asker = task.answer, asker
        self._folder, self._suffix = folder, short_name(model)
        self.columns = ("options", "parts")
        self.is_graded = self.judge.is_graded
        self._verdicts: Counter[str] = Counter()
        self._unparsed = self._failed = 0
        self._noise: Noise | None = None
        self._turned = 0

    def ask_about(self, questions: Questions, log: AnswerLog, name: str) -> None:
        """Ask the judge about all replies to some parts of the table, in a part of its own."""
        blocks = (
            self.make_block(block, log.read_replies(block), list_asked_rows(block, questions.about))
            for block in questions.blocks(_COLUMNS)
        )
        self._ask_part(name, blocks, questions.about)

    def ask_about_contrasts(self, questions: Questions, log: AnswerLog) -> None:
        """Ask the judge whether replies to contrasts are the new right answers, where these are known."""
        if not any(one.must == CHANGE for one in questions.about.conditions):
            return
        blocks = (
            self.make_block(some, log.read_replies(some), list(rows.values()))
            for block in questions.blocks(_COLUMNS)
            for rows in [list_contrast_rows(block, list_asked_rows(block, questions.about), questions.about)]
            for some in [block.take(as_numbers(np.array(list(rows), np.int64)))]
        )
        self._ask_part(CHANGE, blocks, questions.about)

    def _ask_part(self, name: str, blocks: Iterable[pa.Table], about: About) -> None:
        self.write(name, blocks)
        part = self._open(name, about)
        self.ask(part.blocks(ASKED_COLUMNS), part.about)

    def _open(self, name: str, about: About) -> Questions:
        return Questions(self._folder, about_judge(about), [self._name(name)])

    def _name(self, name: str) -> str:
        return f"judge-{name}-{self._suffix}"

    def write(self, name: str, blocks: Iterable[pa.Table]) -> None:
        """Write questions to the judge as a part of the table."""
        write_part(self._folder / f"{self._name(name)}.parquet", blocks)

    def ask(self, blocks: Iterable[pa.Table], about: About) -> None:
        """Ask the judge some of its questions."""
        try:
            self.asker.ask(blocks, about)
        except ModelError as error:
            raise ModelError(f"the judge: {error}") from None

    def make_block(
        self, block: pa.Table, replies: Sequence[str | None], rows: Sequence[AskedRow]
    ) -> pa.Table:
        """Return the questions to the judge about replies to a block of questions."""
        asked = [(k, one) for k, one in enumerate(self._prompts(replies, rows)) if one is not None]
        some = block.take(as_numbers(np.array([k for k, _ in asked], np.int64)))
        options = [{"name": name, "text": name, "means": name} for name in self.judge.verdicts] or None
        return make_block(
            len(asked),
            key=as_keys([text_id(prompt) for _, prompt in asked]),
            item=some["item"].combine_chunks(),
            id=some["id"].to_pylist(),
            condition=some["condition"].to_pylist(),
            purpose=JUDGE,
            must=STAY,
            parts=[[prompt.messages[0].content] for _, prompt in asked],
            options=[options] * len(asked),
        )

    def grade(self, replies: Sequence[str | None], rows: Sequence[AskedRow]) -> list[Graded]:
        """Return the answers that the verdicts on replies stand for."""
        prompts = self._prompts(replies, rows)
        verdicts = self._look_up(prompts)
        graded = []
        for reply, row, prompt, verdict in zip(replies, rows, prompts, verdicts, strict=True):
            if reply is None:
                graded.append(NO_ANSWER)
            elif verdict is None:
                graded.append(Graded(UNPARSED if prompt is None else UNJUDGED))
            else:
                grade = self.judge.grade_verdict(verdict, self.expect(row))
                graded.append(Graded(self.code(grade.answer), verdict.score))
        return graded

    def _prompts(self, replies: Sequence[str | None], rows: Sequence[AskedRow]) -> list[Prompt | None]:
        """Return what the judge is asked about replies; None for none, or one that is unparsed."""
        return [
            None if reply is None else self.task.ask_judge(reply, self.expect(row), row.question)
            for reply, row in zip(replies, rows, strict=True)
        ]

    def _look_up(self, prompts: Sequence[Prompt | None]) -> list[Verdict | None]:
        """Return the verdicts that prompts got; None for a prompt without one."""
        places = [k for k, prompt in enumerate(prompts) if prompt is not None]
        keys = b"".join(text_id(prompt) for prompt in prompts if prompt is not None)
        heads = np.frombuffer(keys, "<u8").reshape(-1, 2)[:, 0].copy()
        numbers = self.asker.log.find(heads)
        logged = self.asker.log.read(numbers)
        found: list[Verdict | None] = [None] * len(prompts)
        for k, number in zip(places, numbers.tolist(), strict=True):
            reply = logged[number].reply if number in logged else None
            found[k] = None if reply is None else self.judge.read_verdict(reply)
        return found

    def count_verdicts(self, about: About) -> None:
        """Count the verdicts on all replies, each once per item and condition."""
        for block in self._open(MADE, about).blocks(["key"]):
            for reply in self.asker.log.read_replies(block):
                if reply is None:
                    self._failed += 1
                elif (verdict := self.judge.read_verdict(reply)) is None:
                    self._unparsed += 1
                else:
                    self._verdicts[verdict.name] += 1

    def measure_noise(self, about: About, measure: Measure) -> None:
        """Ask about some replies again; note how many verdicts change, and how many turn an answer."""
        if self.asker.is_fixed:
            return
        judged = self._open(MADE, about)
        self._ask_part(_AGAIN, repeat_questions(judged, measure.noise, measure.alone, condition=None), about)
        again = self._open(_AGAIN, about)
        read = [
            [None if text is None else self.judge.read_verdict(text) for text in replies]
            for replies in read_repeats(again, self.asker.log).replies
        ]
        names = sorted({one.name for some in read for one in some if one is not None})
        codes = ([-1 if one is None else names.index(one.name) for one in some] for some in read)
        self._noise = count_noise(*codes)
        self._turned = sum(self._turns(*pair) for pair in zip(*read[:2], strict=True))

    def _turns(self, first: Verdict | None, again: Verdict | None) -> bool:
        """Return whether the second verdict on a reply makes it right or wrong where the first does not."""
        if first is None or again is None:
            return False
        return (first.score >= self.judge.right_from) != (again.score >= self.judge.right_from)

    def describe(self) -> JudgeResult:
        """Return the judge, its verdicts and its noise."""
        return JudgeResult(
            name=self.asker.model.name,
            digest=self.asker.model.digest,
            verdicts=dict(sorted(self._verdicts.items())),
            unparsed=self._unparsed,
            failed=self._failed,
            failures=list_failures(self.asker.log.count_failures()),
            noise=self._noise,
            turned=self._turned,
            turned_rate=wilson(self._turned, 0 if self._noise is None else self._noise.asked),
        )


def about_judge(about: About) -> About:
    """Return what a table of questions to a judge is about: they are one message each."""
    conditions = tuple(replace(one, roles=("user",), replies="name") for one in about.conditions)
    return replace(about, conditions=conditions)
