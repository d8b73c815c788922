"""Correct the numbers of a run for twins that readers judged invalid."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from salva._arguments import argument
from salva._types import Bools, Ints64, PathLike
from salva.audit.reading import Judgement, group_by, read_judgements
from salva.audit.results import settle
from salva.audit.source import TwinSource, find_twins, identify
from salva.audit.verdicts import is_valid
from salva.errors import UsageError
from salva.evaluation import Run
from salva.evaluation.answers import read_answers
from salva.evaluation.results import ConditionResult
from salva.numbers import AuditedScore, score_audited


def correct(run: Run, sheets: PathLike | Iterable[PathLike], *, threads: int | None = None) -> Run:
    """Return the run with the numbers of valid twins next to those of all twins; nothing on disk changes.

    `sheets` are files of verdicts on whole twins (unit `text`) of conditions of the run. The twins of each
    audited condition are made again, to know which differ from their original. Every such condition gets its
    `audited` numbers; `salva.numbers.score_audited` explains them.
    """
    if run.folder is None:
        raise UsageError("the run has no folder, so its answers are gone; evaluate with out=FOLDER")
    by_twins = group_by(read_judgements(sheets), lambda one: one.key.twins)
    known = {identify(run.results, one): one for one in run.results.conditions if one.severity is not None}
    corrected = {}
    for twins, judgements in by_twins.items():
        _check(run, judgements, known)
        condition = known[twins]
        source = find_twins(run.folder, run.results, condition, threads=threads)
        effect = max(1.0, condition.score.design_effect or 1.0)
        corrected[condition.name] = _score(run, run.folder, source, judgements, effect)
    conditions = tuple(
        dataclasses.replace(one, audited=corrected.get(one.name, one.audited))
        for one in run.results.conditions
    )
    return dataclasses.replace(run, results=dataclasses.replace(run.results, conditions=conditions))


def _check(run: Run, judgements: Sequence[Judgement], known: dict[str, ConditionResult]) -> None:
    first = judgements[0]
    if first.key.twins not in known:
        names = ", ".join(condition.name for condition in known.values())
        raise first.error(
            f"is about other twins ({first.condition}) than those of {run.folder}, which has {names}; "
            "draw a sheet from this run"
        )
    if any(judgement.key.unit != "text" for judgement in judgements):
        remedy = f"sample with {argument('unit', 'text')}"
        problem = f"is about single edits; a drop is corrected with whole twins: {remedy}"
        raise next(one for one in judgements if one.key.unit != "text").error(problem)
    if all(judgement.verdict is None for judgement in judgements):
        raise first.error("has no verdict yet, and neither has any other sheet of these twins")


def _score(
    run: Run, folder: Path, source: TwinSource, judgements: Sequence[Judgement], effect: float
) -> AuditedScore:
    name = source.condition.name
    answers = read_answers(folder / "answers.parquet", ["id", "label", "clean", name])
    changed = np.concatenate([source.find_changed(group, twins) for group, twins in source])
    numbers: dict[str | None, int] = {None: -1}
    labels, before, after = (
        np.array([numbers.setdefault(value, len(numbers) - 1) for value in answers[column]], np.int64)
        for column in ("label", "clean", name)
    )
    settings = run.results.settings
    return score_audited(
        labels,
        before,
        after,
        changed,
        _place_verdicts(answers["id"], changed, judgements),
        readers=len({judgement.reader for judgement in judgements if judgement.verdict is not None}),
        design_effect=effect,
        seed=settings["seed"],
        resamples=settings["resamples"],
    )


def _place_verdicts(ids: Sequence[str], changed: Bools, judgements: Sequence[Judgement]) -> Ints64:
    """Return the verdict on the twin of every row: 1 for valid, 0 for invalid, -1 if it was not read."""
    rows = {name: row for row, name in enumerate(ids)}
    for judgement in judgements:
        row = rows.get(judgement.key.id)
        if row is None or not changed[row]:
            raise judgement.error(f"the run has no changed twin with the id {judgement.key.id!r:.60}")
    verdicts = np.full(len(ids), -1, np.int64)
    for key, verdict in settle(judgements).items():
        verdicts[rows[key.id]] = is_valid("text", verdict)
    return verdicts
