"""Evaluate a model: make the questions, ask them, join questions and answers, and score the join.

Every step takes up where an earlier process was stopped, and asks a part of the table to its end before the
next part is derived from it.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from salva._allocator import arrow_by_malloc
from salva._arguments import argument
from salva._arrow import is_text
from salva._files import scratch_folder, write_atomically
from salva._progress import ProgressOption, Tracker, tracking
from salva._results import as_json, load_result, signature
from salva._show import NOTICE, number_of, shorten
from salva._types import PathLike
from salva._version import __version__
from salva.asking.asker import ASKED_COLUMNS, Asker, list_failures
from salva.asking.log import AnswerLog
from salva.asking.pipeline import MadeAhead
from salva.asking.ray import open_where_asked
from salva.asking.run_folder import FORMAT, LOG, QUESTIONS, SETTINGS, RunFolder, read_run_file, read_settings
from salva.asking.timing import Stopwatch, peak_memory
from salva.errors import InputError, ModelError, UsageError
from salva.evaluation.answer_table import list_answers, pair_answers
from salva.evaluation.blame import Blamer
from salva.evaluation.breakdowns import (
    count_classes,
    count_duplicates,
    describe_clusters,
    measure_confidence,
    score_classes,
    score_entity_labels,
    score_slices,
)
from salva.evaluation.charts import draw_chart
from salva.evaluation.flips import FLIPS, UNCHANGED, find_flips, find_unchanged, read_flips, write_flips
from salva.evaluation.grading import Grader, LabelGrader, TaskGrader, WordGrader
from salva.evaluation.join import Joined, join
from salva.evaluation.judging import JudgeGrader, open_judge, open_verdicts
from salva.evaluation.noise import Noise, measure_noise
from salva.evaluation.notebook import describe_run, show_run
from salva.evaluation.page import report_page
from salva.evaluation.results import Blame, Flip, ModelInfo, Results
from salva.evaluation.scoring import Scorer
from salva.evaluation.summary import summary_lines
from salva.evaluation.tables import conditions_table
from salva.models import Model, ModelOptions
from salva.models.labels import LabelMismatchError
from salva.pages import Chart
from salva.questions.make import Plan, check_earlier, plan_questions, write_parts
from salva.questions.options import SEVERITIES, Measure, Options
from salva.questions.repeats import repeat_questions
from salva.questions.rewriting import Presets
from salva.questions.table import (
    CLEAN,
    MADE,
    About,
    DataInfo,
    Questions,
    open_made,
    short_name,
    write_part,
)
from salva.tasks import Task, restore_task
from salva.tasks.labelled_spans import Spans

logger = logging.getLogger("salva")

ANSWERS, AGAIN = "answers.parquet", "repeated"
_MOST_LABELS = 12  # in a message


@dataclass(frozen=True, repr=False)
class Run:
    """The outcome of an evaluation: the results, some flips, and how long each stage took.

    `results` has every number; `flips` are items whose answer changed, some of every condition, each with its
    text, its edits, and which of them are to blame. `unchanged` are pairs of contrasts whose answer stayed,
    although it had to change.
    """

    results: Results
    flips: tuple[Flip, ...]
    timings: dict[str, float]
    folder: Path | None = None
    unchanged: tuple[Flip, ...] = ()
    answer_table: pa.Table | None = field(default=None, compare=False)  # if there is no folder

    @property
    def questions(self) -> Questions:
        """The table of what was asked about the data; the run must have a folder."""
        if self.folder is None:
            raise UsageError("the run has no folder, so its questions are gone; evaluate with out=FOLDER")
        return open_made(self.folder / QUESTIONS)

    def list_answers(self) -> pa.Table:
        """Return what was asked about every item, and what was answered: one row per question."""
        if self.folder is None:
            assert self.answer_table is not None  # noqa: S101
            return self.answer_table
        return list_answers(self.questions, self.folder / ANSWERS)

    @property
    def answers(self) -> pa.Table:
        """Every answer as an Arrow table: one row per item and condition.

        Its columns are `row`, `id`, `condition`, `label`, the answers `before` and `after`, whether they are
        right (`right_before`, `right_after`), and whether the answer `changed`. A run that has a folder also
        has the clean `text`, as far as it may be rewritten.
        """
        return pair_answers(self.list_answers(), None if self.folder is None else self.questions)

    def table(self) -> pa.Table:
        """Return the numbers as an Arrow table, one row per condition.

        An estimate has three columns: `drop`, `drop_low`, `drop_high`. A column without a value is left out.
        """
        return conditions_table(self.results)

    def to_pandas(self) -> Any:
        """Return the table of conditions as a frame of pandas."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """Return the table of conditions as a frame of polars."""
        import polars

        return polars.from_arrow(self.table())

    def chart(self, name: str = "drops") -> Chart:
        """Return a chart of the report as SVG: drops, curves, validity, presets or blame."""
        return draw_chart(self.results, name)

    def __repr__(self) -> str:
        """Return the headline in a few lines."""
        return describe_run(self.results)

    def _repr_html_(self) -> str:
        return show_run(self.results)

    def summary(self) -> str:
        """Return the headline and one line per condition."""
        return "\n".join(summary_lines(self.results))

    def report(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the report."""
        write_atomically(
            path, report_page(self.results, self.flips, self.unchanged).encode(), overwrite=overwrite
        )


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
) -> Run:
    """Ask a model about items as they are and under conditions; return the drop and the words to blame.

    `data` is a path, a table, a frame, a Hugging Face data set, a list of dicts or of (text, label); or a
    suite, or a folder of pairs. `model` is a spec such as "hf:DIRECTORY" or a function from a list of texts
    to labels. `presets` is one or more names, TOML files or transforms, by default natural and misspellings;
    "documents" stands for the presets of the specifications. With a `task` (a name, a TOML file or a
    `salva.tasks.Task`), the model replies to the task's questions. `sample` takes as many random rows, the
    same share of every class, which a larger sample contains too. With `out`, everything is kept in a folder:
    `resume` continues a run that was stopped there, `overwrite` replaces it by a new one. `progress=True`
    shows a line that changes, in a notebook or a terminal; a function gets each `Progress`. `options` has
    everything that few runs need.
    """
    chosen = options or Options()
    plan = plan_questions(
        data, presets=presets, severities=severities, task=task, seed=seed, sample=sample, options=chosen
    )
    seed = plan.about.made_with.get("seed", seed)  # a suite has that of its questions
    with (
        arrow_by_malloc(),
        tracking(progress) as tracker,
        _open_folder(out, resume=resume, overwrite=overwrite) as folder,
        Evaluation(
            plan, folder, chosen, tracker, seed=seed, is_kept=out is not None
        ) as work,
    ):
        return work.carry_out(model)


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


