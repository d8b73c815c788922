"""Evaluate a model: turn data, transforms and a model into a run with results and a report."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from salva._arguments import argument
from salva._files import scratch_folder, write_atomically
from salva._progress import ProgressOption, tracking
from salva._results import as_json, load_result
from salva._show import NOTICE, number_of, shorten
from salva._types import Bools, PathLike
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.evaluation.answers import SCORES, LabelCodes, list_answers, read_answer_table
from salva.evaluation.charts import draw_chart
from salva.evaluation.classes import count_classes, score_classes
from salva.evaluation.confidence import measure_confidence
from salva.evaluation.entities import score_labels
from salva.evaluation.exchange import Exchange
from salva.evaluation.flips import read_flips, write_flips
from salva.evaluation.frozen_inputs import make_maker
from salva.evaluation.judging import judge_replies, make_codes, open_judge
from salva.evaluation.notebook import describe_run, show_run
from salva.evaluation.page import report_page
from salva.evaluation.preparing import prepare
from salva.evaluation.results import DataInfo, Flip, ModelInfo, Results
from salva.evaluation.scoring import compare_presets, draw_curves, score_conditions
from salva.evaluation.settings import FREE_SETTINGS, SEVERITIES, EvaluationSettings, Presets
from salva.evaluation.signing import sign_run
from salva.evaluation.slices import score_slices
from salva.evaluation.subject import subject_options
from salva.evaluation.summary import summary_lines
from salva.evaluation.tables import conditions_table
from salva.evaluation.variants import measure_axes
from salva.models import Model, ModelOptions
from salva.models.labels import LabelMismatchError
from salva.models.logs import FIXED
from salva.numbers import Metric
from salva.pages import Chart
from salva.rows import Columns, ReadOptions
from salva.runs import AnswerStore, Asker, Budget, Engine, RunFolder, RunRows, list_failures, noting_calls
from salva.runs.folder import FORMAT, SETTINGS, read_run_file
from salva.runs.stopwatch import Stopwatch, peak_memory
from salva.transforms.vocabulary import FitOn

logger = logging.getLogger("salva")

_MOST_LABELS = 12  # in a message
UNCHANGED = "unchanged.parquet"  # pairs of contrasts whose answer stayed
# What may differ when a run is resumed.
FREE = ("metric", "judge", *(f"settings.{name}" for name in (*FREE_SETTINGS, "task.name", "task.answer")))


@dataclass(frozen=True, repr=False)
class Run:
    """The outcome of an evaluation: the results, some flips, and how long each stage took.

    `results` has every number; `flips` are rows whose answer changed, some of every condition, each with its
    text, its edits, and which of them are to blame. `unchanged` are pairs of contrasts whose answer stayed,
    although it had to change.
    """

    results: Results
    flips: tuple[Flip, ...]
    timings: dict[str, float]
    folder: Path | None = None
    answer_table: pa.Table | None = field(default=None, compare=False)  # if there is no folder
    unchanged: tuple[Flip, ...] = ()
    score_table: pa.Table | None = field(default=None, compare=False)  # the same, of graded answers
    asked: Mapping[str, Bools] = field(default_factory=dict, compare=False)  # by condition, if not all rows

    @property
    def answers(self) -> pa.Table:
        """Every answer as an Arrow table: one row per row of the data and condition.

        Its columns are `row`, `id`, `condition`, `label`, the answers `before` and `after`, whether they are
        right (`right_before`, `right_after`), and whether the answer `changed`. A run that has a folder also
        has the clean `text` (for pairs, `text` and `text_b`).
        """
        if self.folder is None:
            return list_answers(self.answer_table, {})
        texts = RunRows(self.folder / "data.parquet").read_texts()
        named = dict(zip(("text", "text_b"), texts, strict=False))
        return list_answers(read_answer_table(self.folder / "answers.parquet"), named)

    def table(self) -> pa.Table:
        """Return the numbers as an Arrow table, one row per condition.

        An estimate has three columns: `drop`, `drop_low`, `drop_high`.
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
    *,
    model: Any,
    judge: Any = None,
    labels: Iterable[Any] | None = None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    replicates: int = 1,
    seed: int = 0,
    fit: FitOn | None = None,
    out: PathLike | None = None,
    resume: bool = False,
    overwrite: bool = False,
    same_model: bool = False,
    options: ReadOptions | None = None,
    model_options: ModelOptions | None = None,
    judge_options: ModelOptions | None = None,
    label_map: Mapping[str, str] | None = None,
    limit: int | None = None,
    sample: int | None = None,
    metric: Metric | None = None,
    max_calls: int | None = None,
    max_errors: float = 0.1,
    threads: int | None = None,
    engine: str | Engine = "local",
    progress: ProgressOption = False,
    **settings: Any,
) -> Run:
    """Ask a model about texts and their twins; return the drop, how certain it is, and the words to blame.

    `data` is a path, a table, a frame, a Hugging Face data set, a list of dicts or of (text, label), or a
    list of texts with their `labels`. Columns with usual names are found; `text_column` (two for pairs of
    texts), `label_column` and `id_column` name others. `model` is a spec such as "hf:DIRECTORY" or a function
    from a list of texts to labels. `presets` is one or more names, TOML files or transforms, by default
    natural and misspellings; "documents" stands for the presets of the specifications. `fit` is one or more
    files whose words become a vocabulary ("self" means `data`). `limit` evaluates the first rows; `sample`
    takes as many random ones, the same share of every class, which a larger sample contains too.
    With a `task` (a name, a TOML file or a `salva.tasks.Task`), the model replies to the task's questions; if
    its answers are of the kind judge, the model `judge` judges the replies.
    `axes`, such as {"prompts": FILE, "order": 4, "repeat": 3, "variants": ["paraphrase"]}, ask in other ways
    too. Then there are no presets unless named; with `cross`, their twins are asked in these ways as well.
    With `out`, everything is kept in a folder. `resume` continues a run that was stopped there, also with
    other settings if the texts stay the same; `same_model` keeps the answers of a model that changed since.
    `overwrite` replaces the run by a new one. With `engine="ray"`, actors of Ray ask the model, one per
    GPU or core (`Engine` has the details).
    `progress=True` shows a line that changes, in a notebook or a terminal; a function gets each `Progress`.
    `settings` are the remaining fields of `EvaluationSettings`.
    """
    opening, where = model_options or ModelOptions(), Engine.of(engine)
    budget, watch = Budget(max_calls, max_errors), Stopwatch()
    prepared = prepare(
        data,
        labels,
        (text_column, label_column, id_column),
        options=options,
        limit=limit,
        sample=sample,
        presets=presets,
        fit=fit,
        threads=threads,
        severities=severities,
        replicates=replicates,
        seed=seed,
        label_map=dict(label_map or {}),
        **settings,
    )
    with (
        tracking(progress) as tracker,
        _open_folder(out, resume=resume, overwrite=overwrite) as folder,
        _scratch(folder.path / ".tmp-data.parquet") as fresh,
    ):
        tracker.begin("reading the data")
        with watch("read"):
            info, chosen = prepared.read(fresh)
        codes = make_codes(list(info.labels), chosen)
        tracker.begin("opening the model")
        judging = open_judge(judge, judge_options, opening, chosen.task)
        opening = subject_options(opening, info.labels, chosen.task)
        with where.open(model, opening) as opened, judging as seated:
            _align(info, codes, opened, chosen)
            values = _run_values(info, {"model": opened, "judge": seated}, chosen, prepared.part, metric)
            identity = folder.settle(values, free=FREE, same_model=same_model)
            maker = make_maker(RunRows(fresh.replace(folder.path / "data.parquet")), chosen, threads)
            store = AnswerStore(folder.path / "run.db", identity["digest"])
            with _offer_resume(out), store, noting_calls(opened, folder.path) as noted:
                timeout = where.timeout(opening)
                asker = Asker(noted, store, budget, watch=watch, timeout=timeout, tracker=tracker)
                with judge_replies(codes, seated, asker, folder.path):
                    exchange = Exchange(maker, asker, codes, chosen, watch)
                    exchange.carry_out()
        tracker.begin("scoring and writing the report")
        with watch("score"):
            results = make_results(info, identity, chosen, exchange, metric)
        run = make_run(results, exchange, watch, None if out is None else folder.path)
        if out is None:
            return dataclasses.replace(run, **exchange.collect_tables())
        write_run(folder, run, exchange, maker.rows, watch)
    return run


