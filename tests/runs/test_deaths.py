"""Models that end the process: the next start says where, and a text that does so again fails; item 86."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from salva.models import ModelOptions, open_model
from salva.runs import noting_calls
from tests.models.conftest import all_positive

MODEL = """
import ctypes, os
def predict(texts):
    if any("deadly" in text for text in texts):
        {end}
    return ["1" if "fine" in text else "0" for text in texts]
"""
SEGFAULT, EXIT = "ctypes.string_at(0)", "ctypes.CDLL(None)._exit(0)"


@pytest.fixture
def evaluated(tmp_path):
    """Evaluate a model that ends the process, in another one; return its exit code and standard error."""
    rows = ["a fine film,1", "a deadly film,0", "a dull film,0", "another deadly one,0", "a film,0"]
    (tmp_path / "data.csv").write_text("\n".join(["text,label", *rows, ""]))

    def run(end, *more):
        (tmp_path / "mine.py").write_text(MODEL.format(end=end))
        model = ["--model", "python:mine:predict", "--preset", "case", "--severity", "1", "--noise", "0"]
        command = ["evaluate", "data.csv", *model, "-o", "run", "--max-errors", "90%", *more]
        done = subprocess.run(
            [sys.executable, "-m", "salva", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    return run


@pytest.mark.slow
def test_86_a_crash_shows_where_and_the_next_start_says_so(evaluated, tmp_path):
    code, shown = evaluated(SEGFAULT)
    assert code == -11
    assert 'mine.py", line 5 in predict' in shown
    code, shown = evaluated(SEGFAULT, "--resume")
    assert code == -11
    problem = (
        "an earlier process of this run ended while the model was asked about 5 texts (the first: 'a fine"
    )
    assert f"{problem} film'); if that happens again, continue with --batch-size 1: a text that ends" in shown


@pytest.mark.slow
def test_86_a_text_that_ends_the_process_twice_on_its_own_is_counted_as_failed(evaluated, tmp_path):
    """Two texts are deadly; `case` leaves them as they are."""
    deaths = 0
    while evaluated(EXIT, "--resume", "--batch-size", "1") and not (tmp_path / "run/results.json").exists():
        deaths += 1
    assert deaths == 4
    results = json.loads((tmp_path / "run/results.json").read_text())
    assert [failure["error"] for failure in results["failures"]] == [
        "the process ended 2 times while the model was asked about this text alone"
    ]


def test_no_note_is_left_of_a_call_that_ended(tmp_path):
    model = open_model(all_positive, ModelOptions(model_id="1"))
    with noting_calls(model, tmp_path) as noted:
        assert noted.predict(["a"]).labels == ["pos"]
    assert list(tmp_path.iterdir()) == []


def test_the_note_of_another_model_means_nothing(tmp_path, caplog):
    (tmp_path / "asking.json").write_text('{"model": "sha256:other", "call": "1", "texts": 1, "deaths": 5}')
    with noting_calls(open_model(all_positive), tmp_path) as noted:
        assert noted.predict(["a"]).labels == ["pos"]
    assert caplog.text == ""


def test_a_note_that_cannot_be_written_stops_nobody(tmp_path):
    with noting_calls(open_model(all_positive), tmp_path / "gone") as noted:
        assert noted.predict(["a"]).labels == ["pos"]