class Evaluation:
    """One evaluation under way: the questions of a plan, asked of a model, in the folder of a run."""

    def __init__(
        self, plan: Plan, folder: RunFolder, options: Options, tracker: Tracker, *, seed: int, is_kept: bool
    ) -> None:
        self._plan, self._folder, self._options, self._tracker = plan, folder, options, tracker
        self._seed, self._is_kept = seed, is_kept
        self._watch = Stopwatch()
        self._opened: _Parts | None = None

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(self, *error: object) -> None:
        if self._opened is not None:
            self._opened.close()

    @property
    def _parts(self) -> _Parts:
        """The parts of the table; making them begins with the first use."""
        if self._opened is None:
            self._opened = _Parts(self._plan, self._folder.questions)
        return self._opened

    @property
    def _task(self) -> Task | None:
        about = self._plan.about.task
        return None if about is None else restore_task(about)

    def carry_out(self, model: Any) -> Run:
        """Ask a model everything, and return what was found."""
        task, measure = self._task, self._options.measure
        self._tracker.begin("opening the model")
        with contextlib.ExitStack() as stack:
            opening = self._open_options(model, task)
            opened = stack.enter_context(open_where_asked(model, opening, self._options.limits))
            judge = stack.enter_context(open_judge(measure, self._options.model, task))
            self._refuse_repeats(opened)
            if not self._folder.overwrites:
                check_earlier(self._plan, self._folder.questions)
            identity = self._settle(opened, judge)
            log = stack.enter_context(AnswerLog(self._folder.path / LOG, identity["digest"]))
            asker = Asker(
                opened,
                log,
                self._options.limits,
                timeout=opening.timeout if self._options.limits.engine == "local" else None,
                watch=self._watch,
                tracker=self._tracker,
            )
            verdicts = None
            if judge is not None:
                kept = stack.enter_context(open_verdicts(self._folder.path / LOG, judge.digest))
                verdicts = asker.beside(judge, kept, "judge")
            with _offer_resume(self._is_kept):
                questions = self._ask_all(asker, opened)
                measurement = Measurement(
                    questions, self._folder, identity, asker, verdicts, measure=measure, seed=self._seed
                )
                return measurement.finish(self._tracker, self._watch, is_kept=self._is_kept)

    def _open_options(self, model: Any, task: Task | None) -> ModelOptions:
        """Return how the model is opened: to give labels, which some models must know, or to write."""
        options = self._options.model
        kind = self._plan.about.grading["kind"]
        if kind != "label":
            if options.prompt is not None and task is not None:
                raise UsageError(
                    f"{argument('prompt')} and {argument('task')} exclude each other; edit the task"
                )
            field_ = "" if task is None else task.answer.json_field
            return replace(options, writes=True, json_field=field_)
        if isinstance(model, str) and model.startswith("openai:"):
            self._make_everything()
            return replace(options, labels=tuple(sorted(self._parts.labels)))
        return options

    def _refuse_repeats(self, model: Model) -> None:
        if getattr(model, "fixed", False) and any(
            one.axis == "repeat" for one in self._plan.about.conditions
        ):
            problem = f"axis 'repeat' asks again, and {model.name} has one answer for each text"
            raise UsageError(f"{problem}; leave it out")

    def _settle(self, model: Model, judge: Model | None) -> dict[str, str]:
        """Write the settings of the run, and return the name and digest of its model."""
        models = {"model": model, "judge": judge}
        described = {
            role: None if one is None else {"name": one.name, "digest": one.digest}
            for role, one in models.items()
        }
        values = {"salva": __version__, **described, "measure": describe_measure(self._options.measure)}
        return self._folder.settle(values, same_model=self._options.limits.same_model)

    def _make_everything(self) -> None:
        """Make all questions before the first is asked: their labels have to be known."""
        self._tracker.begin("making questions")
        for _ in self._parts:
            pass

    def _ask_all(self, asker: Asker, model: Model) -> Questions:
        """Ask everything that makers write, as they write it; then some clean questions again."""
        about = self._plan.about
        if about.grading["kind"] == "label":
            self._check_labels(asker, model)
        self._tracker.begin("asking", "questions")
        asker.ask((block for part in self._parts for block in part.blocks(ASKED_COLUMNS)), about)
        questions = open_made(self._folder.questions)
        measure = self._options.measure
        if measure.noise and not asker.is_fixed:
            write_part(
                self._folder.questions / f"{AGAIN}.parquet",
                repeat_questions(questions, measure.noise, measure.alone),
            )
            self._tracker.begin("noise", "questions")
            again = Questions(self._folder.questions, questions.about, [AGAIN])
            asker.ask(again.blocks(ASKED_COLUMNS), questions.about)
        return questions

    def _check_labels(self, asker: Asker, model: Model) -> None:
        """Ask one batch, to see whether the labels of the model match those of the data.

        If they do not match those of the first rows, all rows are read before more is asked.
        """
        self._tracker.begin("checking the labels")
        block = next(next(iter(self._parts)).blocks(ASKED_COLUMNS))
        clean = block.filter(is_text(block["condition"], CLEAN))
        asker.ask_some([clean.slice(0, model.batch_size)], self._plan.about)
        replies = [*(model.classes or ()), *asker.log.list_replies()]
        for is_last in (False, True):
            grader = LabelGrader(sorted(self._parts.labels), self._options.measure.label_map)
            try:
                grader.align(replies)
                break
            except InputError:
                if is_last or self._parts.is_over:
                    raise
                self._make_everything()
        renamed = [f"{shorten(a)} = {shorten(b)}" for a, b in grader.aligned.items() if a != b][:_MOST_LABELS]
        labels = f"labels of the model and of the data: {', '.join(renamed)}" if renamed else "labels match"
        logger.log(NOTICE if renamed else logging.INFO, "%s: %s", model.name, labels)


