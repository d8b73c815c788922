"""Evaluate models: make the questions, ask them, and measure what was answered.

Every step takes up where an earlier process was stopped, and asks a part of the table to its end before the
next part is derived from it.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, overload

import pyarrow as pa
import pyarrow.compute as pc

from salva._arguments import argument, did_you_mean
from salva._arrow import is_text
from salva._files import scratch_folder
from salva._process import arrow_by_malloc
from salva._progress import ProgressOption, Tracker, tracking
from salva._show import NOTICE, shorten
from salva._types import PathLike
from salva._version import __version__
from salva.asking.asker import ASKED_COLUMNS, Asker, Stopwatch
from salva.asking.log import AnswerLog
from salva.asking.pipeline import MadeAhead
from salva.asking.ray import open_actors
from salva.asking.run_folder import RunFolder
from salva.errors import InputError, UsageError
from salva.evaluation.comparing import compare
from salva.evaluation.grading import MOST_LABELS, LabelGrader
from salva.evaluation.judging import open_judge, open_verdicts
from salva.evaluation.measuring import Measurement, describe_measure
from salva.evaluation.run import REPORT, Run
from salva.models import Model, ModelOptions, open_model
from salva.models.outputs import LabelMismatchError
from salva.models.recorded import RecordedModel
from salva.questions.conditions import Presets
from salva.questions.make import check_earlier, write_parts
from salva.questions.options import SEVERITIES, Limits, Options
from salva.questions.plan import Plan, plan_questions
from salva.questions.table import CLEAN, TABLE, Questions, open_made, read_about
from salva.tasks import Task, restore_task

logger = logging.getLogger("salva")


@overload
def evaluate(
    data: Any,
    model: list[Any],
    *,
    presets: Presets = ...,
    severities: float | Iterable[float] = ...,
    task: PathLike | Task | None = ...,
    out: PathLike | None = ...,
    seed: int = ...,
    sample: int | None = ...,
    resume: bool = ...,
    overwrite: bool = ...,
    progress: ProgressOption = ...,
    options: Options | None = ...,
) -> list[Run]: ...
@overload
def evaluate(
    data: Any,
    model: Any,
    *,
    presets: Presets = ...,
    severities: float | Iterable[float] = ...,
    task: PathLike | Task | None = ...,
    out: PathLike | None = ...,
    seed: int = ...,
    sample: int | None = ...,
    resume: bool = ...,
    overwrite: bool = ...,
    progress: ProgressOption = ...,
    options: Options | None = ...,
) -> Run: ...
def evaluate(
    data: Any,
    model: Any,
    *,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    task: PathLike | Task | None = None,
    out: PathLike | None = None,
    seed: int = 0,
    sample: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: ProgressOption = False,
    options: Options | None = None,
) -> Run | list[Run]:
    """Ask a model about items as they are and under conditions; return the drop and the words to blame.

    `data` is a path, a table, a frame, a Hugging Face data set, a list of dicts or of (text, label); or a
    suite, or a folder or file of pairs. `model` is a spec such as "hf:DIRECTORY", or a function from a list
    of texts to labels; a list of models gives a list of runs. `presets` is one or more names, TOML files or
    transforms, by default natural and misspellings; "documents" stands for the presets of the specifications.
    With a `task` (a name, a TOML file or a `salva.tasks.Task`), the model replies to the task's questions.
    `sample` takes as many random rows, the same share of every class, which a larger sample contains too.
    With `out`, everything is kept in a folder: `resume` continues a run that was stopped there, `overwrite`
    replaces it by a new one. `progress=True` shows a line that changes, in a notebook or a terminal; a
    function gets each `Progress`. `options` has everything that few runs need.
    """
    chosen = options or Options()
    models = model if isinstance(model, list) else None
    if models is not None and not models:
        raise UsageError("the list of models is empty; give one model or more")
    plan = plan_questions(
        data, presets=presets, severities=severities, task=task, seed=seed, sample=sample, options=chosen
    )
    with (
        arrow_by_malloc(),
        tracking(progress) as tracker,
        _open_folder(out, resume=resume, overwrite=overwrite) as folder,
        contextlib.closing(_Parts(plan, folder.questions)) as parts,
    ):
        work = _Evaluation(plan, parts, chosen, tracker, is_kept=out is not None)
        if models is None:
            return work.ask(model, folder)
        return work.ask_each(models, folder)


@contextlib.contextmanager
def _open_here(model: object, options: ModelOptions, _: Limits) -> Iterator[Model]:
    with contextlib.closing(open_model(model, options)) as opened:
        yield opened


def _open_in_actors(model: object, options: ModelOptions, limits: Limits) -> AbstractContextManager[Model]:
    return open_actors(model, options, actors=limits.actors, address=limits.address)


Engine: TypeAlias = Callable[[object, ModelOptions, Limits], AbstractContextManager[Model]]
ENGINES: dict[str, Engine] = {"local": _open_here, "ray": _open_in_actors}
"""What opens a model where it is asked, and closes it at the end of the block."""


def find_engine(limits: Limits) -> Engine:
    """Return what opens the model."""
    if limits.engine not in ENGINES:
        hint = did_you_mean(limits.engine, ENGINES, otherwise=f"choose from {', '.join(ENGINES)}")
        raise UsageError(f"engine {limits.engine!r} is unknown; {hint}")
    return ENGINES[limits.engine]


@contextlib.contextmanager
def _open_folder(out: PathLike | None, *, resume: bool, overwrite: bool) -> Iterator[RunFolder]:
    with contextlib.ExitStack() as stack:
        if out is None:
            if resume or overwrite:
                verb = "resume" if resume else "overwrite"
                raise UsageError(
                    f"there is nothing to {verb} without a folder; pass {argument('out', flag='-o')}"
                )
            out = stack.enter_context(scratch_folder())
        yield stack.enter_context(RunFolder.open(out, resume=resume, overwrite=overwrite))


class _Evaluation:
    """Questions that are made once, and asked of one model or of several."""

    def __init__(
        self, plan: Plan, parts: _Parts, options: Options, tracker: Tracker, *, is_kept: bool
    ) -> None:
        self._plan, self._parts, self._options = plan, parts, options
        self._tracker, self._is_kept = tracker, is_kept
        about = plan.about.task
        self._task = None if about is None else restore_task(about)
        if self._task is not None:
            self._task.answer.prepare()  # a function that is not there is refused before anything is asked

    def ask_each(self, models: list[Any], folder: RunFolder) -> list[Run]:
        """Ask one model after the other; each has a run in a folder of its own."""
        runs = []
        for model, home in zip(models, folder.share(models), strict=True):
            with RunFolder.open(home, resume=True, is_shared=True) as own:
                runs.append(self.ask(model, own))
        if self._is_kept and len(runs) > 1:
            compare(*runs).report(folder.path / REPORT, overwrite=True)
        return runs

    def ask(self, model: Any, folder: RunFolder) -> Run:
        """Ask a model everything, and return what was found."""
        measure, limits, watch = self._options.measure, self._options.limits, Stopwatch()
        self._tracker.begin("opening the model")
        with contextlib.ExitStack() as stack:
            opening = self._open_options(model, folder)
            opened = stack.enter_context(find_engine(limits)(model, opening, limits))
            judge = None
            if measure.judge is not None or (self._task is not None and self._task.answer.needs_judge):
                judge = stack.enter_context(open_judge(measure, self._options.model, self._task))
            self._refuse_repeats(opened)
            self._check_earlier(folder)
            identity = self._settle(folder, opened, judge)
            asker = Asker(
                opened,
                stack.enter_context(AnswerLog(folder.log, identity["digest"])),
                limits,
                timeout=opening.timeout if limits.engine == "local" else None,
                watch=watch,
                tracker=self._tracker,
            )
            verdicts = None
            if judge is not None:
                kept = stack.enter_context(open_verdicts(folder.log, judge.digest))
                verdicts = asker.beside(judge, kept, "judge")
            with self._offer_resume():
                questions = self._ask_all(asker, folder.questions)
                measurement = Measurement(questions, folder, identity, asker, verdicts, measure=measure)
                return measurement.finish(watch, is_kept=self._is_kept)

    def _check_earlier(self, folder: RunFolder) -> None:
        """Refuse to go on with other questions than those of an older run, unless it is to be replaced."""
        if not folder.overwrites and not self._parts.names:
            check_earlier(self._plan, folder.questions)

    def _open_options(self, model: Any, folder: RunFolder) -> ModelOptions:
        """Return how the model is opened: to give labels, which some models must know, or to write."""
        options, task = self._options.model, self._task
        if self._plan.about.grading["kind"] != "label":
            if options.prompt is not None and task is not None:
                raise UsageError(
                    f"{argument('prompt')} and {argument('task')} exclude each other; edit the task"
                )
            return replace(options, writes=True, json_field="" if task is None else task.answer.json_field)
        if isinstance(model, str) and model.startswith("openai:"):
            if folder.overwrites:
                open_model(model, replace(options, labels=("0", "1"))).close()  # or the older run stays
                folder.begin()
            self._check_earlier(folder)
            self._make_everything()
            return replace(options, labels=tuple(sorted(self._parts.labels)))
        return options

    def _refuse_repeats(self, model: Model) -> None:
        repeats = any(one.axis == "repeat" for one in self._plan.about.conditions)
        if repeats and isinstance(model, RecordedModel):
            problem = f"axis 'repeat' asks again, and {model.name} has one answer for each text"
            raise UsageError(f"{problem}; leave it out")

    def _settle(self, folder: RunFolder, model: Model, judge: Model | None) -> dict[str, str]:
        """Write the settings of the run, and return the name and digest of its model."""
        described = {
            role: None if one is None else {"name": one.name, "digest": one.digest}
            for role, one in (("model", model), ("judge", judge))
        }
        values = {"salva": __version__, **described, "measure": describe_measure(self._options.measure)}
        return folder.settle(values, same_model=self._options.limits.same_model)

    def _make_everything(self) -> None:
        """Make all questions before the first is asked: their labels have to be known."""
        self._tracker.begin("making questions")
        for _ in self._parts:
            pass

    def _ask_all(self, asker: Asker, folder: Path) -> Questions:
        """Ask everything that makers write, as they write it."""
        about, made = self._plan.about, self._parts
        self._tracker.begin("making questions")
        first = next(iter(made))
        if about.grading["kind"] == "label":
            self._check_labels(asker, first)
        self._tracker.begin("asking", "questions", made.estimate(), about=not made.is_complete)
        asker.ask(self._read_parts(), about)
        return open_made(folder)

    def _read_parts(self) -> Iterator[pa.Table]:
        """Yield all questions, block by block, and report how many there will be."""
        for part in self._parts:
            self._tracker.advance(0, total=self._parts.estimate(), about=not self._parts.is_complete)
            yield from part.blocks(ASKED_COLUMNS)

    def _check_labels(self, asker: Asker, first: Questions) -> None:
        """Ask one batch, to see whether the labels of the model match those of the data."""
        model = asker.model
        self._tracker.begin("checking the labels")
        block = next(first.blocks(ASKED_COLUMNS))
        known = model.classes or ()
        self._align(known)  # before anything is asked
        clean = block.filter(is_text(block["condition"], CLEAN))
        asker.ask_some([clean.slice(0, model.batch_size)], self._plan.about)
        grader = self._align([*known, *asker.log.list_replies()])
        grader.warn_of_another_class()
        renamed = [f"{shorten(a)} = {shorten(b)}" for a, b in grader.aligned.items() if a != b][:MOST_LABELS]
        labels = f"labels of the model and of the data: {', '.join(renamed)}" if renamed else "labels match"
        logger.log(NOTICE if renamed else logging.INFO, "%s: %s", model.name, labels)

    def _align(self, model_labels: Sequence[str]) -> LabelGrader:
        """Find the label of the data for each of the model; if one does not match, read all rows first."""
        while True:
            grader = LabelGrader(sorted(self._parts.labels), self._options.measure.label_map)
            try:
                grader.align(model_labels)
            except InputError:
                if self._parts.is_over:
                    raise
                self._make_everything()
            else:
                return grader

    @contextlib.contextmanager
    def _offer_resume(self) -> Iterator[None]:
        """Add to an error about the labels of answers that these answers are kept, if they are."""
        try:
            yield
        except LabelMismatchError as error:
            again = f"; add {argument('resume', True)} too: the answers so far are kept"
            raise LabelMismatchError(f"{error}{again if self._is_kept else ''}") from None


class _Parts:
    """The parts that makers write, in order; each is made in another thread while the one before is asked.

    Making begins with the first use. `names` are those of the parts so far, `labels` those of their rows.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan, self._folder = plan, folder
        self._ahead: MadeAhead[str] | None = None
        self.names: list[str] = []
        self.labels: set[str] = set()
        self.is_over = False

    def __iter__(self) -> Iterator[Questions]:
        """Yield all parts, from the first."""
        number = 0
        while number < len(self.names) or self._fetch():
            yield Questions(self._folder, self._plan.about, [self.names[number]])
            number += 1

    @property
    def is_complete(self) -> bool:
        """Whether all parts are made."""
        return read_about(self._folder / TABLE).data is not None

    def estimate(self) -> int | None:
        """Return how many questions there will be; as many about every item."""
        data = read_about(self._folder / TABLE).data
        items = self._plan.estimate() if data is None else data.rows
        return None if items is None else items * len(self._plan.about.conditions)

    def close(self) -> None:
        """Make no more parts."""
        if self._ahead is not None:
            self._ahead.close()

    def _fetch(self) -> bool:
        """Wait for the next part; return whether there is one."""
        if self._ahead is None:
            self._ahead = MadeAhead(write_parts(self._plan, self._folder))
        name = None if self.is_over else next(iter(self._ahead), None)
        if name is None:
            self.is_over = True
            return False
        self.names.append(name)
        if self._plan.about.grading["kind"] == "label":
            for block in Questions(self._folder, self._plan.about, [name]).blocks(["expected"]):
                labels = pc.unique(pc.list_flatten(block["expected"].combine_chunks())).to_pylist()
                self.labels.update(label for label in labels if label is not None)
        return True
