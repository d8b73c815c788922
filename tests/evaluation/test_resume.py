"""A run that is killed anywhere goes on, and ends as if it had never been killed."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from salva.errors import UsageError
from salva.evaluation import evaluate
from salva.rows import reviews
from tests.conftest import ROOT
from tests.evaluation.keywords import classify
from tests.flat import flat

FILES = ("results.json", "report.html", "run.json", "answers.parquet", "flips.parquet")
BATCH = 16
KILLS = 8


def command(folder, *more):
    data = ROOT / "src/salva/rows/data/reviews-test.csv"
    model = [] if "--model" in more else ["--model", "python:tests.evaluation.keywords:classify"]
    presets = ["--preset", "typos", "--preset", "corrupt"]
    options = [*model, "-o", folder, "-M", f"batch_size={BATCH}", "-S", "noise=20", *presets]
    return [sys.executable, "-m", "salva", "evaluate", data, *options, *more]


def begun(folder, log, *more, **pipes):
    environment = os.environ | {"SALVA_TEST_LOG": os.fspath(log)}
    arguments = {"stdout": subprocess.DEVNULL, "cwd": ROOT, "env": environment, **pipes}
    return subprocess.Popen(command(folder, *more), **arguments)


def run(folder, log, *more):
    return begun(folder, log, *more).wait()


def killed(folder, log, chance):
    """Kill a run at a random moment: before it asks, or some batches later; tell whether it was running."""
    process, before = begun(folder, log, "--resume"), len(lines(log))
    batches = chance.randrange(4)
    late = time.monotonic() + chance.uniform(0.1, 3) if batches == 0 else math.inf
    while len(lines(log)) - before < batches * BATCH or batches == 0:
        if process.poll() is not None or time.monotonic() > late:
            break
        time.sleep(chance.uniform(0, 0.005))
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def lines(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


@pytest.mark.slow
def test_kills_leave_no_trace(tmp_path):
    whole = tmp_path / "whole"
    assert run(whole, tmp_path / "whole.log") == 0
    calls, chance = lines(tmp_path / "whole.log"), random.Random(7)
    for _ in range(KILLS):
        assert killed(tmp_path / "run", tmp_path / "log", chance)
    assert not (tmp_path / "run/results.json").exists()
    assert run(tmp_path / "run", tmp_path / "log", "--resume") == 0
    for name in FILES:
        assert (tmp_path / "run" / name).read_bytes() == (whole / name).read_bytes()
    assert set(lines(tmp_path / "log")) == set(calls)
    assert len(calls) < len(lines(tmp_path / "log")) <= len(calls) + KILLS * BATCH


TASK = ("--task", "sentiment", "--model", "python:tests.evaluation.keywords:reply")


@pytest.mark.slow
@pytest.mark.parametrize("asked", [(), TASK])
def test_a_killed_run_goes_on_with_other_settings(tmp_path, asked):
    process, log = begun(tmp_path / "run", tmp_path / "log", *asked), tmp_path / "log"
    while len(lines(log)) <= 2 * BATCH:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    other = (*asked, "-S", "noise=40", "--drop-limit", "1", "--label-map", "positive=positive")
    assert run(tmp_path / "run", log, "--resume", *other) == 0
    assert run(tmp_path / "whole", tmp_path / "whole.log", *other) == 0
    for name in FILES:
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    calls = lines(tmp_path / "whole.log")
    assert set(lines(log)) == set(calls)
    assert len(lines(log)) <= len(calls) + BATCH


def contents(folder):
    return {path.name: path.read_bytes() for path in [*folder.glob("*.*"), *folder.glob("questions/*")]}


def test_a_finished_run_is_not_asked_again(tmp_path):
    asked = []

    def model(texts):
        asked.extend(texts)
        return classify(texts)

    arguments = {"presets": "typos", "out": tmp_path / "run", "options": flat(model_id="m")}
    evaluate(reviews("test"), model, **arguments)
    before, content = len(asked), (tmp_path / "run/results.json").read_bytes()
    evaluate(reviews("test"), model, resume=True, **arguments)
    assert len(asked) == before
    assert (tmp_path / "run/results.json").read_bytes() == content


@pytest.mark.parametrize(
    ("change", "settings", "named"),
    [
        ({"seed": 1}, {}, "seed was 0 and is 1"),
        ({"severities": [1.0]}, {}, "severities was"),
        ({"presets": "corrupt"}, {}, "preset corrupt was null and is"),
        ({}, {"limit": 5}, "limit was null and is 5"),
        ({}, {"copies": 2}, "copies was 1 and is 2"),
    ],
)
def test_another_setting_refuses_to_mix(tmp_path, change, settings, named):
    arguments = {"presets": "typos", "out": tmp_path / "run"}
    common = {"model_id": "m", "flips": 1, "noise": 5}
    evaluate(reviews("test"), classify, **arguments, options=flat(**common))
    before = contents(tmp_path / "run")
    changed = {**arguments, **change, "options": flat(**common, **settings)}
    with pytest.raises(UsageError, match="was made with different settings") as caught:
        evaluate(reviews("test"), classify, resume=True, **changed)
    assert named in str(caught.value)
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize("is_file", [False, True])
def test_other_data_refuse_to_mix(tmp_path, is_file):
    rows = [("a fine film", "positive"), ("a dull film", "negative")] * 9
    arguments = {"presets": "typos", "severities": 1, "out": tmp_path / "run", "options": flat(model_id="m")}

    def data(some):
        if not is_file:
            return some
        lines = [f"{text},{label}" for text, label in some]
        (tmp_path / "data.csv").write_text("\n".join(["text,label", *lines]), "utf-8")
        return tmp_path / "data.csv"

    evaluate(data(rows), classify, **arguments)
    before = contents(tmp_path / "run")
    with pytest.raises(UsageError, match="was made with other data"):
        evaluate(data([*rows[:-1], ("a dull, dull film", "negative")]), classify, resume=True, **arguments)
    assert contents(tmp_path / "run") == before


def test_a_model_in_memory_is_never_taken_for_another(tmp_path):
    arguments = {"presets": "typos", "severities": 1, "out": tmp_path / "run", "options": flat(flips=1)}
    evaluate(reviews("test"), classify, **arguments)
    with pytest.raises(UsageError, match=r"was made with the model 'tests.+classify', not 'lambda"):
        evaluate(reviews("test"), lambda texts: ["positive"] * len(texts), resume=True, **arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_command_says_how_to_go_on(tmp_path, monkeypatch, number, code):
    with monkeypatch.context() as patient:
        patient.setenv("SALVA_TEST_PAUSE", "2")
        process = begun(tmp_path / "run", tmp_path / "log", stderr=subprocess.PIPE, text=True)
    while len(lines(tmp_path / "log")) <= BATCH:  # until the answers of the first batch are kept
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == code
    assert "every answer so far is kept. To continue: salva evaluate" in said
    assert "--resume" in said
    assert run(tmp_path / "run", tmp_path / "log", "--resume") == 0


@pytest.mark.slow
def test_a_command_that_is_stopped_before_the_first_answer_leaves_nothing(tmp_path, monkeypatch):
    with monkeypatch.context() as patient:
        patient.setenv("SALVA_TEST_PAUSE", "60")
        process = begun(tmp_path / "run", tmp_path / "log", stderr=subprocess.PIPE, text=True)
    while not lines(tmp_path / "log"):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "salva: interrupted\n"
    assert not (tmp_path / "run").exists()


COMPUTING = """\
import pathlib, torch

def classify(texts):
    pathlib.Path(__file__).with_name("asked").touch()
    some = torch.rand(64, 64)
    while True:
        some = (some @ some).tanh()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_stops_while_its_model_computes(tmp_path, number, code):
    """Torch aborts the process if Python ends while one of its threads computes."""
    (tmp_path / "model.py").write_text(COMPUTING)
    data = ROOT / "src/salva/rows/data/reviews-test.csv"
    line = [sys.executable, "-m", "salva", "evaluate", data, "--model", "python:model:classify", "-o", "run"]
    process = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "asked").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    said = process.communicate()[1]
    assert process.returncode == code, said
    assert said in {"salva: interrupted\n", ""}
