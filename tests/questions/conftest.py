"""What tests of suites share: rows of a task, and suites frozen from them."""

from __future__ import annotations

import pytest

from salva.evaluation import freeze

ROWS = [
    {
        "id": f"q{n}",
        "question": f"We cannot begin to think of a very big film. Is {n} an odd number, or is it even?",
        "choices": '["odd", "even"]',
        "answer": "A" if n % 2 else "B",
        "topic": "numbers" if n % 3 else "films",
    }
    for n in range(12)
]


@pytest.fixture(scope="session")
def choices(tmp_path_factory):
    """A suite of questions with options."""
    path = tmp_path_factory.mktemp("choices") / "suite"
    return freeze(
        ROWS,
        path,
        task="multiple-choice",
        presets=["natural", "misspellings"],
        severities=[1.0],
        keep=["topic"],
        name="parity",
        licence="CC0",
    )
