"""How the model under test is opened: to give labels or, with a task, to write."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from salva._arguments import argument
from salva.errors import UsageError
from salva.models import ModelOptions
from salva.tasks import Task


def subject_options(options: ModelOptions, labels: Iterable[str], task: Task | None) -> ModelOptions:
    """Return the options with which the model is opened; `labels` are those of the data."""
    if task is None:
        return dataclasses.replace(options, labels=tuple(labels))
    if options.prompt is not None:
        raise UsageError(f"{argument('prompt')} and {argument('task')} exclude each other; edit the task")
    return dataclasses.replace(options, writes=True, json_field=task.answer.json_field)
