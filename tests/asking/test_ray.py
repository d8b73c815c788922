"""Actors of Ray: the results of one process, whatever dies; real Ray, real kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from salva.errors import InputError, ModelError, UsageError
from salva.evaluation import evaluate
from tests.conftest import ROOT
from tests.flat import flat

MODEL = "python:tests.asking.mortal:classify"
WORDS = (("good", "positive"), ("bad", "negative"))
DATA = [(f"film {i} is {word}", label) for i in range(30) for word, label in WORDS]
TYPOS = {"presets": "typos", "severities": [0.5, 1.0]}


@pytest.fixture(scope="module")
def mark(tmp_path_factory):
    """The file without which the model kills its process; actors see the variable if it is set before Ray."""
    pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patched:
        place = tmp_path_factory.mktemp("actors") / "mark"
        patched.setenv("SALVA_TEST_MARK", os.fspath(place))
        patched.chdir(ROOT)
        yield place


@pytest.fixture(scope="module")
def ray(mark):
    """One Ray for all tests, so that it is started once."""
    from salva._ray import joined

    with joined(cpus=2) as found:
        yield found


def results(folder):
    return (folder / "results.json").read_bytes()


@pytest.mark.slow
def test_a_run_whose_actor_is_killed_ends_like_a_local_one(ray, mark, tmp_path, caplog):
    mark.unlink(missing_ok=True)
    evaluate(DATA, MODEL, out=tmp_path / "ray", options=flat(engine="ray", actors=2, batch_size=8), **TYPOS)
    assert "an actor of Ray died while it was asked; asking again about 8 texts" in caplog.text
    evaluate(DATA, MODEL, out=tmp_path / "local", options=flat(batch_size=8), **TYPOS)
    assert results(tmp_path / "ray") == results(tmp_path / "local")


@pytest.mark.slow
def test_a_text_that_kills_every_actor_is_found_and_fails(ray, mark):
    mark.touch()
    data = [*DATA[:11], ("a deadly film", "negative"), *DATA[11:15]]
    options = flat(noise=0, blame_calls=0, errors=9, engine="ray", actors=1)
    run = evaluate(data, MODEL, presets="case", severities=1, options=options).results
    assert {text.id for text in run.failed.listed} == {"11"}
    [failure] = run.failures
    assert failure.error.startswith("ActorDiedError: an actor of Ray died while it was asked")


@pytest.mark.slow
def test_a_model_that_no_actor_can_open_stops_the_run(ray):
    options = flat(engine="ray", actors=1)
    with pytest.raises(ModelError, match="an actor of Ray died while it was asked, before it had opened"):
        evaluate(DATA, "python:tests.asking.stillborn:classify", options=options)
    with pytest.raises(InputError, match="nothing: is not a folder"):
        evaluate(DATA, "hf:nothing", options=options)


@pytest.mark.slow
def test_a_killed_run_with_actors_is_continued_without_them(mark, tmp_path):
    mark.touch()
    data = ROOT / "src/salva/rows/data/reviews-test.csv"
    options = ["--model", MODEL, "-M", "batch_size=4", "--preset", "typos"]
    command = [sys.executable, "-m", "salva", "evaluate", data, *options]
    killed = subprocess.Popen([*command, "-o", tmp_path / "ray", "-S", "engine=ray", "-S", "actors=1"])
    log = tmp_path / "ray/answers.db-wal"
    while not (log.exists() and log.stat().st_size > 50_000):  # some answers are kept
        assert killed.poll() is None
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    assert not (tmp_path / "ray/results.json").exists()
    for name, more in (("ray", ["--resume"]), ("local", [])):
        subprocess.run([*command, "-q", "-o", tmp_path / name, *more], check=True)
    assert results(tmp_path / "ray") == results(tmp_path / "local")


@pytest.mark.parametrize(
    ("model", "engine", "said"),
    [
        (len, "ray", "a model in memory cannot be sent to engine='ray'; give a spec"),
        ("answers:x", "ray", "'answers:x' has its answers already"),
        (MODEL, "rey", "engine 'rey' is unknown; did you mean 'ray'?"),
    ],
)
def test_what_actors_cannot_open_is_refused(model, engine, said):
    with pytest.raises(UsageError, match=said):
        evaluate(DATA, model, options=flat(engine=engine))


def test_options_of_actors_are_for_actors():
    with pytest.raises(UsageError, match="actors= is for engine='ray'; leave it out"):
        flat(actors=2)
