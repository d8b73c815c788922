"""The entry point of Inspect: the task `salva/suite`, which asks the questions of a suite.

Inspect imports this module when it looks for tasks; the rest of Salva is imported when a task is made.
Salva itself works without inspect-ai.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from salva.errors import extra

with extra("inspect"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, grouped, scorer, stderr
    from inspect_ai.solver import generate

_ROLES = {"assistant": ChatMessageAssistant, "system": ChatMessageSystem, "user": ChatMessageUser}


@task(name="suite")  # type: ignore[untyped-decorator]
def ask_suite(suite: str, condition: str | Sequence[str] | None = None) -> Any:
    """Return the questions of the suite in a folder, under one condition, several, or all of them.

    `condition` is the name of a condition, or `clean` for the items as they are. The suite is verified.
    """
    from salva._arguments import check_choice
    from salva.harnesses.questions import plain_name
    from salva.questions.export import describe
    from salva.questions.suite import open_suite

    about = describe(open_suite(suite))
    names = [part.condition for part in about.parts]
    wanted = names if condition is None else [condition] if isinstance(condition, str) else [*condition]
    for name in wanted:
        check_choice("condition", name, names)
    parts = [part for part in about.parts if part.condition in wanted]
    questions = (question.as_dict() for part in parts for question in part.questions())
    name = parts[0].name if len(parts) == 1 else plain_name(about.name)
    return _make_task(
        questions, about.task, several=len(parts) > 1, name=name, metadata={"suite": about.digest}
    )


def read_exported(path: str | Path) -> Any:
    """Return the task with the questions of an exported file, next to which is task.json."""
    from salva._results import read_json
    from salva.harnesses.questions import read_json_lines

    questions = (question for _, question in read_json_lines(path))
    return _make_task(questions, read_json(Path(path).with_name("task.json")), several=False)


def _make_task(
    questions: Iterable[Mapping[str, Any]], about: Mapping[str, Any], *, several: bool, **own: Any
) -> Any:
    """Return a task; one with several conditions has an accuracy for each."""
    return Task(
        dataset=MemoryDataset([_as_sample(question, several=several) for question in questions]),
        solver=generate(),
        scorer=salva_grade(dict(about)),
        metrics=[grouped(accuracy(), "condition", all=False), stderr()] if several else None,
        **own,
    )


def _as_sample(question: Mapping[str, Any], *, several: bool) -> Any:
    own = question["id"], question["condition"]
    return Sample(
        input=[_ROLES[one["role"]](content=one["content"]) for one in question["messages"]],
        target=question["targets"],
        id=f"{own[1]}: {own[0]}" if several else own[0],
        metadata={"salva": question["salva"], "condition": own[1], "question": dict(question)},
    )


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator]
def salva_grade(about: dict[str, Any]) -> Any:
    """Grade replies as the task that `about` describes does; a reply without an answer is incorrect."""
    from salva.questions.export import grade_reply, prepare_task

    task = prepare_task(about)

    async def score(state: Any, _: Any) -> Any:
        found = grade_reply(task, state.metadata["question"], state.output.completion)
        value = CORRECT if found.right else INCORRECT
        return Score(value=value, answer=found.answer, metadata={"score": found.score})

    return score
