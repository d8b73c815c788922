"""Evaluate a model: turn data, transforms and a model into a run with results and a report."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva import __version__
from salva._files import write_atomically
from salva._results import as_json, signature
from salva._show import NOTICE, number_of
from salva._types import PathLike
from salva.datasets import Columns, ReadOptions
from salva.errors import ModelError, UsageError
from salva.evaluation.answered import Answered, write_answers
from salva.evaluation.classes import Classes
from salva.evaluation.flips import write_flips
from salva.evaluation.intake import as_source, take_in
from salva.evaluation.page import report_page
from salva.evaluation.results import Blame, DataInfo, Flip, ModelInfo, Results
from salva.evaluation.scoring import Metric, comparisons_of, conditions_of, curves_of
from salva.evaluation.settings import SEVERITIES, EvaluationSettings, fitted_transforms, named_transforms
from salva.evaluation.stopwatch import Stopwatch, peak_memory
from salva.evaluation.summary import summary_lines
from salva.evaluation.tasks import Task, tasks_of
from salva.evaluation.work import Progress, Work
from salva.models import Model, ModelOptions, open_model
from salva.runs import AnswerStore, Asker, Budget, Failure, Noise, RunFolder, RunRows, list_failures
from salva.runs.folder import FORMAT
from salva.transforms import Transform
from salva.transforms.vocabulary import FitOn

logger = logging.getLogger("salva")


@dataclass(frozen=True)
class Run:
    """The outcome of an evaluation: the results, some flips, and how long each stage took."""

    results: Results
    flips: tuple[Flip, ...]
    timings: dict[str, float]
    folder: Path | None = None

    def summary(self) -> str:
        """Return the headline and one line per condition."""
        return "\n".join(summary_lines(self.results))

    def report(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the report."""
        write_atomically(path, report_page(self.results, self.flips).encode(), overwrite=overwrite)


def evaluate(
    data: Any,
    *,
    model: Any,
    presets: Iterable[PathLike | Transform] | None = None,
    severities: Iterable[float] = SEVERITIES,
    replicates: int = 1,
    seed: int = 0,
    fit: FitOn | None = None,
    out: PathLike | None = None,
    resume: bool = False,
    options: ReadOptions | None = None,
    model_options: ModelOptions | None = None,
    label_map: Mapping[str, str] | None = None,
    limit: int | None = None,
    metric: Metric | None = None,
    max_calls: int | None = None,
    max_errors: float = 0.1,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Run:
    """Ask a model about texts and their twins; return how much worse it gets, how surely, and why.

    `data` is a path, a table or a frame, or a list of (text, label); `model` is a spec such as "hf:DIRECTORY"
    or a function from a list of texts to labels. `presets` are names, TOML files or transforms, by default
    every preset; `fit` is one or more files whose words become a vocabulary ("self" means `data`).
    With `out`, everything is kept in a folder, and `resume` continues a run that was stopped there.
    `settings` are the remaining fields of `EvaluationSettings`.
    """
    options, data = options or ReadOptions(), as_source(data)
    made = EvaluationSettings(
        transforms=fitted_transforms(named_transforms(presets), fit, data, options, threads=threads),
        severities=tuple(severities),
        replicates=replicates,
        seed=seed,
        label_map=dict(label_map or {}),
        **_known(settings),
    )
    job = _Job(data, model, made, options, model_options or ModelOptions(), limit, metric, threads)
    budget = Budget(max_calls, max_errors)
    with _folder(out, resume=resume) as folder:
        return job.carry_out(folder, budget, progress or (lambda _: None), keep=out is not None)


@contextlib.contextmanager
def _folder(out: PathLike | None, *, resume: bool) -> Iterator[RunFolder]:
    with contextlib.ExitStack() as stack:
        if out is None:
            if resume:
                raise UsageError("there is nothing to resume without a folder; pass out or -o RUN")
            out = stack.enter_context(tempfile.TemporaryDirectory(prefix="salva-"))
        yield stack.enter_context(RunFolder.open(out, resume=resume))


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(EvaluationSettings)]
    for name in settings:
        if name not in names or name == "transforms":
            raise UsageError(f"evaluate has no setting {name!r}; choose from {', '.join(names[4:])}")
    return settings


