"""`dtype`: in which numbers an `hf:` model computes, and that it then is another model."""

from __future__ import annotations

import pytest

from salva import evaluate
from salva.errors import UsageError
from salva.models import ModelOptions, open_generator, open_model
from salva.models.protocol import LIKELIHOOD
from tests.flat import flat
from tests.language_model import write_language_model

pytest.importorskip("transformers")
TEXTS = ["a very good film .", "the bad film", "very bad ."]


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    return write_language_model(tmp_path_factory.mktemp("model"))


def numbers_of(model):
    return str(next(model._model.parameters()).dtype)


def classifier(bert, dtype=None):
    return open_model(f"hf:{bert}", ModelOptions(device="cpu", dtype=dtype))


def test_weights_have_the_type_that_was_asked_for(bert):
    plain = classifier(bert)
    assert numbers_of(plain) == "torch.float32"
    expected = plain.predict(TEXTS)
    for dtype in ("bfloat16", "float16"):
        model = classifier(bert, dtype)
        assert numbers_of(model) == f"torch.{dtype}"
        answers = model.predict(TEXTS)
        assert answers.probabilities == pytest.approx(expected.probabilities, abs=0.05)
        assert answers.probabilities != expected.probabilities


def test_auto_is_the_type_of_the_weights(bert, tmp_path):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    AutoTokenizer.from_pretrained(bert).save_pretrained(tmp_path)
    half = AutoModelForSequenceClassification.from_pretrained(bert, dtype=torch.float16)
    half.save_pretrained(tmp_path)
    assert numbers_of(classifier(tmp_path, "auto")) == "torch.float16"
    assert numbers_of(classifier(tmp_path)) == "torch.float32"
    assert numbers_of(classifier(bert, "auto")) == "torch.float32"


def test_another_type_is_another_model_and_the_same_type_is_not(bert, causal):
    def digests(open_one, *dtypes):
        return [open_one(dtype).digest for dtype in dtypes]

    def write(dtype):
        return open_generator(f"hf:{causal}", ModelOptions(device="cpu", dtype=dtype))

    def choose(dtype):
        options = ModelOptions(device="cpu", dtype=dtype, choose_by=LIKELIHOOD)
        return open_generator(f"hf:{causal}", options)

    for open_one in (lambda dtype: classifier(bert, dtype), write, choose):
        usual, same, half = digests(open_one, None, "float32", "bfloat16")
        assert usual == same != half


def test_models_that_write_or_choose_compute_in_it_too(causal):
    options = {"device": "cpu", "dtype": "bfloat16"}
    written = open_generator(f"hf:{causal}", ModelOptions(max_new_tokens=3, **options))
    assert numbers_of(written) == "torch.bfloat16"
    assert len(written.predict(["I saw the"]).labels) == 1


def test_other_models_and_other_types_are_refused(salva, tmp_path):
    with pytest.raises(UsageError, match=r"dtype='float16' is for hf: models, and builtin: has its own"):
        open_model("builtin:reviews", ModelOptions(dtype="float16"))
    for opened in (open_model, open_generator):
        with pytest.raises(UsageError, match="and a Python object has its own numbers; leave it out"):
            opened(list, ModelOptions(dtype="float16"))
    with pytest.raises(UsageError, match="dtype='int8' is unknown; choose from float32, bfloat16,"):
        ModelOptions(dtype="int8")
    (tmp_path / "in.csv").write_text("text,label\ngood,positive\nbad,negative\n")
    outcome = salva("evaluate", "in.csv", "--model", "builtin:reviews", "-M", "dtype=float16", "-o", "run")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "salva: -M dtype=float16 is for hf: models, and builtin: has its own numbers; leave it out\n"
    )


def test_a_run_is_not_resumed_in_other_numbers(bert, tmp_path):
    rows = list(zip(TEXTS, ("POSITIVE", "NEGATIVE", "NEGATIVE"), strict=True))
    usual = {"presets": "case", "severities": 1.0, "out": tmp_path / "run"}
    options = flat(device="cpu", noise=0, blame_calls=0)
    evaluate(rows, f"hf:{bert}", options=options, **usual)
    with pytest.raises(UsageError, match="model changed since, or its options, or it"):
        evaluate(
            rows, f"hf:{bert}", options=options.replace(model={"dtype": "bfloat16"}), resume=True, **usual
        )
