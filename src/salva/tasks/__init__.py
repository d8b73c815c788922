"""Tasks: how rows become questions, and how replies become answers with scores."""

from salva.tasks.checking import CheckedReply, CheckedRow, check_task
from salva.tasks.contrast import ContrastRules, both_ways
from salva.tasks.files import KINDS, make_task, read_task, restore_task, shipped_tasks, show_task, span_task
from salva.tasks.judging import Judge, Verdict
from salva.tasks.kind import Grade, Key, Kind
from salva.tasks.options import OptionSource
from salva.tasks.orders import Order
from salva.tasks.prompts import read_prompts, reword
from salva.tasks.task import Question, Task
from salva.tasks.templates import Template

__all__ = [
    "KINDS",
    "CheckedReply",
    "CheckedRow",
    "ContrastRules",
    "Grade",
    "Judge",
    "Key",
    "Kind",
    "OptionSource",
    "Order",
    "Question",
    "Task",
    "Template",
    "Verdict",
    "both_ways",
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
