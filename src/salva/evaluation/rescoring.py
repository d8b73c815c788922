"""Score the answers of a run again, with other settings and without its model."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import EllipsisType
from typing import Any

from salva._arguments import argument, did_you_mean
from salva._progress import ProgressOption, Tracker, tracking
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.evaluation.answers import LabelCodes
from salva.evaluation.exchange import Exchange
from salva.evaluation.frozen_inputs import make_maker
from salva.evaluation.judging import JudgedCodes, make_codes, open_verdicts
from salva.evaluation.results import JudgeResult, Results
from salva.evaluation.run import FREE, Run, load_run, make_results, make_run, name_metric, write_run
from salva.evaluation.settings import FREE_SETTINGS, EvaluationSettings, restore_settings
from salva.numbers import Metric
from salva.runs import AnswerStore, Purpose, RunFolder, RunRows, StoredAsker
from salva.runs.folder import SETTINGS, read_run_file
from salva.runs.stopwatch import Stopwatch
from salva.runs.stored import StoredModel
from salva.tasks import read_task
from salva.tasks.judging import list_asked

# Arguments of `evaluate` that change what the model is asked.
_QUESTIONS = {"data", "model", "presets", "fit", "severities", "replicates", "seed", "limit", "sample"} | {
    "axes",
    "cross",
}


def rescore(
    folder: PathLike,
    *,
    metric: Metric | EllipsisType | None = ...,
    threads: int | None = None,
    progress: ProgressOption = False,
    **settings: Any,
) -> Run:
    """Score the finished run in a folder again, with some settings changed; the model is not opened.

    The settings are those that do not change what the model is asked about the rows: how a `task` grades
    replies, `label_map`,
    `effective_over`, `noise`, `flips`, `blame_calls` and others. What they need beyond the stored answers
    is refused. Functions are not stored, so a `metric` must be given again; None leaves it out. The files of
    the run are replaced by those that `evaluate` would have written.
    """
    _check_names(settings)
    if isinstance(settings.get("task"), str | os.PathLike):
        settings["task"] = read_task(settings["task"])
    old = load_run(folder).results
    chosen = _change_settings(Path(folder), old, settings)
    with tracking(progress) as tracker, RunFolder.open(folder, resume=True) as home:
        kept = read_run_file(home.path / SETTINGS)
        own = _choose_metric(home.path, kept.get("metric"), metric)
        watch, rows = Stopwatch(), RunRows(home.path / "data.parquet")
        _check_columns(rows, chosen)
        codes = make_codes(list(old.data.labels), chosen)
        codes.align(old.model.labels)
        model = StoredModel(old.model.name, old.model.digest)
        is_fixed = old.noise is None or model.name.startswith("predictions:")
        with AnswerStore(home.path / "run.db", model.digest, read_only=True) as store:
            asker = StoredAsker(
                model, store, _purposes(old.settings, chosen), is_fixed=is_fixed, tracker=tracker
            )
            with _judged_before(codes, old, chosen, home.path, tracker):
                exchange = Exchange(make_maker(rows, chosen, threads), asker, codes, chosen, watch)
                exchange.carry_out()
        tracker.begin("scoring and writing the report")
        home.settle({**kept, "settings": chosen.as_dict(), "metric": name_metric(own)}, free=FREE)
        with watch("score"):
            identity = {"name": model.name, "digest": model.digest}
            results = make_results(old.data, identity, chosen, exchange, own)
        results = dataclasses.replace(
            results, failures=old.failures, failed=old.failed, judge=_keep_failures(old.judge, results.judge)
        )
        run = make_run(results, exchange, watch, home.path)
        write_run(home, run, exchange, rows, watch)
    return run


@contextlib.contextmanager
def _judged_before(
    codes: LabelCodes, old: Results, new: EvaluationSettings, folder: Path, tracker: Tracker
) -> Iterator[None]:
    """Let the stored verdicts grade the replies inside the block; refuse a rubric that has none."""
    if not isinstance(codes, JudgedCodes):
        yield
        return
    before = old.settings["task"]["answer"] if old.judge is not None else {}
    after = new.as_dict()["task"]["answer"]
    if old.judge is None or list_asked(before) != list_asked(after):
        remedy = f"ask the judge with salva evaluate and {argument('resume', True)}"
        raise UsageError(f"the run has no verdicts for this rubric; {remedy}")
    judge = StoredModel(old.judge.name, old.judge.digest)
    is_fixed = old.judge.noise is None
    with open_verdicts(folder, judge.digest, read_only=True) as store:
        codes.seat(
            StoredAsker(judge, store, _purposes(old.settings, new), is_fixed=is_fixed, tracker=tracker)
        )
        yield


def _keep_failures(old: JudgeResult | None, new: JudgeResult | None) -> JudgeResult | None:
    return new if old is None or new is None else dataclasses.replace(new, failures=old.failures)


def _check_names(settings: Mapping[str, Any]) -> None:
    for name in settings:
        if name in _QUESTIONS:
            problem = f"{argument(name)} changes what the model is asked"
            raise UsageError(f"{problem}; make a new run with salva evaluate")
        known = (*FREE_SETTINGS, "task")
        if name not in known:
            hint = did_you_mean(name, known, otherwise=f"choose from {', '.join(known)}")
            raise UsageError(f"rescore has no setting {name!r}; {hint}")


def _change_settings(folder: Path, old: Results, changes: Mapping[str, Any]) -> EvaluationSettings:
    try:
        chosen = restore_settings(old.settings, changes)
    except InputError as error:
        raise InputError.at(folder, None, f"its twins cannot be made again: {error}") from None
    asked, task = old.settings.get("task"), chosen.as_dict()["task"]
    if (asked and asked["question"]) != (task and task["question"]):
        problem = f"{argument('task')} asks other questions than the run did"
        raise UsageError(f"{problem}; only what follows [answer] may differ, or make a new run")
    return chosen


def _check_columns(rows: RunRows, settings: EvaluationSettings) -> None:
    for name in settings.kept_columns:
        if name not in rows.columns:
            problem = f"the rows of the run were kept without the column {name!r}"
            raise UsageError(f"{problem}; add it with salva evaluate and {argument('resume', True)}")


def _choose_metric(folder: Path, name: str | None, metric: Metric | EllipsisType | None) -> Metric | None:
    if not isinstance(metric, EllipsisType):
        return metric
    if name is not None:
        again = f"give it again with {argument('metric')}, or leave it out with metric=None (--no-metric)"
        raise UsageError(f"{folder}: was made with the metric {name!r}; {again}")
    return None


def _purposes(old: Mapping[str, Any], new: EvaluationSettings) -> set[Purpose]:
    """Return the purposes for which the run asked about every text that the new settings need."""
    asked = {Purpose.FIRST}
    if new.noise <= old["noise"]:
        asked.add(Purpose.AGAIN)
    if min(new.noise, new.alone) <= min(old["noise"], old["alone"]):
        asked.add(Purpose.ALONE)
    same = [getattr(new, name) == old[name] for name in ("flips", "blame_calls", "label_map")]
    if all(same) and new.as_dict()["task"] == old.get("task"):
        asked.add(Purpose.BLAME)
    return asked
