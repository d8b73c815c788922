"""Score the answers of a run again, with other settings and without its model."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import EllipsisType
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import argument, did_you_mean, flags_shown
from salva._progress import ProgressOption, Tracker, tracking
from salva._types import PathLike
from salva.asking.asker import Asker, Stopwatch
from salva.asking.log import AnswerLog
from salva.asking.run_folder import RunFolder, find_shared, read_settings
from salva.errors import UsageError
from salva.evaluation.grading import read_otherwise
from salva.evaluation.judging import open_verdicts
from salva.evaluation.measuring import Measurement, describe_measure
from salva.evaluation.results import JudgeResult, ModelInfo, Results
from salva.evaluation.run import Run, load_run
from salva.models import Answers, Text
from salva.numbers import Metric
from salva.questions.options import Limits, Measure
from salva.questions.table import BLAME, About, Questions, open_made, read_heads
from salva.tasks import Task, read_task, restore_task
from salva.tasks.judge import list_asked

FREE = tuple(
    field.name
    for field in dataclasses.fields(Measure)
    if field.name not in ("metric", "judge", "judge_options")
)
"""The settings that may differ when a run is scored again."""


class StoredModel:
    """What is known of a model that is not opened."""

    batch_size = 4096

    def __init__(self, known: ModelInfo | JudgeResult) -> None:
        self.name, self.digest = known.name, known.digest
        self.classes = tuple(known.labels) if isinstance(known, ModelInfo) else None

    def predict(self, texts: list[Text]) -> Answers:
        """Return no answers: the model is not there."""
        return Answers.failed(len(texts), "the model is not opened")

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class StoredAsker(Asker):
    """Finds answers in the log, and never asks for them."""

    def __init__(
        self, known: ModelInfo | JudgeResult, log: AnswerLog, tracker: Tracker, *, is_fixed: bool
    ) -> None:
        super().__init__(StoredModel(known), log, Limits(errors=1.0), tracker=tracker)
        self.is_fixed = is_fixed

    def ask(self, blocks: Iterable[pa.Table], about: About) -> None:
        """Refuse questions that were never asked."""
        for block in blocks:
            heads, asked = read_heads(block["key"])
            missing = asked & (self.log.find(heads) < 0)
            if missing.any():
                purpose = block["purpose"][int(np.flatnonzero(missing)[0])].as_py()
                raise _lacking(purpose)


def _lacking(purpose: str) -> UsageError:
    what = "to explain flips" if purpose == BLAME else "to measure noise"
    remedy = f"ask for them with salva evaluate and {argument('resume', True)}"
    less = argument("blame_calls", 0) if purpose == BLAME else f"a lower {argument('noise')}"
    return UsageError(f"the run lacks answers that are needed {what}; {remedy}, or pass {less}")


def rescore(
    folder: PathLike,
    *,
    task: PathLike | Task | None = None,
    metric: Metric | EllipsisType | None = ...,
    progress: ProgressOption = False,
    **measure: Any,
) -> Run:
    """Score the finished run in a folder again, with some settings changed; the model is not opened.

    The settings are those of `salva.Measure`: `label_map`, `drop_limit`, `noise`, `flips`, `blame_calls` and
    others; a `task` may read replies in another way. What they need beyond the stored answers is refused.
    Functions are not stored, so a `metric` must be given again; None leaves it out. The files of the run are
    replaced by those that `evaluate` would have written.
    """
    for name in measure:
        if name not in FREE:
            hint = did_you_mean(name, FREE, otherwise=f"choose from task, metric, {', '.join(FREE)}")
            raise UsageError(f"rescore has no setting {name!r}; {hint}")
    old = load_run(folder).results
    is_shared = find_shared(Path(folder)) != Path(folder)
    with (
        tracking(progress) as tracker,
        RunFolder.open(folder, resume=True, is_shared=is_shared) as home,
    ):
        kept = read_settings(home.path)
        own = _choose_metric(home.path, kept["measure"].pop("metric", None), metric)
        chosen = Measure(**{**kept["measure"], **measure}, metric=own)
        made = open_made(home.questions)
        questions = read_otherwise(made, _choose_task(made, task, old))
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(AnswerLog(home.log, old.model.digest, read_only=True))
            is_fixed = old.noise is None and old.model.name.startswith(("answers:", "log:"))
            asker = StoredAsker(old.model, log, tracker, is_fixed=is_fixed)
            verdicts = _find_verdicts(stack, home, old, questions, asker)
            identity = {"name": old.model.name, "digest": old.model.digest}
            measurement = Measurement(
                questions,
                home,
                identity,
                asker,
                verdicts,
                measure=chosen,
            )
            run = measurement.finish(Stopwatch(), is_kept=True)
        home.settle({**kept, "measure": describe_measure(chosen)})
    return run


def _find_verdicts(
    stack: contextlib.ExitStack, home: RunFolder, old: Results, questions: Questions, asker: Asker
) -> Asker | None:
    """Return what finds the verdicts of the judge; refuse a rubric that has none."""
    about = questions.about.task
    if about is None or not restore_task(about).answer.needs_judge:
        return None
    before: Mapping[str, Any] = old.settings["task"]["answer"] if old.judge is not None else {}
    if old.judge is None or list_asked(before) != list_asked(about["answer"]):
        remedy = f"ask the judge with salva evaluate and {argument('resume', True)}"
        raise UsageError(f"the run has no verdicts for this rubric; {remedy}")
    kept = stack.enter_context(open_verdicts(home.log, old.judge.digest, read_only=True))
    return StoredAsker(old.judge, kept, asker.tracker, is_fixed=old.judge.noise is None)


def _choose_task(questions: Questions, task: PathLike | Task | None, old: Results) -> dict[str, Any] | None:
    """Return the task that reads the replies; refuse one that asks other questions, or needs more columns."""
    before: dict[str, Any] | None = old.settings["task"]
    if task is None:
        return before
    chosen = read_task(task) if isinstance(task, str | os.PathLike) else task
    plain = chosen.as_dict()
    if before is None or before["question"] != plain["question"]:
        problem = f"{argument('task')} asks other questions than the run did"
        raise UsageError(f"{problem}; only what follows [answer] may differ, or make a new run")
    made_for = restore_task(questions.about.grading["task"])
    for name in chosen.kept_columns:
        if name not in (*made_for.kept_columns, *questions.about.made_with.get("slice_by", ())):
            problem = f"the questions of the run were kept without the column {name!r}"
            raise UsageError(f"{problem}; add it with salva evaluate and {argument('resume', True)}")
    return plain


def _choose_metric(folder: Path, name: str | None, metric: Metric | EllipsisType | None) -> Metric | None:
    if not isinstance(metric, EllipsisType):
        return metric
    if name is not None:
        none = "metric=None" if flags_shown() is None else argument("metric", "none")
        again = f"give it again with {argument('metric')}, or leave it out with {none}"
        raise UsageError(f"{folder}: was made with the metric {name!r}; {again}")
    return None
