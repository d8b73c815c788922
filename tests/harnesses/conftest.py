"""What tests of harnesses share: suites of questions to choose from, and of questions to reply to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from salva.questions import Suite, make_questions, open_suite
from salva.tasks import make_task
from tests.conftest import ROOT

PYTHON = ROOT / ".venv-harnesses/bin/python"
"""Python in an environment that has the other harnesses; `make test-all` makes it."""

CHOICE = {
    "prompt": "{question}\n\n{options}\n\nThe answer :",
    "edit": ["question"],
    "target": "answer",
    "options": {"column": "choices", "reply": "text"},
    "answer": {"kind": "choice"},
}
ENDS = ("and it was good", "but it was an error", "and the story was old", "at the end it was nice")
ROWS = [
    {
        "id": f"q{n}",
        "question": f"I saw the old movie number {n} in a picture, {ENDS[n % 4]}.",
        "choices": '["fine story", "elderly film", "good picture"]',
        "answer": ("fine story", "elderly film", "good picture")[n % 3],
    }
    for n in range(12)
]
SHORT = [
    {"id": row["id"], "question": row["question"], "answer": ("story", "film", "good")[k % 3]}
    for k, row in enumerate(ROWS)
]
USUAL: dict[str, Any] = {"presets": ["contractions", "misspellings"], "severities": 1.0}


def make_suite(rows: Any, folder: Path, **settings: Any) -> Suite:
    """Make a suite in a new folder, and open it."""
    make_questions(rows, out=folder, **settings)
    return open_suite(folder)


def list_asked(suite, condition):
    """Return the questions of a suite that are asked under a condition, as plain values."""
    rows = suite.questions.to_arrow().to_pylist()
    return [row for row in rows if row["condition"] == condition and row["key"] is not None]


def make_choices(folder: Path) -> Suite:
    """Make a suite of questions with texts to choose from."""
    return make_suite(ROWS, folder, task=make_task("films", CHOICE), name="films", **USUAL)


def make_replies(folder: Path) -> Suite:
    """Make a suite of questions with free answers."""
    return make_suite(SHORT, folder, task="short-answer", name="short", **USUAL)


@pytest.fixture(scope="session")
def choices(tmp_path_factory):
    return make_choices(tmp_path_factory.mktemp("choices") / "suite")


@pytest.fixture(scope="session")
def replies(tmp_path_factory):
    return make_replies(tmp_path_factory.mktemp("replies") / "suite")


@pytest.fixture(scope="session")
def python():
    """Python in an environment that has lm-eval and inspect-ai."""
    if not PYTHON.exists():
        pytest.skip("needs lm-eval and inspect-ai in .venv-harnesses; run make .venv-harnesses/stamp")
    return PYTHON