@dataclass(frozen=True, slots=True)
class _Job:
    data: Any
    model: Any
    settings: EvaluationSettings
    options: ReadOptions
    model_options: ModelOptions
    limit: int | None
    metric: Metric | None
    threads: int | None

    def carry_out(self, folder: RunFolder, budget: Budget, progress: Progress, *, keep: bool) -> Run:
        fresh = folder.path / ".tmp-data.parquet"
        try:
            return self._carry_out(folder, fresh, budget, progress, keep=keep)
        finally:
            fresh.unlink(missing_ok=True)

    def _carry_out(
        self, folder: RunFolder, fresh: Path, budget: Budget, progress: Progress, *, keep: bool
    ) -> Run:
        watch = Stopwatch()
        with watch("read"):
            info = take_in(self.data, fresh, self.options, limit=self.limit)
        self._check_columns(info)
        classes = Classes(list(info.labels), self.settings.label_map)
        options = dataclasses.replace(self.model_options, labels=tuple(info.labels))
        with contextlib.closing(open_model(self.model, options)) as model:
            classes.admit(model.classes or ())
            _tell(info, classes)
            folder.settle(self._settled(info, model))
            kept = RunRows(fresh.replace(folder.path / "data.parquet"))
            tasks = tasks_of(self.settings)
            work = Work(kept, tasks, self.settings, watch, self.threads)
            with AnswerStore(folder.path / "run.db", model.digest) as store:
                asker = Asker(model, store, budget, watch=watch, timeout=options.timeout)
                found = _ask(work, asker, classes, progress, examine=not getattr(model, "fixed", False))
        with watch("score"):
            results = self._results(info, model, tasks, found)
        run = Run(results, found.flips, watch.seconds, folder.path if keep else None)
        if keep:
            with watch("report"):
                _write(folder.path, run)
                write_answers(folder.path / "answers.parquet", found.answered, tasks, kept)
            spent = {"texts_asked": asker.asked, "seconds": watch.seconds, "peak_memory_mb": peak_memory()}
            folder.write("timings.json", as_json({"format": FORMAT, **spent}))
            folder.write("results.json", as_json(results.as_dict()))  # last: a run that has it is complete
        return run

    def _check_columns(self, info: DataInfo) -> None:
        if self.settings.transformed_column >= len(info.text_columns):
            number, there = self.settings.transformed_column, number_of(len(info.text_columns), "text column")
            raise UsageError(f"transformed_column={number} does not exist: the data has {there}")

    def _settled(self, info: DataInfo, model: Model) -> dict[str, Any]:
        return {
            "salva": ".".join(__version__.split(".")[:2]),
            "data": dataclasses.asdict(info),
            "limit": self.limit,
            "model": {"name": model.name, "digest": model.digest},
            "settings": self.settings.as_dict(),
            "metric": None if self.metric is None else getattr(self.metric, "__name__", "metric"),
        }

    def _results(self, info: DataInfo, model: Model, tasks: tuple[Task, ...], found: _Found) -> Results:
        settings, answered = self.settings, found.answered
        return Results(
            format=FORMAT,
            salva=__version__,
            status="success",
            signature=_signature(info, model, settings),
            model=ModelInfo(model.name, model.digest, dict(sorted(answered.classes.aligned.items()))),
            data=info,
            settings=settings.as_dict(),
            distinct_texts=found.distinct_texts,
            truncated_clean=answered.truncated_clean,
            noise=found.noise,
            failures=found.failures,
            conditions=conditions_of(tasks, answered, settings, self.metric),
            presets=curves_of(tasks, answered, settings),
            comparisons=comparisons_of(tasks, answered, settings),
            blame=found.blame,
        )


@dataclass(frozen=True, slots=True)
class _Found:
    answered: Answered
    noise: Noise
    flips: tuple[Flip, ...]
    blame: Blame | None
    failures: tuple[Failure, ...]
    distinct_texts: int


def _ask(work: Work, asker: Asker, classes: Classes, progress: Progress, *, examine: bool) -> _Found:
    """Do everything that needs the model; one that only looks up answers is not asked about further texts."""
    answered, noise = work.ask_all(asker, classes, progress)
    failures = asker.failures()
    if (answered.clean < 0).all():
        first = next(iter(failures), "no row has a text")
        raise ModelError(f"the model answered none of {number_of(len(answered.clean), 'text')}; {first}")
    asker.finish()
    flips, blame = work.flips(answered), None
    if examine and work.settings.blame_calls:
        flips, blame = work.blame(asker, answered, flips)
    return _Found(answered, noise, tuple(flips), blame, list_failures(failures), asker.distinct_texts())


def _tell(info: DataInfo, classes: Classes) -> None:
    """Report, before the model is asked, which columns are read and how its labels map to the data's."""
    columns = Columns(info.text_columns, info.label_column, info.id_column)
    renamed = [f"{ours} = {theirs}" for ours, theirs in classes.aligned.items() if ours != theirs]
    labels = f"; labels of the model and of the data: {', '.join(renamed)}" if renamed else ""
    logger.log(NOTICE if renamed else logging.INFO, "%s: %s%s", info.name, columns, labels)


def _signature(info: DataInfo, model: Model, settings: EvaluationSettings) -> str:
    transforms = settings.transforms
    return signature(
        data=info.digest.removeprefix("sha256:")[:12],
        model=model.digest.removeprefix("sha256:")[:12],
        presets="+".join(f"{name}.v{transform.version}" for name, transform in transforms.items()),
        settings="+".join(transform.digest.removeprefix("sha256:")[:8] for transform in transforms.values()),
        severities="+".join(f"{value:g}" for value in settings.severities),
        replicates=settings.replicates,
        seed=settings.seed,
        salva=__version__,
    )


def _write(folder: Path, run: Run) -> None:
    write_flips(folder / "flips.parquet", run.flips)
    run.report(folder / "report.html", overwrite=True)