def make_run(results: Results, exchange: Exchange, watch: Stopwatch, folder: Path | None) -> Run:
    """Return a run with what an exchange found."""
    same = exchange.contrasts.find_unchanged(results.settings["flips"])
    return Run(results, tuple(exchange.flips), watch.seconds, folder, unchanged=tuple(same))


def load_run(folder: PathLike) -> Run:
    """Return the run in a folder; refuse one that was stopped, which has no results yet."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError.at(path, None, "is not the folder of a run; name one that salva evaluate made")
    begun = (path / SETTINGS).is_file()
    if begun and read_run_file(path / SETTINGS).get("kind") == "twins":
        raise InputError.at(path, None, "holds a run over pairs; show it with salva twins score")
    place = path / "results.json"
    if not place.is_file():
        problem = f"is not finished; continue it with {argument('resume', True)}" if begun else "holds no run"
        raise InputError.at(path, None, problem)
    results = load_result(place, Results, read_run_file(place))
    flips = tuple(read_flips(path / "flips.parquet"))
    timings = read_run_file(path / "timings.json").get("seconds", {})
    same = tuple(read_flips(path / UNCHANGED)) if results.contrasts else ()
    return Run(results, flips, timings, path, unchanged=same)


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


@contextlib.contextmanager
def _offer_resume(out: PathLike | None) -> Iterator[None]:
    """Add to an error about the labels of answers that these answers are kept, if they are."""
    try:
        yield
    except LabelMismatchError as error:
        kept = "" if out is None else f"; add {argument('resume', True)} too: the answers so far are kept"
        raise LabelMismatchError(f"{error}{kept}") from None


@contextlib.contextmanager
def _scratch(path: Path) -> Iterator[Path]:
    """Provide a path of a file that is removed at the end, unless it was moved."""
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _align(info: DataInfo, codes: LabelCodes, model: Model, settings: EvaluationSettings) -> None:
    """Report, before the model is asked, which columns are read and how its labels map to the data's."""
    if settings.axes.repeat and isinstance(model, FIXED):
        problem = f"axis 'repeat' asks again, and {model.name} has one answer for each text"
        raise UsageError(f"{problem}; leave it out")
    codes.align(model.classes or ())
    columns = Columns(info.text_columns, info.label_column, info.id_column)
    renamed = [f"{shorten(a)} = {shorten(b)}" for a, b in codes.aligned.items() if a != b][:_MOST_LABELS]
    labels = f"; labels of the model and of the data: {', '.join(renamed)}" if renamed else ""
    logger.log(NOTICE if renamed else logging.INFO, "%s: %s%s", info.name, columns, labels)
    missing = [name for name in codes.never_answered if info.labels[name]] if codes.aligned else []
    if missing:
        rows = number_of(sum(info.labels[name] for name in missing), "row")
        problem = "the model never answers some labels of the data, so their rows cannot be right"
        logger.warning(
            "%s: %s (%s)", problem, ", ".join(shorten(repr(name)) for name in missing[:_MOST_LABELS]), rows
        )


