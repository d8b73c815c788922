"""The example models: they train, are saved, and Salva evaluates them."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva.models import open_model
from salva.rows import reviews
from tests.conftest import ROOT

IMDB = ROOT / "examples/imdb"


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / script, *map(str, arguments)], check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture
def data(tmp_path):
    rows = reviews("train").slice(0, 40)
    labels = [int(label == "positive") for label in rows["label"].to_pylist()]
    pq.write_table(pa.table({"text": rows["text"], "label": labels}), tmp_path / "train.parquet")
    return tmp_path / "train.parquet"


@pytest.mark.slow
def test_tfidf_is_a_model_of_skops(data, tmp_path):
    run("imdb/tfidf.py", data, "-o", tmp_path / "model.skops")
    answers = open_model(f"skops:{tmp_path / 'model.skops'}").predict(["A lovely film.", "Dull."])
    assert set(answers.labels) <= {"0", "1"}


@pytest.mark.slow
def test_the_simple_transformer_answers_as_before_it_was_saved(data, tmp_path, monkeypatch):
    run("imdb/simple_transformer.py", data, "-o", tmp_path / "a", "--steps", 3)
    run("imdb/simple_transformer.py", data, "-o", tmp_path / "b", "--steps", 3)
    assert (tmp_path / "a/model.safetensors").read_bytes() == (tmp_path / "b/model.safetensors").read_bytes()
    monkeypatch.setenv("SIMPLE_TRANSFORMER", str(tmp_path / "a"))
    monkeypatch.chdir(ROOT)
    answers = open_model("python:examples.imdb.simple_transformer:predict").predict(["A lovely film.", ""])
    assert set(answers.labels) <= {"0", "1"}


@pytest.mark.slow
def test_an_encoder_is_fine_tuned_with_twins(data, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from hugging_face import write_model

    texts = pq.read_table(data)["text"].to_pylist()
    write_model(tmp_path / "tiny", texts, 1, 32, heads=2, vocabulary=300)
    twins = pa.table({"text": [text.upper() for text in texts]})
    pq.write_table(twins, tmp_path / "twins.parquet")
    out = tmp_path / "out"
    run(
        "imdb/encoder.py",
        tmp_path / "tiny",
        data,
        "--twins",
        tmp_path / "twins.parquet",
        "--epochs",
        1,
        "-o",
        out,
    )
    answers = open_model(f"hf:{out}").predict(["A lovely film."])
    assert answers.labels[0] in {"LABEL_0", "LABEL_1"}


@pytest.mark.slow
def test_examples_in_docstrings_are_true(monkeypatch):
    monkeypatch.syspath_prepend(str(IMDB))
    monkeypatch.syspath_prepend(str(ROOT / "examples/outliers"))
    import word_vectors

    import encoder

    for module in (encoder, word_vectors):
        outcome = doctest.testmod(module)
        assert (outcome.failed, outcome.attempted > 0) == (0, True)


def test_the_package_s_settings_are_those_of_text_corruptor():
    import tomllib

    from salva.transforms.corruptor import PACKAGE, REALISED

    with (IMDB / "package.toml").open("rb") as file:
        assert tomllib.load(file)["settings"] == PACKAGE | REALISED
