"""Tasks: how rows become questions, and how replies become answers with scores."""

from salva.tasks.checking import CheckedReply, CheckedRow, check_task
from salva.tasks.files import KINDS, make_task, read_task, restore_task, shipped_tasks, show_task
from salva.tasks.kind import Grade, Key, Kind
from salva.tasks.options import OptionSource
from salva.tasks.task import Question, Task
from salva.tasks.templates import Template

__all__ = [
    "KINDS",
    "CheckedReply",
    "CheckedRow",
    "Grade",
    "Key",
    "Kind",
    "OptionSource",
    "Question",
    "Task",
    "Template",
    "check_task",
    "make_task",
    "read_task",
    "restore_task",
    "shipped_tasks",
    "show_task",
]
