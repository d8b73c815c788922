"""Runs over pairs beside their noise: texts asked again, a limit on calls, and how to go on when stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from salva.errors import UsageError
from salva.models import ModelOptions
from salva.twins.page import report_page
from salva.twins.pcfg.pairing import make_pairs, write_pairs
from salva.twins.running import run
from tests.conftest import ROOT
from tests.evaluation.test_page import text_of

PAIRS = make_pairs([f"repeat A{i} B1" for i in range(1, 41)], functions=("repeat",))
SLOW = """
import os, pathlib, time
quick = int(os.environ["QUICK"])
def answer(texts):
    global quick
    quick -= 1
    if quick < 0:
        pathlib.Path(os.environ["ASKED"]).touch()
        time.sleep(5)
    return ["A1"] * len(texts)
"""
MOODY = """
from collections import Counter
seen = Counter()
def answer(texts):
    seen.update(texts)
    return [f"A{seen[text]}" for text in texts]
"""


def steady(texts):
    return ["A1" for _ in texts]


def moody():
    """Return a model that answers every text differently when asked again."""
    seen = Counter()

    def answer(texts):
        seen.update(texts)
        return [f"A{seen[text]}" for text in texts]

    return answer


def test_some_sources_are_asked_again_and_one_at_a_time(tmp_path):
    asked = []

    def model(texts):
        asked.append(list(texts))
        return steady(texts)

    noise = run(PAIRS, model, tmp_path / "run", noise=20).score.noise
    assert (noise.asked, noise.changed, noise.alone_asked, noise.alone_changed) == (20, 0, 16, 0)
    assert sum(map(len, asked)) == 80 + 20 + 16
    again = {text for texts in asked[-17:] for text in texts}
    assert again <= {pair.source for pair in PAIRS}


def test_answers_that_change_are_told_beside_the_consistency(tmp_path):
    score = run(PAIRS, moody(), tmp_path / "run").score
    assert (score.noise.asked, score.noise.changed, score.noise.rate.value) == (40, 40, 100)
    assert score.overall.consistency.value == 100
    assert "the model answers 40 of 40 sources differently when asked again" in " ".join(score.notes)
    assert "depends on the batch" not in " ".join(score.notes)  # who is random anyway shows nothing of that
    assert "Noise floor 100.0 %" in text_of(report_page(score))


def test_answers_that_depend_on_the_batch_are_told(tmp_path):
    def model(texts):
        return ["A1" if len(texts) > 1 else "A2"] * len(texts)

    score = run(PAIRS, model, tmp_path / "run", noise=40).score
    assert (score.noise.changed, score.noise.alone_changed) == (0, 16)
    assert "the model's answer depends on the batch" in " ".join(score.notes)


def test_answers_are_compared_as_those_of_pairs_are(tmp_path):
    seen = Counter()

    def model(texts):
        seen.update(texts)
        return ["Yes." if seen[text] == 1 else "yes" for text in texts]

    exact = run(PAIRS, model, tmp_path / "run").score.noise
    seen.clear()
    label = run(PAIRS, model, tmp_path / "other", compare="label").score.noise
    assert (exact.changed, label.changed) == (40, 0)


def test_no_noise_is_not_measured_and_said(tmp_path):
    score = run(PAIRS, steady, tmp_path / "run", noise=0).score
    assert (score.noise.asked, score.noise.rate.value) == (0, None)
    assert "nothing was asked twice" in text_of(report_page(score))


@pytest.mark.parametrize("noise", [-1, 1.5, True])
def test_a_noise_that_is_no_number_of_texts_is_refused(tmp_path, noise):
    with pytest.raises(UsageError, match="noise="):
        run(PAIRS, steady, tmp_path / "run", noise=noise)
    assert not (tmp_path / "run").exists()


def test_a_limit_on_calls_stops_and_a_higher_one_goes_on(tmp_path):
    asked = []

    def model(texts):
        asked.extend(texts)
        return steady(texts)

    small = ModelOptions(model_id="m", batch_size=10)
    with pytest.raises(UsageError, match="needs more texts than max_calls=35 allows; answers so far are"):
        run(PAIRS, model, tmp_path / "a", model_options=small, max_calls=35)
    assert len(asked) == 30
    run(PAIRS, model, tmp_path / "a", model_options=small, max_calls=500, resume=True)
    assert len(asked) == 80 + 40 + 16
    run(PAIRS, model, tmp_path / "b", model_options=small)
    for name in ("results.json", "report.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.fixture
def home(tmp_path):
    write_pairs(tmp_path / "pairs", PAIRS)
    return tmp_path


def test_the_terminal_and_the_json_say_it_and_a_score_of_the_run_too(salva, home):
    (home / "moods.py").write_text(MOODY)
    options = ("--model", "python:moods:answer", "-o", "run", "--noise", "30")
    outcome = salva("twins", "run", "pairs", *options)
    assert outcome.code == 0, outcome.err
    line = "noise floor: 30 of 30 sources got a different answer when asked again"
    assert line in outcome.out
    kept = json.loads((home / "run/results.json").read_text())
    assert kept["noise"]["changed"] == 30
    assert json.loads(salva("twins", "score", "run", "--json").out) == kept
    assert line in salva("twins", "score", "run").out


def test_the_command_stops_before_too_many_calls(salva, home):
    (home / "mine.py").write_text("def answer(texts):\n    return texts\n")
    outcome = salva("twins", "run", "pairs", "--model", "python:mine:answer", "-o", "run", "--max-calls", "9")
    assert (outcome.code, "--max-calls 9" in outcome.err) == (2, True), outcome.err


def stop(home, number, *, quick):
    """Stop a command when its model is slow, after so many quick answers; return the exit code and stderr."""
    (home / "slow.py").write_text(SLOW)
    options = ["--model", "python:slow:answer", "-o", "run", "--batch-size", "1"]
    command = [sys.executable, "-m", "salva", "twins", "run", "pairs", *options]
    paths = {"ASKED": str(home / "asked"), "PYTHONPATH": f"{ROOT / 'src'}:{home}"}
    environment = os.environ | paths | {"QUICK": str(quick)}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=home, env=environment, **pipes)
    while not (home / "asked").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate()
    return process.returncode, said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_command_says_how_to_go_on(home, number, code):
    ended, said = stop(home, number, quick=1)
    assert ended == code, said
    assert "every answer so far is kept. To continue: salva twins run pairs" in said
    assert said.splitlines()[0].endswith("--resume")


def test_a_command_that_is_stopped_before_an_answer_leaves_nothing(home):
    ended, said = stop(home, signal.SIGINT, quick=0)
    assert (ended, said) == (130, "salva: interrupted\n")
    assert not (home / "run").exists()
