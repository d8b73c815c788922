"""An older run in the same folder: replaced by a new one, or gone on with, whatever is left of it."""

from __future__ import annotations

import pytest

from salva.errors import UsageError
from salva.evaluation import evaluate
from tests.flat import flat
from tests.models.conftest import server

__all__ = ["server"]

ROWS = [
    (f"a {word} film number {n}", "pos" if word == "fine" else "neg")
    for word in ("fine", "dull")
    for n in "12"
]


def classify(texts):
    return ["pos" if "fine" in text else "neg" for text in texts]


def ask(folder, model, seed, **more):
    options = flat(noise=0, blame_calls=0, resamples=100)
    return evaluate(
        ROWS, model, presets="typos", severities=1, out=folder, seed=seed, options=options, **more
    )


def test_a_model_that_has_to_know_the_labels_gets_the_questions_of_its_own_run(tmp_path, server):
    model, folder = f"openai:m@http://127.0.0.1:{server.server_port}/v1", tmp_path / "run"
    ask(folder, model, 1)
    with pytest.raises(UsageError, match="seed was 1 and is 0; resume with the same settings"):
        ask(folder, model, 0, resume=True)
    with pytest.raises(UsageError, match="is incomplete"):
        ask(folder, "openai:", 0, overwrite=True)
    assert ask(folder, model, 1, resume=True).results.settings["seed"] == 1
    run = ask(folder, model, 0, overwrite=True)
    assert run.results == ask(tmp_path / "other", model, 0).results


def test_questions_that_a_killed_process_left_are_replaced_too(tmp_path):
    ask(tmp_path, classify, 1)
    for path in tmp_path.iterdir():
        if path.is_file():
            path.unlink()  # as a kill does before the older questions are removed
    assert ask(tmp_path, classify, 0, overwrite=True).results.settings["seed"] == 0
