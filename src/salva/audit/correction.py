"""Correct the numbers of a run for twins that readers judged invalid."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow.compute as pc

from salva._arguments import argument
from salva._arrow import flags, ints, is_text
from salva._types import Bools, Ints64, PathLike
from salva.audit.reading import Judgement, group_by, read_judgements
from salva.audit.results import settle
from salva.audit.source import identify
from salva.audit.verdicts import is_valid
from salva.errors import UsageError
from salva.evaluation import Run
from salva.evaluation.answer_table import WideAnswers, widen_answers
from salva.evaluation.results import ConditionResult
from salva.numbers import AuditedScore, score_audited
from salva.questions.table import CLEAN


def correct(run: Run, sheets: PathLike | Iterable[PathLike]) -> Run:
    """Return the run with the numbers of valid twins next to those of all twins; nothing on disk changes.

    `sheets` are files of verdicts on whole twins (unit `text`) of conditions of the run. Every audited
    condition gets its `audited` numbers; `salva.numbers.score_audited` explains them.
    """
    if run.folder is None:
        raise UsageError("the run has no folder, so its answers are gone; evaluate with out=FOLDER")
    by_twins = group_by(read_judgements(sheets), lambda one: one.key.twins)
    known = {identify(run.results, one): one for one in run.results.conditions if one.severity is not None}
    wide = widen_answers(run.list_answers())
    corrected = {}
    for twins, judgements in by_twins.items():
        _check(run, judgements, known)
        corrected[known[twins].name] = _score(run, wide, known[twins], judgements)
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
    for edit in (one for one in judgements if one.key.unit != "text"):
        remedy = f"sample with {argument('unit', 'text')}"
        raise edit.error(f"is about single edits; a drop is corrected with whole twins: {remedy}")
    if all(judgement.verdict is None for judgement in judgements):
        raise first.error("has no verdict yet, and neither has any other sheet of these twins")


def _score(
    run: Run, wide: WideAnswers, condition: ConditionResult, judgements: Sequence[Judgement]
) -> AuditedScore:
    changed = _find_changed(run, condition.name, len(wide.ids))
    settings = run.results.settings
    return score_audited(
        wide.labels,
        wide.answers[CLEAN],
        wide.answers[condition.name],
        changed,
        _place_verdicts(wide.ids, changed, judgements),
        readers=len({judgement.reader for judgement in judgements if judgement.verdict is not None}),
        design_effect=max(1.0, condition.score.design_effect or 1.0),
        seed=settings["seed"],
        resamples=settings["resamples"],
    )


def _find_changed(run: Run, name: str, size: int) -> Bools:
    """Return which items have a twin that differs from its original."""
    changed = np.zeros(size, np.bool_)
    for block in run.questions.blocks(["item", "condition", "unchanged"]):
        own = block.filter(is_text(block["condition"], name))
        changed[ints(own["item"])] = flags(pc.invert(own["unchanged"]))
    return changed


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
