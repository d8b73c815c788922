"""Specs: known prefixes, near misses, options out of range, missing extras."""

from __future__ import annotations

import subprocess
import sys

import pytest

from salva.errors import UsageError
from salva.models import ADAPTERS, Model, ModelOptions, open_model, text_id


def test_an_unknown_prefix_suggests_the_nearest_and_lists_all():
    with pytest.raises(UsageError) as refused:
        open_model("opneai:gpt@http://x")
    assert "did you mean 'openai:'?" in str(refused.value)
    assert all(f"{name}:" in str(refused.value) for name, way in ADAPTERS.items() if way.labels)


@pytest.mark.parametrize("spec", ["reviews", "", "http://localhost", "C:/models/x"])
def test_a_spec_without_a_prefix_is_refused(spec):
    with pytest.raises(UsageError, match="is unknown; "):
        open_model(spec)


def test_the_built_in_model_speaks_the_protocol():
    assert isinstance(open_model("builtin:reviews"), Model)


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch_size": 0},
        {"batch_size": True},
        {"concurrency": 0},
        {"concurrency": 1000},
        {"retries": -1},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"deadline": -3},
        {"deadline": "1"},
    ],
    ids=str,
)
def test_options_out_of_range_are_named(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        ModelOptions(**wrong)


def test_118_a_key_in_place_of_its_variable_is_not_shown():
    with pytest.raises(UsageError) as refused:
        ModelOptions(api_key_variable="KEY=sk-secret")
    assert "sk-secret" not in str(refused.value)


def test_a_batch_size_of_the_users_own():
    assert open_model("builtin:reviews", ModelOptions(batch_size=7)).batch_size == 7


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("builtin:reviews", "builtin:"),
        ("python:math:sqrt", "python:"),
        ("command:cat", "command:"),
        ("hf:.", "hf:"),
        (len, "a Python object"),
    ],
)
def test_fields_of_requests_are_for_servers_only(spec, kind):
    for writes in (False, True) if kind != "builtin:" else (False,):
        with pytest.raises(UsageError) as refused:
            open_model(spec, ModelOptions(request={"seed": 1, "top_p": 0.5}, writes=writes))
        problem = f"request fields ('seed', 'top_p') are for openai: models, and {kind} gets no requests"
        assert str(refused.value) == f"{problem}; leave them out"


MISSING = """
import sys
from salva.errors import MissingExtraError
from salva.models import ModelOptions, open_model
for name in {packages}:
    sys.modules[name] = None
try:
    open_model({spec!r}, ModelOptions(labels=("a", "b")))
except MissingExtraError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "packages", "extra"),
    [
        ("hf", ["torch"], "hf"),
        ("onnx", ["onnxruntime"], "onnx"),
        ("skops", ["skops"], "skops"),
        ("openai", ["httpx2"], "http"),
    ],
)
def test_96_a_missing_extra_is_named(tmp_path, kind, packages, extra):
    for name in ("model.safetensors", "model.onnx", "tokenizer.json", "config.json", "model.skops"):
        (tmp_path / name).write_text("{}")
    rest = {"openai": "m@http://localhost/v1", "skops": tmp_path / "model.skops"}.get(kind, tmp_path)
    code = MISSING.format(packages=packages, spec=f"{kind}:{rest}")
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said == f"{packages[0]!r} is not installed; pip install 'salva[{extra}]'\n"


def test_nothing_heavy_is_imported_before_it_is_needed():
    heavy = {"torch", "transformers", "httpx2", "onnxruntime", "skops", "sklearn"}
    code = f"import sys, salva.models; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_106_the_id_of_a_text_is_its_blake2b():
    assert text_id("a film").hex() == "7db56f9057a074d669e7200d5a3192c5"
    assert text_id(("a", "b")) == text_id("a\0b")
    assert len(text_id("\ud800")) == 16
