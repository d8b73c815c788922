"""`onnx:DIRECTORY`: scores by onnxruntime, words by tokenizers; items 112 and 113."""

from __future__ import annotations

import json

import pytest

from salva.asking.pipeline import query
from salva.errors import InputError, UsageError
from salva.models import ModelOptions, open_model


@pytest.fixture
def model(onnx_folder):
    return open_model(f"onnx:{onnx_folder}")


def test_the_softmax_is_taken_and_padding_is_masked(model):
    answers = query(model, ["good film .", "bad", "good good bad the film is a very very film"])
    assert answers.labels == ["pos", "neg", "pos"]
    assert answers.probabilities == pytest.approx([1 / (1 + 2.718281828**-2)] * 3)
    assert model.classes == ("neg", "pos")


def test_pairs_are_read_as_one(model):
    assert query(model, [("good good", "bad"), ("good", "bad bad")]).labels == ["pos", "neg"]


def test_112_texts_that_are_too_long_are_counted(model):
    answers = query(model, ["bad " + "good " * 14, "bad bad " + "film " * 13 + "good " * 9])
    assert answers.cut == [True, True]
    assert answers.labels == ["pos", "neg"]


def test_113_a_tokenizer_may_leave_nothing(onnx_folder):
    path = onnx_folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"post_processor": None}))
    answers = query(open_model(f"onnx:{onnx_folder}"), ["", "good"])
    assert answers.labels == [None, "pos"]
    assert answers.errors == ["the tokenizer finds no token in the text", None]


def test_positions_that_begin_at_the_padding_are_not_counted(onnx_folder):
    path = onnx_folder / "config.json"
    config = json.loads(path.read_text()) | {"model_type": "xlm-roberta", "pad_token_id": 1}
    path.write_text(json.dumps(config))
    (onnx_folder / "tokenizer_config.json").write_text('{"model_max_length": 1e30}')
    answers = query(open_model(f"onnx:{onnx_folder}"), ["film " * 12, "film " * 13])
    assert answers.cut == [False, True]


def test_120_the_digest_knows_the_files(onnx_folder, model):
    assert open_model(f"onnx:{onnx_folder}").digest == model.digest
    (onnx_folder / "model.onnx").write_bytes((onnx_folder / "model.onnx").read_bytes() + b"\x0a\x00")
    (onnx_folder / "tokenizer_config.json").write_text("{}")
    assert open_model(f"onnx:{onnx_folder}").digest != model.digest


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("model.onnx", b"\xff" * 50, "model.onnx: cannot be loaded by onnxruntime ("),
        ("tokenizer.json", b"{}", "tokenizer.json: is not a tokenizer ("),
        ("config.json", b"{", "config.json: is not JSON, or cut off "),
        ("config.json", b"[]", "config.json: is not a JSON object"),
        ("config.json", b'{"id2label": {"0": "a"}}', "config.json: has no id2label such as"),
        ("config.json", b'{"id2label": {"0": "a", "1": "a"}}', "are empty, or not distinct"),
        ("config.json", b"[" * 100_000, "config.json: "),
    ],
)
def test_a_broken_file_is_one_line(onnx_folder, name, content, error):
    (onnx_folder / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        open_model(f"onnx:{onnx_folder}")
    assert error in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_missing_file_is_named(onnx_folder, name):
    (onnx_folder / name).unlink()
    with pytest.raises(InputError, match=f"has no {name}; expected model.onnx, tokenizer.json, config.json"):
        open_model(f"onnx:{onnx_folder}")


def test_another_number_of_classes_fails_the_batch(onnx_folder):
    (onnx_folder / "config.json").write_text('{"id2label": {"0": "a", "1": "b", "2": "c"}}')
    answers = query(open_model(f"onnx:{onnx_folder}"), ["good"])
    assert answers.errors == ["model.onnx returned numbers of shape (1, 2) for 1 text and 3 classes"]


def test_a_device_that_is_not_there_is_one_line(onnx_folder):
    with pytest.raises(UsageError, match="device 'cuda' is not available in this onnxruntime"):
        open_model(f"onnx:{onnx_folder}", ModelOptions(device="cuda"))
