"""What tests of tasks share."""

from __future__ import annotations

import pytest

from salva.tasks import make_task


@pytest.fixture
def task():
    """Make a task from the keys of a file; by default a question with a short answer."""

    def make(**content):
        usual = {"prompt": "{question}", "edit": ["question"], "target": "answer", "answer": {"kind": "text"}}
        return make_task("own", {**usual, **content})

    return make
