"""Tasks: how rows become questions, and how replies become answers with scores."""

from salva.tasks.answer_kinds import AnswerKind, Expected, Grade
from salva.tasks.choices import OptionSource, Order
from salva.tasks.judge import Judge, Verdict
from salva.tasks.task import CheckedRow, Question, Task, check_task
from salva.tasks.task_files import (
    KINDS,
    make_task,
    read_prompts,
    read_task,
    restore_task,
    reword,
    shipped_tasks,
    show_task,
    span_task,
)
from salva.tasks.templates import Template

__all__ = [
    "KINDS",
    "AnswerKind",
    "CheckedRow",
    "Expected",
    "Grade",
    "Judge",
    "OptionSource",
    "Order",
    "Question",
    "Task",
    "Template",
    "Verdict",
    "check_task",
    "make_task",
    "read_prompts",
    "read_task",
    "restore_task",
    "reword",
    "shipped_tasks",
    "show_task",
    "span_task",
]
