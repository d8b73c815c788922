"""The built-in classifier: what ships is what training gives, and it is quick."""

from __future__ import annotations

import json
import subprocess
import sys
import timeit

import pytest

from salva.asking.pipeline import query
from salva.errors import UsageError
from salva.models import open_model
from salva.rows import reviews
from tools.build_reviews_model import OUT, trained


@pytest.fixture(scope="module")
def model():
    return open_model("builtin:reviews")


def test_training_again_gives_the_weights_that_ship():
    shipped, again = json.loads(OUT.read_text("utf-8")), trained()
    assert shipped["classes"] == again["classes"]
    assert shipped["weights"].keys() == again["weights"].keys()
    assert abs(shipped["bias"] - again["bias"]) <= 1
    # Another linear algebra library may round the last of four digits in another way.
    assert max(abs(shipped["weights"][word] - weight) for word, weight in again["weights"].items()) <= 1


def test_nine_of_ten_test_reviews_are_right(model):
    table = reviews("test")
    answers = query(model, table["text"].to_pylist())
    right = sum(a == b for a, b in zip(answers.labels, table["label"].to_pylist(), strict=True))
    assert right / table.num_rows >= 0.89
    assert all(0.5 <= probability <= 1 for probability in answers.probabilities)


def test_it_answers_over_20000_short_reviews_a_second(model):
    texts = reviews("test")["text"].to_pylist() * 10
    assert len(texts) / min(timeit.repeat(lambda: model.predict(texts), number=1, repeat=10)) > 20_000


def test_the_answers_do_not_depend_on_the_process(model):
    code = (
        "from salva.models import open_model; from salva.rows import reviews\n"
        "print(open_model('builtin:reviews').predict(reviews()['text'].to_pylist()).probabilities)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"})
    assert done.stdout.strip() == str(model.predict(reviews()["text"].to_pylist()).probabilities)


@pytest.mark.parametrize(
    "text", ["", "   ", "好看的电影", "\ud800", "🙂", "x" * 10**6, ("good", "great film")]
)
def test_113_any_text_gets_an_answer(model, text):
    assert query(model, [text]).labels[0] in {"negative", "positive"}


def test_only_reviews_are_built_in():
    with pytest.raises(UsageError, match="'builtin:tweets' is unknown; the only one is builtin:reviews"):
        open_model("builtin:tweets")