class _Parts:
    """The parts that makers write, in order; each is made in another thread while the one before is asked."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan, self._folder = plan, folder
        self._ahead = MadeAhead(write_parts(plan, folder))
        self._coming = iter(self._ahead)
        self._names: list[str] = []
        self.labels: set[str] = set()
        """The labels of the data, as far as it was read."""
        self.is_over = False

    def __iter__(self) -> Iterator[Questions]:
        """Yield all parts, from the first."""
        number = 0
        while number < len(self._names) or self._fetch():
            yield Questions(self._folder, self._plan.about, [self._names[number]])
            number += 1

    def close(self) -> None:
        """Make no more parts."""
        self._ahead.close()

    def _fetch(self) -> bool:
        """Wait for the next part; return whether there is one."""
        name = next(self._coming, None)
        if name is None:
            self.is_over = True
            return False
        self._names.append(name)
        if self._plan.about.grading["kind"] == "label":
            for block in Questions(self._folder, self._plan.about, [name]).blocks(["expected"]):
                labels = pc.unique(pc.list_flatten(block["expected"].combine_chunks())).to_pylist()
                self.labels.update(label for label in labels if label is not None)
        return True


class Measurement:
    """The measuring of a run whose questions are answered: noise, judge, join, flips, blame, numbers."""

    def __init__(
        self,
        questions: Questions,
        folder: RunFolder,
        identity: Mapping[str, str],
        asker: Asker,
        verdicts: Asker | None,
        *,
        measure: Measure,
        seed: int,
        model_labels: Iterable[str] = (),
    ) -> None:
        self._questions, self._folder, self._identity = questions, folder, identity
        self._asker, self._verdicts = asker, verdicts
        self._measure, self._seed = measure, seed
        self._grader = self._make_grader(model_labels)

    @property
    def _about(self) -> About:
        return self._questions.about

    @property
    def _info(self) -> DataInfo:
        assert self._about.data is not None  # noqa: S101
        return self._about.data

    def _make_grader(self, model_labels: Iterable[str]) -> Grader:
        grading = self._about.grading
        if grading["kind"] == "label":
            grader = LabelGrader(list(self._info.labels), self._measure.label_map)
            grader.align([*model_labels, *(self._asker.model.classes or ()), *self._asker.log.list_replies()])
            self._warn_of_missing_labels(grader)
            return grader
        if grading["kind"] == "words":
            return WordGrader()
        task = restore_task(grading["task"])
        if not task.answer.needs_judge:
            return TaskGrader(task)
        assert self._verdicts is not None  # noqa: S101
        return JudgeGrader(task, self._verdicts, self._folder.questions, self._identity["digest"])

    def _warn_of_missing_labels(self, grader: LabelGrader) -> None:
        missing = [name for name in grader.never_answered if self._info.labels.get(name)]
        if missing and grader.aligned:
            rows = number_of(sum(self._info.labels[name] for name in missing), "row")
            named = ", ".join(shorten(repr(name)) for name in missing[:_MOST_LABELS])
            problem = "the model never answers some labels of the data, so their rows cannot be right"
            logger.warning("%s: %s (%s)", problem, named, rows)

    def finish(self, tracker: Tracker, watch: Stopwatch, *, is_kept: bool) -> Run:
        """Return what was found, and write it to the folder."""
        log, grader = self._asker.log, self._grader
        again = self._open_again()
        if isinstance(grader, JudgeGrader):
            tracker.begin("judging", "replies")
            grader.ask_about(self._questions, log, MADE)
            if again is not None:
                grader.ask_about(again, log, AGAIN)
            grader.measure_noise(self._about, self._measure)
            grader.is_counting = True
        with watch("join"):
            joined = join(
                self._questions,
                log,
                grader,
                group=self._about.made_with.get("group") is not None,
                slices=self._slices,
                model=self._identity["name"],
                out=self._folder.path / ANSWERS,
            )
        if isinstance(grader, JudgeGrader):
            grader.is_counting = False
        noise = None if again is None else measure_noise(again, log, grader)
        if (joined.clean.codes == -1).all():
            reason = next(iter(joined.reasons), "no row has a text")
            texts = number_of(len(joined), "text")
            raise ModelError(f"the model answered none of {texts}; {reason}")
        self._refuse_unparsed(joined)
        with watch("flips"):
            cases = find_flips(self._questions, joined, self._measure.flips)
        flips, blame = [case.flip for case in cases], None
        if self._measure.blame_calls and not self._is_fixed and not self._finds_spans:
            tracker.begin("blame", "questions")
            with watch("blame"):
                flips, blame = self._find_blame(flips, cases)
        tracker.begin("scoring and writing the report")
        failures = log.count_failures()
        log.forget()
        with watch("score"):
            results = self._make_results(joined, noise, blame, failures)
        same = find_unchanged(self._questions, joined, self._measure.flips)
        run = Run(results, tuple(flips), watch.seconds, self._folder.path, unchanged=tuple(same))
        if not is_kept:
            return replace(run, folder=None, answer_table=run.list_answers())
        self._write(run, watch)
        return run

    @property
    def _slices(self) -> tuple[str, ...]:
        return tuple(self._about.made_with.get("slice_by") or ())

    @property
    def _is_fixed(self) -> bool:
        """Whether the answers come from files: no other text can be asked about, and none varies."""
        return self._asker.is_fixed

    @property
    def _finds_spans(self) -> bool:
        """Whether answers are spans: those of a text with some edits undone have other positions."""
        return isinstance(self._grader, TaskGrader) and isinstance(self._grader.task.answer, Spans)

    def _open_again(self) -> Questions | None:
        place = self._folder.questions / f"{AGAIN}.parquet"
        wanted = self._measure.noise and not self._is_fixed
        return Questions(self._folder.questions, self._about, [AGAIN]) if wanted and place.is_file() else None

    def _refuse_unparsed(self, joined: Joined) -> None:
        """Stop a run in which no reply has an answer: nothing can be measured."""
        every = [joined.clean, *joined.conditions]
        codes = {code for one in every for code in set(one.codes[one.codes != -1].tolist())}
        if codes == {-2}:
            example = next((one for one in self._asker.log.list_replies()), "")
            problem = f"no reply of the model has an answer; the first: {shorten(repr(example))}"
            raise ModelError(f"{problem}; change the prompt or [answer] of the task")

    def _find_blame(self, flips: list[Flip], cases: list[Any]) -> tuple[list[Flip], Blame]:
        edited = [k for k, case in enumerate(cases) if case.condition.has_edits]
        place = self._folder.questions / f"blamed-{short_name(self._identity['digest'])}.parquet"
        blamer = Blamer(self._asker, self._grader, self._about, place)
        found, blame = blamer.explain([cases[k] for k in edited], self._measure.blame_calls)
        for k, flip in zip(edited, found, strict=True):
            flips[k] = flip
        return flips, blame

    def _make_results(
        self, joined: Joined, noise: Noise | None, blame: Blame | None, failures: Mapping[str, int]
    ) -> Results:
        """Return what was found, as numbers."""
        scorer = Scorer(self._about, joined, self._measure, self._seed)
        conditions = scorer.conditions()
        grader = self._grader
        judge = grader.describe() if isinstance(grader, JudgeGrader) else None
        settings = describe_settings(self._about, self._measure, self._seed)
        return Results(
            format=FORMAT,
            salva=__version__,
            status="success",
            signature=sign(self._about, self._identity["digest"], None if judge is None else judge.digest),
            model=ModelInfo(**self._identity, labels=dict(sorted(grader.aligned.items()))),
            data=self._info,
            settings=settings,
            distinct_texts=joined.different,
            truncated_clean=joined.clean.truncated,
            noise=noise,
            failures=list_failures(failures),
            conditions=conditions,
            presets=scorer.curves(),
            comparisons=scorer.comparisons(),
            blame=blame,
            failed=joined.failed,
            clusters=describe_clusters(joined, conditions, settings.get("group")),
            duplicates=count_duplicates(joined),
            classes=count_classes(joined),
            by_class=score_classes(joined),
            slices=score_slices(joined, self._slices),
            confidence=measure_confidence(joined),
            entities=score_entity_labels(joined, self._seed),
            contrasts=tuple(scorer.contrasts()),
            judge=judge,
            **scorer.axes(),
        )

    def _write(self, run: Run, watch: Stopwatch) -> None:
        """Write the files of a finished run."""
        path = self._folder.path
        with watch("report"):
            write_flips(path / FLIPS, run.flips)
            if run.results.contrasts:
                write_flips(path / UNCHANGED, run.unchanged)
            run.report(path / "report.html", overwrite=True)
        asked = {"texts_asked": self._asker.asked}
        if self._verdicts is not None:
            asked["verdicts_asked"] = self._verdicts.asked
        spent = {**asked, "seconds": watch.seconds, "peak_memory_mb": peak_memory()}
        self._folder.write("timings.json", as_json({"format": FORMAT, **spent}))
        self._folder.write(
            "results.json", as_json(run.results.as_dict())
        )  # last: a run that has it is complete


def describe_measure(measure: Measure) -> dict[str, Any]:
    """Return what is measured, as plain values; functions and models go by their names."""
    names = ("noise", "alone", "flips", "blame_calls", "resamples", "drop_limit")
    metric = measure.metric
    return {
        **{name: getattr(measure, name) for name in names},
        "label_map": dict(measure.label_map),
        "metric": None if metric is None else getattr(metric, "__name__", "metric"),
    }


def describe_settings(about: About, measure: Measure, seed: int) -> dict[str, Any]:
    """Return everything on which the numbers of a run depend, except the data and the model."""
    return {
        "presets": {name: preset.about for name, preset in about.presets.items()},
        "task": about.task,
        "rewritten_part": about.rewritten_part,
        **about.made_with,
        "seed": about.made_with.get("seed", seed),
        **describe_measure(measure),
    }


def sign(about: About, model: str, judge: str | None) -> str:
    """Return the signature of a run: what its numbers depend on, in one line."""
    made, presets = about.made_with, about.presets.values()
    named: dict[str, Any] = {}
    if about.task is not None:
        named["task"] = f"{about.task['name']}.{restore_task(about.task).digest.removeprefix('sha256:')[:8]}"
    if "suite" in made:
        name, _, digest = made["suite"].rpartition(".sha256:")
        named["suite"] = f"{name}.{digest[:12]}"
    axes = {name: value for name, value in (made.get("axes") or {}).items() if value}
    if axes:
        named["axes"] = "+".join(axes) + ("+cross" if made.get("cross") else "")
    if judge is not None:
        named["judge"] = judge.removeprefix("sha256:")[:12]
    assert about.data is not None  # noqa: S101
    return signature(
        **named,
        data=about.data.digest.removeprefix("sha256:")[:12],
        model=model.removeprefix("sha256:")[:12],
        presets="+".join(f"{name}.v{preset.version}" for name, preset in about.presets.items()),
        settings="+".join(preset.digest.removeprefix("sha256:")[:8] for preset in presets),
        severities="+".join(f"{value:g}" for value in made.get("severities", ())),
        copies=made.get("copies", 1),
        seed=made.get("seed", 0),
        salva=__version__,
    )


def load_run(folder: PathLike) -> Run:
    """Return the run in a folder; refuse one that was stopped, which has no results yet."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError.at(path, None, "is not the folder of a run; name one that salva evaluate made")
    place = path / "results.json"
    if not place.is_file():
        begun = (path / SETTINGS).is_file()
        if begun:
            read_settings(path)
        problem = f"is not finished; continue it with {argument('resume', True)}" if begun else "holds no run"
        raise InputError.at(path, None, problem)
    results = load_result(place, Results, read_run_file(place))
    flips = tuple(read_flips(path / FLIPS))
    timings = read_run_file(path / "timings.json").get("seconds", {})
    same = tuple(read_flips(path / UNCHANGED)) if results.contrasts else ()
    return Run(results, flips, timings, path, unchanged=same)


@contextlib.contextmanager
def _offer_resume(is_kept: bool) -> Iterator[None]:
    """Add to an error about the labels of answers that these answers are kept, if they are."""
    try:
        yield
    except LabelMismatchError as error:
        kept = f"; add {argument('resume', True)} too: the answers so far are kept" if is_kept else ""
        raise LabelMismatchError(f"{error}{kept}") from None
