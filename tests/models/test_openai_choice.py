"""`openai:MODEL@URL` for tasks: fields of requests, JSON, completions, and options by log-probability."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import pytest

from salva.asking.pipeline import query
from salva.errors import ModelError, UsageError
from salva.models import Message, ModelOptions, Prompt, open_model
from tests.language_model import write_language_model
from tests.models.chat import said

PROMPT = Prompt((Message("system", "Choose."), Message("user", "A or B?")), ("A", "B"))


def opened(server, path="/v1", **options):
    spec = f"openai:m@http://127.0.0.1:{server.server_port}{path}"
    return open_model(spec, ModelOptions(**{"writes": True, "deadline": 300.0, **options}))


def reply_of(server, prompt=PROMPT, **options):
    answers = query(opened(server, **options), [prompt])
    return answers.labels[0] or answers.errors[0]


WAYS = [("/v1", {}), ("/v1/completions", {}), ("/v1", {"choose_by": "likelihood"})]


@pytest.mark.parametrize(("path", "options"), WAYS, ids=["chat", "completions", "choice"])
def test_any_other_field_of_a_request_is_sent_as_it_is(server, path, options):
    server.answer = lambda request: request.reply(likely(("A", 1.0)))
    fields = {"seed": 7, "temperature": 0.2, "stop": ["\n"], "metadata": {"run": "1"}, "store": None}
    reply_of(server, path=path, request=fields, **options)
    body = server.requests[-1][2]
    assert {name: body[name] for name in fields} == fields
    assert body["max_tokens"] == (1 if options else 256)
    reply_of(server, path=path, **options)
    body = server.requests[-1][2]
    assert (body["temperature"], body.keys() & {"seed", "stop", "metadata", "store"}) == (0, set())


@pytest.mark.parametrize("writes", [False, True])
def test_a_request_has_one_limit_of_tokens(server, writes):
    labels = ("neg", "pos")
    for fields in ({"max_completion_tokens": 900}, {"max_tokens": 800}):
        query(opened(server, request=fields, writes=writes, labels=labels), ["x"])
        body = server.requests[-1][2]
        assert {name: value for name, value in body.items() if name.startswith("max_")} == fields


def test_the_fields_of_a_request_belong_to_the_digest(server):
    requests = [{}, {"seed": 0}, {"seed": 1}, {"seed": "1"}, {"seed": 1, "top_p": 0.5}]
    assert len({opened(server, request=fields).digest for fields in requests}) == 5
    one, other = ({"seed": 1, "top_p": 0.5}, {"top_p": 0.5, "seed": 1})
    assert opened(server, request=one).digest == opened(server, request=other).digest


def test_the_fields_of_a_request_are_those_of_the_moment_they_were_given(server):
    fields = {"stop": ["a"]}
    options = ModelOptions(request=fields)
    fields["stop"].append("b")
    assert options.request == {"stop": ["a"]}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"messages": []}, "the field 'messages' of a request is set by Salva; leave it out"),
        ({"stream": True}, "the field 'stream' of a request is set by Salva"),
        ({"n": 2}, "the field 'n' of a request is set by Salva"),
        ({"seed": 1, "model": "m"}, "the field 'model' of a request is set by Salva"),
        ({"response_format": {}}, "the field 'response_format' of a request is set by Salva"),
        ({"seed": math.nan}, "the field 'seed' of a request is nan, which cannot be written as JSON"),
        ({"stop": {"a"}}, "the field 'stop' of a request is {'a'}, which cannot be written as JSON"),
        ({1: 2}, "1 must be the name of a field of a request, such as 'seed'"),
        ({"": 2}, "'' must be the name of a field"),
        (["seed"], r"request=\['seed'\] must be a mapping of fields, such as {'seed': 1}"),
        (None, "request=None must be a mapping of fields"),
    ],
)
def test_a_field_that_is_salvas_own_or_not_json_is_refused(fields, error):
    with pytest.raises(UsageError, match=error):
        ModelOptions(request=fields)


def test_json_replies_are_asked_for_if_the_task_reads_a_field(server):
    reply_of(server, json_field="answer")
    asked = server.requests[-1][2]["response_format"]
    assert asked["type"] == "json_schema"
    assert asked["json_schema"]["schema"]["required"] == ["answer"]
    reply_of(server, json_field="answer", reply_format="json_object")
    assert server.requests[-1][2]["response_format"] == {"type": "json_object"}
    reply_of(server, json_field="answer", reply_format="text")
    assert "response_format" not in server.requests[-1][2]
    forms = ("json_schema", "json_object", "text")
    assert len({opened(server, json_field="answer", reply_format=form).digest for form in forms}) == 3
    assert opened(server).digest == opened(server, reply_format="text").digest


def test_a_server_that_refuses_what_was_asked_for_gets_one_clear_line(server):
    server.answer = lambda request: request.reply('{"error": "unsupported"}', status=400)
    refused = 'HTTP 400: \'{"error": "unsupported"}\'; the server may not support '
    assert reply_of(server, json_field="a") == f"{refused}JSON replies (reply_format='text' asks for none)"
    assert reply_of(server, request={"seed": 3, "top_k": 5}) == f"{refused}'seed' or 'top_k'"
    assert reply_of(server, choose_by="likelihood") == f"{refused}choose_by='likelihood'"
    assert reply_of(server) == 'HTTP 400: \'{"error": "unsupported"}\''


def test_plain_completions_get_the_text_and_no_messages(server):
    server.answer = lambda request: request.reply(
        '{"choices": [{"text": " yes", "finish_reason": "length"}]}'
    )
    answers = query(
        opened(server, "/v1/completions", max_new_tokens=3), [Prompt((Message("user", "Well?"),))]
    )
    assert (answers.labels, answers.statuses) == ([" yes"], ["truncated"])
    path, _, body = server.requests[0]
    assert path == "/v1/completions"
    assert (body["prompt"], body["max_tokens"], body["temperature"]) == ("Well?", 3, 0)
    assert "messages" not in body
    server.answer = lambda request: request.reply(said("a chat"))
    assert "the reply is not a completion" in reply_of(server, path="/v1/completions")


def likely(*tokens, **more):
    top = [{"token": token, "logprob": math.log(share)} for token, share in tokens]
    found = {"message": {"content": "x"}, "logprobs": {"content": [{"top_logprobs": top}]}}
    return json.dumps({"choices": [found | {"finish_reason": "length"}], "model": "m-1", **more})


def test_a_chat_chooses_by_the_first_token(server):
    server.answer = lambda request: request.reply(likely(("The", 0.5), (" B", 0.2), ("B", 0.1), ("A", 0.1)))
    answers = query(opened(server, choose_by="likelihood"), [PROMPT])
    assert (answers.labels, answers.statuses) == (["B"], ["answered"])  # one token is all that was asked for
    assert answers.probabilities == [pytest.approx(0.75)]
    body = server.requests[0][2]
    assert (body["logprobs"], body["top_logprobs"], body["max_tokens"]) == (True, 20, 1)
    assert body["messages"][0] == {"role": "system", "content": "Choose."}


def test_a_chat_without_options_or_probabilities_of_them_is_told(server):
    server.answer = lambda request: request.reply(likely(("The", 0.5), ("I", 0.2)))
    error = reply_of(server, choose_by="likelihood")
    assert error == "no option is among the 2 likeliest first tokens: 'The', 'I' …"
    free = Prompt((Message("user", "Well?"),))
    assert "there are no options to compare" in reply_of(server, free, choose_by="likelihood")


@pytest.mark.parametrize("path", ["/v1", "/v1/completions"])
@pytest.mark.parametrize(
    "choice", [{"finish_reason": "content_filter"}, {"message": {"refusal": "I must not."}}]
)
def test_a_refusal_to_choose_is_one_text_and_not_the_end_of_the_run(server, path, choice):
    server.answer = lambda request: request.reply(json.dumps({"choices": [choice | {"logprobs": None}] * 2}))
    answers = query(opened(server, path, choose_by="likelihood"), [PROMPT])
    assert (answers.labels, answers.statuses) == ([None], ["refused"])


PATHS = pytest.mark.parametrize("path", ["/v1", "/v1/completions"])
SILENT = json.dumps({"choices": [{"index": k, "text": "A", "logprobs": None} for k in (1, 0)]})


@PATHS
@pytest.mark.parametrize("body", [SILENT, SILENT.replace(', "logprobs": null', "")])
def test_a_server_without_log_probabilities_ends_the_run_with_one_line(server, path, body):
    server.answer = lambda request: request.reply(body)
    with pytest.raises(ModelError, match="the server sends no log-probabilities; choose by the reply"):
        reply_of(server, path=path, choose_by="likelihood")


@PATHS
@pytest.mark.parametrize("found", [[], {}, "A", {"content": []}, {"token_logprobs": [None], "tokens": ["A"]}])
def test_log_probabilities_that_make_no_sense_are_failed_texts(server, path, found):
    body = json.dumps({"choices": [{"index": k, "logprobs": found} for k in range(2)]})
    server.answer = lambda request: request.reply(body)
    assert "in the reply cannot be read: " in reply_of(server, path=path, choose_by="likelihood")


@PATHS
@pytest.mark.parametrize("body", ["<html>welcome</html>", "[" * 5000, "{}", '{"choices": [5]}'])
def test_a_reply_that_is_no_completion_is_a_failed_text(server, path, body):
    server.answer = lambda request: request.reply(body)
    error = reply_of(server, path=path, choose_by="likelihood")
    assert error.startswith("the reply is not a completion of every option: ")


def test_a_server_that_stalls_fails_or_changes_its_model_while_it_chooses(server, quick, caplog):
    tries = iter([503, 200])
    server.answer = lambda request: request.reply(likely(("A", 1.0)), status=next(tries))
    assert reply_of(server, choose_by="likelihood") == "A"
    names = iter(["m-1", "m-2"])
    server.answer = lambda request: request.reply(likely(("A", 1.0), model=next(names)))
    query(opened(server, choose_by="likelihood", concurrency=1), [PROMPT, PROMPT])
    assert "the server changed its model from 'm-1' to 'm-2'" in caplog.text
    server.answer = lambda request: request.reply("down", status=500)
    assert reply_of(server, choose_by="likelihood", retries=1) == "HTTP 500: 'down'"


def echo(model, tokenizer, request):
    """Answer as vLLM and llama.cpp do: the prompt with its tokens' log-probabilities, and one more token."""
    import torch

    choices = []
    for index, text in enumerate(request.body["prompt"]):
        found = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = torch.tensor([found["input_ids"]])
        shares = torch.log_softmax(model(ids).logits[0].float(), dim=-1)
        known = [None, *(float(shares[k, b]) for k, (_, b) in enumerate(pairwise(found["input_ids"])))]
        # A token begins where the last one ends: white space belongs to the token after it.
        places = [0, *(end for _, end in found["offset_mapping"])]
        about = {"tokens": ["?"] * len(places), "token_logprobs": [*known, -9.0], "text_offset": places}
        choices.append({"index": index, "text": text, "logprobs": about})
    request.reply(json.dumps({"model": "tiny", "choices": choices[::-1]}))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["likelihood", "likelihood-per-character"])
def test_completions_choose_what_the_same_model_chooses_here(server, tmp_path, way):
    transformers = pytest.importorskip("transformers")
    folder = write_language_model(tmp_path)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    server.answer = lambda request: echo(model, tokenizer, request)
    starts = ("I saw the", "it was a good", "the old movie ended and", "a tale in ")
    options = ("fine film", "error", "elderly picture was nice", "began")
    prompts = [Prompt((Message("user", start),), options) for start in starts]
    there = query(opened(server, "/v1/completions", choose_by=way), prompts)
    here = query(open_model(f"hf:{folder}", ModelOptions(writes=True, choose_by=way, device="cpu")), prompts)
    assert there.labels == here.labels
    assert len(set(there.labels)) > 1
    assert there.probabilities == pytest.approx(here.probabilities, abs=1e-4)