def _run_values(
    info: DataInfo,
    models: Mapping[str, Model | None],
    settings: EvaluationSettings,
    part: Mapping[str, int | None],
    metric: Metric | None,
) -> dict[str, Any]:
    """Return the settings of a run; when it is resumed, all but those named in `FREE` must be the same."""
    return {
        "salva": ".".join(__version__.split(".")[:2]),
        "data": dataclasses.asdict(info),
        **part,
        **{role: {"name": one.name, "digest": one.digest} for role, one in models.items() if one is not None},
        "settings": settings.as_dict(),
        "metric": name_metric(metric),
    }


def name_metric(metric: Metric | None) -> str | None:
    """Return the name of a metric, as it is kept with the settings of a run."""
    return None if metric is None else getattr(metric, "__name__", "metric")


def make_results(
    info: DataInfo,
    model: Mapping[str, str],
    settings: EvaluationSettings,
    exchange: Exchange,
    metric: Metric | None,
) -> Results:
    """Return what an exchange found, as numbers."""
    conditions = score_conditions(exchange, settings, metric)
    return Results(
        format=FORMAT,
        salva=__version__,
        status="success",
        signature=sign_run(info, model["digest"], settings, exchange.answers.codes.describe_judge()),
        model=ModelInfo(**model, labels=dict(sorted(exchange.answers.codes.aligned.items()))),
        data=info,
        settings=settings.as_dict(),
        distinct_texts=exchange.distinct_texts,
        truncated_clean=exchange.answers.truncated_clean,
        noise=exchange.noise,
        failures=list_failures(exchange.failures),
        conditions=conditions,
        presets=draw_curves(exchange, settings),
        comparisons=compare_presets(exchange, settings),
        blame=exchange.blame,
        failed=exchange.failed.as_result(),
        clusters=exchange.facts.describe_clusters(conditions),
        duplicates=exchange.facts.count_duplicates(exchange.answers.labels),
        classes=count_classes(exchange),
        by_class=score_classes(exchange),
        slices=score_slices(exchange, settings.slice_by),
        confidence=measure_confidence(exchange),
        entities=score_labels(exchange, settings),
        **measure_axes(exchange),
        contrasts=tuple(exchange.contrasts.score(exchange.facts.clusters)),
        judge=exchange.answers.codes.describe_judge(),
    )


def write_run(folder: RunFolder, run: Run, exchange: Exchange, rows: RunRows, watch: Stopwatch) -> None:
    """Write the files of a finished run."""
    with watch("report"):
        write_flips(folder.path / "flips.parquet", run.flips)
        if run.results.contrasts:
            write_flips(folder.path / UNCHANGED, run.unchanged)
        run.report(folder.path / "report.html", overwrite=True)
        names = [condition.name for condition in exchange.conditions]
        exchange.answers.write(folder.path / "answers.parquet", names, rows)
        exchange.answers.write_scores(folder.path / SCORES, names, rows)
    asked = {"texts_asked": exchange.texts_asked, **exchange.answers.codes.count_calls()}
    spent = {**asked, "seconds": watch.seconds, "peak_memory_mb": peak_memory()}
    folder.write("timings.json", as_json({"format": FORMAT, **spent}))
    folder.write("results.json", as_json(run.results.as_dict()))  # last: a run that has it is complete
