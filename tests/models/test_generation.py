"""Models that write: what they wrote is the answer, an empty one too; items 102, 106, 112 and 121."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from salva.asking.pipeline import query
from salva.errors import InputError, UsageError
from salva.models import ModelOptions, open_generator
from tests.models.chat import said
from tests.models.conftest import WORDS, tokenizer

ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    text = asked["text"]
    answer = {"error": "too hard"} if text == "hard" else {"output": text[::-1]}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


def test_a_function_writes_and_an_empty_text_is_an_answer():
    answers = query(open_generator(lambda texts: [text * 2 for text in texts]), ["a", "", "b c"])
    assert answers.labels == ["aa", "", "b cb c"]
    assert answers.errors == [None] * 3


def test_white_space_is_kept_as_it_was_written():
    assert query(open_generator(lambda texts: [" a\n"]), ["x"]).labels == [" a\n"]


def test_none_is_no_answer():
    answers = query(open_generator(lambda texts: ["a", None]), ["x", "y"])
    assert answers.labels == ["a", None]
    assert answers.errors[1] == "the model gave no answer"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda texts: texts[:1], "model returned 1 result for 2 texts"),
        (lambda texts: "ab", "model returned one str ('ab'), not a list of 2 answers"),
        (lambda texts: [1, 2], "model returned 1 for one text, not a string"),
        (lambda texts: None, "model returned None, not a list of 2 answers"),
    ],
)
def test_102_what_is_no_list_of_texts_fails_the_batch(answer, error):
    assert query(open_generator(answer), ["x", "y"]).errors == [error] * 2


def test_121_a_text_that_raises_fails_alone():
    def write(texts):
        if "bad" in texts:
            raise ValueError("cannot")
        return texts

    assert query(open_generator(write), ["a", "bad", "b"]).labels == ["a", None, "b"]


def test_python_names_a_function_and_its_file_is_in_the_digest(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_writer.py").write_text("def write(texts):\n    return [text[::-1] for text in texts]\n")
    model = open_generator("python:my_writer:write")
    assert query(model, ["abc"]).labels == ["cba"]
    assert model.digest == open_generator("python:my_writer:write").digest


def test_106_a_program_writes_an_output_for_every_id(tmp_path):
    (tmp_path / "echo.py").write_text(ECHO)
    model = open_generator(f"command:{sys.executable} {tmp_path / 'echo.py'}")
    answers = query(model, ["ab", "hard", ""])
    model.close()
    assert answers.labels == ["ba", None, ""]
    assert answers.errors[1] == "too hard"


def test_a_program_that_classifies_is_told_what_was_expected(tmp_path):
    (tmp_path / "old.py").write_text(ECHO.replace('"output"', '"label"'))
    model = open_generator(f"command:{sys.executable} {tmp_path / 'old.py'}")
    answers = query(model, ["ab"])
    model.close()
    assert answers.errors[0].startswith("the program's answer has no output or error: ")


def test_a_chat_model_is_given_the_text_alone(server):
    server.answer = lambda request: request.reply(said(request.text.upper()))
    spec = f"openai:m@http://127.0.0.1:{server.server_port}/v1"
    answers = query(open_generator(spec, ModelOptions(max_new_tokens=7, deadline=300.0)), ["a {labels}", ""])
    assert answers.labels == ["A {LABELS}", ""]
    body = server.requests[0][2]
    assert (len(body["messages"]), body["max_tokens"], body["temperature"]) == (1, 7, 0)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("hff:x", "does not write text; did you mean 'hf:'?"),
        ("builtin:reviews", "it must begin with one of python:, hf:, command:, openai:"),
        (object(), "'object' must be a function from a list of texts to a list of texts"),
        (str, "must be a function from a list of texts"),
    ],
)
def test_what_writes_no_texts_is_refused(spec, problem):
    with pytest.raises(UsageError) as refused:
        open_generator(spec)
    assert problem in str(refused.value)


@pytest.mark.parametrize("most", [0, True, 1.5])
def test_the_length_of_an_answer_is_a_whole_number(most):
    with pytest.raises(UsageError, match="max_new_tokens="):
        ModelOptions(max_new_tokens=most)


@pytest.fixture(scope="module", params=["causal", "seq2seq"])
def folder(request, tmp_path_factory):
    """A folder with a small random model of each kind."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    made = tmp_path_factory.mktemp(request.param)
    size = {"vocab_size": len(WORDS), "eos_token_id": 3, "bos_token_id": 2, "pad_token_id": 0}
    if request.param == "causal":
        shape = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64, "initializer_range": 0.8}
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**size, **shape))
    else:
        shape = {"d_model": 16, "d_ff": 32, "d_kv": 8, "num_layers": 2, "num_heads": 2}
        model = transformers.T5ForConditionalGeneration(
            transformers.T5Config(**size, **shape, decoder_start_token_id=0, initializer_factor=9.0)
        )
    transformers.utils.logging.disable_progress_bar()
    model.save_pretrained(made)
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "eos_token": "[SEP]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer(), **names).save_pretrained(made)
    return made


