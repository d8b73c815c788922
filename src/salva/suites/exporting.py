"""Export a suite for another harness: its questions, its right answers, and how replies are graded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from salva._arguments import argument, check_choice
from salva._files import finish_publishing, publishing, storage_errors
from salva._show import number_of
from salva._temporaries import PREFIX
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.harnesses import FIXED_NAMES, HARNESSES, Exported, Part, Question
from salva.harnesses.questions import CONTRASTS, plain_name
from salva.models import text_id
from salva.suites.folder import Suite
from salva.suites.items import Asked

CLEAN = "clean"
_HOME = "task.json"


def export(suite: Suite, out: PathLike, *, to: str, overwrite: bool = False) -> list[str]:
    """Write a suite into a folder as tasks of a harness: lm-eval, inspect or promptfoo; return its files."""
    check_choice("to", to, HARNESSES)
    folder, exported = Path(out), describe(suite)
    with storage_errors(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError.at(folder, None, "is a file; give a folder")
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        left = finish_publishing(folder / _HOME, *(folder / name for name in _possible_names(exported)))
        overwrite = overwrite or bool(left)
        if not overwrite and any(not item.name.startswith(PREFIX) for item in folder.iterdir()):
            remedy = f"pass {argument('overwrite', True)}, or choose another name"
            raise InputError.at(folder, None, f"exists; {remedy}")
    try:
        with publishing(folder / _HOME) as unit:
            return HARNESSES[to](folder, exported, unit, overwrite=overwrite)
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _possible_names(exported: Exported) -> set[str]:
    """Return the names that any harness may give to the files of a suite."""
    own = [*exported.groups, *(part.name for part in exported.parts)]
    return {f"{name}{suffix}" for name in own for suffix in (".json", ".jsonl", ".yaml")} | set(FIXED_NAMES)


def describe(suite: Suite) -> Exported:
    """Return what a harness needs of a suite; refuse a suite whose questions no harness can ask."""
    manifest, task = suite.manifest, suite.task
    if task is None or manifest.task is None:
        raise UsageError(f"{suite.path}: has texts without a task, which no harness can ask; freeze with one")
    if not hasattr(task.answer, "score") or manifest.task["answer"]["kind"] == "judge":
        raise UsageError(f"{suite.path}: another model judges its replies, which no harness can ask to")
    _refuse_unknown_answers(suite)
    parts = [_part(suite, 0, CLEAN, is_contrast=False)]
    for number, one in enumerate(manifest.conditions, 1):
        is_contrast = one in manifest.contrasts
        if not is_contrast or one.summary.get("rows_edited"):
            parts.append(_part(suite, number, one.name, is_contrast=is_contrast))
    groups = {plain_name(manifest.name), f"{plain_name(manifest.name)}_{CONTRASTS}"}
    if len({part.name for part in parts} - groups) < len(parts):
        parts = [part._replace(name=f"{part.name}_{k}") for k, part in enumerate(parts)]
    return Exported(manifest.name, suite.digest, manifest.task, parts, task.options is not None)


def _refuse_unknown_answers(suite: Suite) -> None:
    """Refuse a contrast whose answers must only be other ones: a harness grades one question at a time."""
    for one in suite.manifest.contrasts:
        unknown = one.summary.get("rows_edited", 0) - one.summary.get("targets", 0)
        if unknown > 0:
            count = number_of(unknown, "answer")
            problem = f"{count} of {one.name} must only differ from the clean one, which no harness can grade"
            remedy = "evaluate it with salva evaluate, or freeze another suite without this preset"
            raise UsageError(f"{suite.path}: {problem}; {remedy}")


def _part(suite: Suite, number: int, name: str, *, is_contrast: bool) -> Part:
    task = f"{plain_name(suite.manifest.name)}_{plain_name(name)}"
    return Part(task, name, partial(_questions, suite, number, name), is_contrast)


def _questions(suite: Suite, number: int, name: str) -> Iterator[Question]:
    """Yield the questions of a condition, 0 for the items; an item without a prompt is left out."""
    for row in suite:
        asked: Asked = (row.item, *row.twins)[number]
        if asked.prompt is not None:
            replies = asked.prompt.options
            named = dict(zip(asked.options, replies, strict=True)) if replies else {}
            right = named.get(asked.targets[0], "") if asked.targets else ""
            yield Question(
                salva=text_id(asked.prompt).hex(),
                id=row.item.id,
                condition=name,
                prompt=asked.prompt.text,
                messages=asked.prompt.dicts,
                replies=replies,
                options=dict(asked.options),
                targets=asked.targets,
                target=replies.index(right) if right in replies else -1,
                columns=dict(row.item.columns) | dict(asked.texts),
            )
