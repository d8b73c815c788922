"""Task files, files of prompts, and axes: rows become questions, or one line says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from salva.questions import Conditions, Options
from salva.questions.make import plan_questions
from salva.questions.options import AXES
from salva.tasks import Expected, make_task, read_prompts, read_task, reword, shipped_tasks, show_task
from tests.fuzz.strategies import damaged, fuzz, json_values, one_line_errors, texts, twisted
from tests.harnesses.conftest import CHOICE, ROWS

PROMPTS = [
    b'[terse]\nprompt = "{question}\\n{options}\\nLetter:"\n',
    b'[[kind.messages]]\nrole = "user"\ncontent = """\nBe {{kind}}. {question} {options}"""\n',
]
TOKENS = [
    b"{",
    b"}",
    b"{{",
    b"{question}",
    b"{answer}",
    b"{options}",
    b"[[",
    b"[x]\n",
    b'"""',
    b"prompt = ",
    b"role = ",
]
TOKENS += [
    b"messages = [",
    b"1979-05-27",
    b"nan",
    b"[]",
    b"{}",
    b"true",
    b"'''",
    b"kind = ",
    b"edit = ",
    b"(a+)+$",
]
CHOOSE = make_task("films", CHOICE)
SHIPPED = {name: show_task(name).encode() for name in shipped_tasks()}
ROW = dict.fromkeys(("question", "text", "context", "premise", "sentence"), "a \u00e9 \U0001f44d 3")
ROW |= ROWS[0]


def check_prompts(path: Path) -> None:
    """Ask a question with every prompt of a file."""
    with one_line_errors():
        for name, template in read_prompts(path).items():
            with one_line_errors():
                reword(CHOOSE, name, template).fill(ROW)
    check_axes({"prompts": path})


def check_axes(given: dict[str, Any]) -> None:
    """Make the questions about a row in all these ways."""
    with one_line_errors():
        options = Options(conditions=Conditions.of_axes(given))
        plan = plan_questions([ROW], presets="case", severities=1.0, task=CHOOSE, options=options)
        assert sum(len(group.block) for group in plan.groups(0, {})) == len(plan.about.conditions)


def ask(task, text: str) -> None:
    """Ask about a row, and grade a reply."""
    row = {name: ROW.get(name, text) for name in (*task.edit, *task.kept_columns, *ROW)}
    question = task.fill(row)
    assert question is None or question.prompt.text
    key = task.expect(row)
    task.answer.prepare()
    task.grade(text, key)
    task.grade("B", Expected(("B",), {"A": "x", "B": "y"}, row))


def check_task(path: Path) -> None:
    with one_line_errors():
        ask(read_task(path), "3 is the answer")


@fuzz(content=damaged(PROMPTS, TOKENS))
def test_a_damaged_file_of_prompts_asks_or_is_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "prompts.toml"
    path.write_bytes(content)
    check_prompts(path)


@fuzz(content=damaged(list(SHIPPED.values()), TOKENS))
def test_a_damaged_task_file_asks_or_is_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "task.toml"
    path.write_bytes(content)
    check_task(path)


@fuzz(content=twisted([dict(read_task(name).content) for name in SHIPPED]), text=texts)
def test_a_task_of_false_values_asks_or_is_refused(content, text):
    with one_line_errors():
        ask(make_task("own", content), text)


axis_values = json_values | st.sampled_from(
    ["all", "3", "0", "101", "\u0663", "9" * 5000, " 2 ", ["a", "a"], {"a": "{question}"}]
)


@fuzz(given=st.dictionaries(st.sampled_from([*AXES, "ordr", ""]), axis_values, max_size=3))
def test_axes_are_taken_or_refused(given):
    check_axes(given)