TEXTS = ["good film", "a very bad film .", "the", "good good good good good good good", "bad ."]


def test_texts_are_written_alike_in_a_batch_and_alone(folder):
    model = open_generator(f"hf:{folder}", ModelOptions(device="cpu", max_new_tokens=8))
    together = query(model, TEXTS).labels
    assert together == [query(model, [text]).labels[0] for text in TEXTS]
    assert len(set(together)) > 1
    assert not any("[PAD]" in text or "[SEP]" in text for text in together)


def test_a_causal_model_writes_what_comes_after_the_text(folder):
    model = open_generator(f"hf:{folder}", ModelOptions(device="cpu", max_new_tokens=4))
    assert all(len(text.split()) <= 4 for text in query(model, TEXTS).labels)


def test_a_causal_model_gets_the_chat_template_unless_it_is_left_out(folder, tmp_path):
    chat = shutil.copytree(folder, tmp_path / "chat")
    (chat / "chat_template.jinja").write_text("good the {{ messages[0].content }} good")
    bare, templated, plain = (
        query(
            open_generator(f"hf:{own}", ModelOptions(device="cpu", max_new_tokens=8, chat_template=wanted)),
            TEXTS,
        ).labels
        for own, wanted in ((folder, True), (chat, True), (chat, False))
    )
    assert plain == bare
    assert (templated == bare) == ("seq2seq" in folder.name)


def test_120_the_digest_knows_how_much_may_be_written(folder):
    first, second = (open_generator(f"hf:{folder}", ModelOptions(max_new_tokens=k)).digest for k in (4, 5))
    assert first != second


def test_112_a_text_that_is_too_long_is_counted(folder):
    model = open_generator(f"hf:{folder}", ModelOptions(device="cpu", max_new_tokens=4))
    model._ends = list(range(len(WORDS)))  # whatever it writes comes to an end
    reads_all = "seq2seq" in folder.name  # this one has no longest text
    answers = query(model, ["good " * 100, "good"])
    assert answers.cut == [not reads_all, False]
    assert answers.statuses == ["answered", "answered"]


def test_112_an_answer_that_had_to_end_early_is_counted(folder):
    few, many = (
        query(open_generator(f"hf:{folder}", ModelOptions(device="cpu", max_new_tokens=most)), TEXTS)
        for most in (3, 12)
    )
    whole = [short == long for short, long in zip(few.labels, many.labels, strict=True)]
    assert [status == "answered" for status in few.statuses] == whole
    assert {"truncated"} <= set(few.statuses) <= {"answered", "truncated"}
    assert few.cut == [False] * len(TEXTS)


def test_a_classifier_does_not_write(bert):
    with pytest.raises(
        InputError, match=r"cannot be loaded as a model that writes text|it is not a trained model"
    ):
        open_generator(f"hf:{bert}")


def test_112_an_answer_that_the_limit_cut_off_is_counted(server):
    choice = {"message": {"content": "A1"}, "finish_reason": "length"}
    server.answer = lambda request: request.reply(json.dumps({"choices": [choice]}))
    model = open_generator(f"openai:m@http://127.0.0.1:{server.server_port}/v1")
    answers = query(model, ["x"])
    assert (answers.labels, answers.statuses, answers.errors) == (["A1"], ["truncated"], [None])
    assert answers.cut == [False]
