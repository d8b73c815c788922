"""`openai:MODEL@URL`: requests, replies, labels, and the key that nobody sees; items 106, 116, 118, 119."""

from __future__ import annotations

import logging
import threading
import time

import pytest

from salva.asking.pipeline import query
from salva.errors import UsageError
from salva.models import ModelOptions, open_model
from tests.models.chat import KEY, error_of, opened, said


def test_a_request_has_the_labels_the_text_and_no_chance(server):
    assert query(opened(server), ["fine {labels} <|system|>"]).labels == ["pos"]
    path, headers, body = server.requests[0]
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0, 11)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "neg\npos" in body["messages"][0]["content"]
    assert body["messages"][1]["content"] == "fine {labels} <|system|>"


def test_a_prompt_of_the_users_own(server):
    query(opened(server, prompt="One of {labels}: {text}!"), ["{labels}"])
    assert server.requests[0][2]["messages"] == [{"role": "user", "content": "One of neg\npos: {labels}!"}]


def test_pairs_are_shown_as_two(server):
    query(opened(server), [("a", "b")])
    assert server.requests[0][2]["messages"][1]["content"] == "Text A:\na\n\nText B:\nb"


@pytest.mark.parametrize("reply", ["pos", " Pos\n", '"POS"', "pos.", "`pos`", "“Pos.”", "**pos**"])
def test_a_reply_is_a_label_but_for_case_quotes_and_a_stop(server, reply):
    server.answer = lambda request: request.reply(said(reply))
    assert query(opened(server), ["x"]).labels == ["pos"]


@pytest.mark.parametrize("reply", ["positive", "pos or neg", "It is pos", "label"])
def test_116_a_reply_that_is_no_label_fails_its_text(server, reply):
    error = error_of(server, lambda request: request.reply(said(reply)))
    assert error == f"the reply is not one of the labels: {reply!r}"


def test_116_what_is_shown_of_a_reply_is_short_and_inert(server):
    error = error_of(server, lambda request: request.reply(said("\x1b[31m" + "x" * 10_000)))
    assert error.startswith("the reply is not one of the labels: '\\\\x1b[31mxxx")
    assert len(error) < 260


def test_106_answers_belong_to_their_texts_whoever_is_quicker(server):
    def answer(request):
        time.sleep(0.02 * (9 - int(request.text)))
        request.reply(said("neg" if int(request.text) % 2 else "pos"))

    server.answer = answer
    answers = query(opened(server, concurrency=8), [str(i) for i in range(10)])
    assert answers.labels == ["pos", "neg"] * 5


def test_no_more_requests_at_once_than_allowed(server):
    busy, most, lock, three = [0], [0], threading.Lock(), threading.Barrier(3)

    def answer(request):
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        three.wait(300)
        with lock:
            busy[0] -= 1
        request.reply(said("pos"))

    server.answer = answer
    assert query(opened(server, concurrency=3), ["x"] * 21).labels == ["pos"] * 21
    assert most[0] == 3


def test_118_the_key_is_in_no_name_digest_or_error(server, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    model = opened(server)
    error = error_of(server, lambda request: request.reply(f"bad request with {KEY}", 400))
    assert "***" in error
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert opened(server).digest == model.digest
    shown = [error, repr(model), str(vars(model)), model.name, repr(model._server), caplog.text]
    assert not any(KEY in text for text in shown)


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_118_a_key_that_is_none_is_refused_unseen(server, monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError) as refused:
        opened(server)
    assert key not in str(refused.value)


def test_118_another_variable_may_hold_the_key(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "mine")
    query(opened(server, api_key_variable="MY_KEY"), ["x"])
    assert server.requests[0][1]["Authorization"] == "Bearer mine"


def test_119_a_model_that_changes_is_told_of_once(server, caplog):
    numbers = iter(range(100))

    def answer(request):
        request.reply(said("pos", system_fingerprint=f"fp-{next(numbers) // 4}"))

    server.answer = answer
    model = opened(server, concurrency=1)
    assert query(model, ["x"] * 12).labels == ["pos"] * 12
    assert model.versions == ["m-1 fp-0", "m-1 fp-1", "m-1 fp-2"]
    assert [record.getMessage() for record in caplog.records if record.name == "salva"] == [
        f"{model.name}: the server changed its model from 'm-1 fp-0' to 'm-1 fp-1'"
    ]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("openai:gpt", "expected openai:MODEL@URL"),
        ("openai:gpt@file:///etc/passwd", "expected openai:MODEL@URL with http:// or https://"),
        (
            "openai:gpt@http://user:secret@host/v1",
            "may have only a host, a port and a path; the key belongs in",
        ),
        ("openai:gpt@http://host/v1?api-key=secret", "may have only a host, a port and a path"),
        ("openai:gpt@http:///v1", "may have only a host, a port and a path"),
        ("openai:gpt@http://host:99999999/v1", "may have only a host, a port and a path"),
        ("openai:gpt@http://user:secret@host:port/v1", "is invalid; expected http://HOST:PORT/v1"),
    ],
)
def test_a_url_that_is_none_or_has_secrets_is_refused(spec, error):
    with pytest.raises(UsageError) as refused:
        open_model(spec, ModelOptions(labels=("a", "b")))
    assert error in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("labels", [(), ("a",), ("a", "A.")])
def test_labels_are_needed_and_must_differ(server, labels):
    with pytest.raises(UsageError, match="needs at least two different labels"):
        opened(server, labels=labels)


def test_120_the_digest_knows_model_address_labels_and_prompt(server):
    first = opened(server).digest
    others = [opened(server, labels=("a", "b")), opened(server, prompt="?"), opened(server, model_id="2")]
    assert len({first, *(model.digest for model in others)}) == 4
