"""`openai:MODEL@URL`: a server that is slow, busy, broken or hostile; items 114 to 117."""

from __future__ import annotations

import gzip
import json
import socket
import time

import pytest

from salva.asking.pipeline import query
from salva.errors import ModelError
from salva.models import ModelOptions, open_model
from tests.models.chat import KEY, error_of, opened, said


def drip(request):
    """Send a good reply, one byte per second."""
    request.send_response(200)
    body = said("pos").encode()
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    for byte in body:
        request.wfile.write(bytes([byte]))
        time.sleep(1)


def drip_headers(request):
    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"y" * 60:
        request.wfile.write(bytes([byte]))
        request.wfile.flush()
        time.sleep(1)


def stall_in_body(request):
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    request.wfile.write(b"{")
    time.sleep(60)


@pytest.mark.parametrize("stall", [drip, drip_headers, stall_in_body, lambda request: time.sleep(60)])
def test_114_a_text_has_one_deadline_to_the_last_byte(server, stall):
    ended = []

    def answer(request):
        stall(request)
        ended.append(request)

    assert error_of(server, answer, deadline=1.5) == "no answer within 1.5 seconds"
    assert ended == [], "the deadline was not waited for, the server was"


@pytest.mark.slow
def test_114_tries_count_into_the_deadline(server):
    server.answer = failing_first(1000, lambda request: request.reply("busy", 503, Retry_After="1"))
    answers = query(opened(server, deadline=3, retries=100), ["x"])
    assert answers.errors == ["no answer within 3 seconds; the last try: HTTP 503: 'busy'"]


def failing_first(times, fail):
    left = [times]

    def answer(request):
        left[0] -= 1
        if left[0] >= 0:
            fail(request)
        else:
            request.reply(said("pos"))

    return answer


def reset(request):
    request.connection.close()
    request.close_connection = True


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_115_a_server_that_is_busy_is_asked_again(server, quick, status):
    server.answer = failing_first(2, lambda request: request.reply("wait", status))
    assert query(opened(server), ["x"]).labels == ["pos"]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "after", ["0", "-5", "315360000", "soon", "nan", "Mon, 01 Jan 2024 00:00:00 GMT", "Mon, 99 Foo"]
)
def test_115_whatever_the_server_says_about_when(server, quick, after):
    server.answer = failing_first(1, lambda request: request.reply("wait", 429, Retry_After=after))
    assert query(opened(server), ["x"]).labels == ["pos"]


def test_115_the_server_is_given_the_time_it_asks_for(server):
    server.answer = failing_first(1, lambda request: request.reply("wait", 429, Retry_After="1"))
    started = time.monotonic()
    assert query(opened(server), ["x"]).labels == ["pos"]
    assert time.monotonic() - started >= 1


def test_115_a_connection_that_breaks_is_made_again(server, quick):
    server.answer = failing_first(2, reset)
    assert query(opened(server), ["x"]).labels == ["pos"]


def test_115_tries_are_bounded_and_the_last_fault_is_told(server, quick):
    error = error_of(server, lambda request: request.reply("down", 500), retries=3)
    assert error == "HTTP 500: 'down'"
    assert len(server.requests) == 4


def unreachable(url):
    model = open_model(f"openai:m@{url}", ModelOptions(labels=("a", "b"), retries=1, deadline=20))
    return {error.partition(":")[0] for error in query(model, ["x", "y"]).errors}


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "https://127.0.0.1:{port}/v1"])
def test_115_nobody_there_and_no_tls_are_failed_texts(server, quick, url):
    assert unreachable(url.format(port=server.server_port)) == {"ConnectError"}


def test_115_an_unknown_host_is_a_failed_text(quick, monkeypatch):
    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert unreachable("http://no-such-host.invalid/v1") == {"ConnectError"}


@pytest.mark.parametrize("status", [400, 413, 422])
def test_115_what_is_the_texts_own_fault_is_not_tried_again(server, status):
    error = error_of(server, lambda request: request.reply("too long", status))
    assert error == f"HTTP {status}: 'too long'"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, "the key is missing or wrong"),
        (403, "access is forbidden"),
        (404, "the model or the address is unknown"),
    ],
)
def test_115_what_is_wrong_for_all_texts_stops_the_run(server, status, error):
    server.answer = lambda request: request.reply(f"your key {KEY}", status)
    with pytest.raises(ModelError) as stopped:
        query(opened(server), ["x"] * 50)
    assert f"HTTP {status}, {error}" in str(stopped.value)
    assert KEY not in str(stopped.value)
    assert len(server.requests) < 50


def test_115_a_key_that_is_not_set_is_named(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    server.answer = lambda request: request.reply("{}", 401)
    with pytest.raises(ModelError, match="set OPENAI_API_KEY"):
        query(opened(server), ["x"])
    assert "Authorization" not in server.requests[0][1]


@pytest.mark.parametrize(
    "body",
    [
        *("<html>log in</html>", said("pos")[:-5], "[]", "{}", "null", "9" * 5000, "[" * 50_000),
        *('{"choices": []}', '{"choices": {"0": 1}}'),
        *(said(value) for value in (1, ["a"])),
        '{"choices": [{"message": {"content": null}, "finish_reason": "tool_calls"}]}',
        '{"choices": [{"message": {"content": 1}, "finish_reason": ["stop"]}]}',
        '{"choices": [{"message": ["refusal"], "finish_reason": "stop"}]}',
    ],
    ids=lambda body: body[:20],
)
def test_116_a_body_of_another_shape_is_shown(server, body):
    error = error_of(server, lambda request: request.reply(body))
    assert error.startswith(("the reply is not a chat completion: ", "the reply has no text: "))
    assert len(error) < 300


def test_116_an_empty_body_is_said_to_be(server):
    assert (
        error_of(server, lambda request: request.reply(""))
        == "the reply is not a chat completion: it is empty"
    )


def choice(message, reason="stop"):
    return json.dumps({"choices": [{"message": message, "finish_reason": reason}], "model": "m-1"})


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize(
    ("body", "error"),
    [
        (choice({"content": None, "refusal": "I must not."}), "the model refused to answer: 'I must not.'"),
        (choice({"content": "", "refusal": "No"}), "the model refused to answer: 'No'"),
        (choice({"refusal": "No"}), "the model refused to answer: 'No'"),
        (choice({"content": None}), "the content of the reply is null, which counts as a refusal: "),
        (choice({"content": None}, ["odd"]), "the content of the reply is null, which counts as a refusal: "),
        (choice({}, "content_filter"), "a content filter stopped the reply"),
        (choice({"content": "pos"}, "content_filter"), "a content filter stopped the reply: 'pos'"),
    ],
)
def test_a_refusal_is_told_from_a_failure(server, writes, body, error):
    server.answer = lambda request: request.reply(body)
    answers = query(opened(server, writes=writes), ["x"])
    assert (answers.labels, answers.statuses) == ([None], ["refused"])
    assert answers.errors[0].startswith(error)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"error": {"code": "content_filter", "message": "no"}}', "refused"),
        ('{"error": {"code": "content_policy_violation"}}', "refused"),
        ('{"error": {"code": 400, "message": "content_filter"}}', "failed"),
        ('{"error": "content_filter"}', "failed"),
        ("content_filter", "failed"),
    ],
)
def test_a_text_that_a_filter_does_not_let_through_is_refused(server, body, status):
    server.answer = lambda request: request.reply(body, 400)
    answers = query(opened(server), ["x"])
    assert answers.statuses == [status]
    said_so = answers.errors[0].startswith("a content filter refused the text, HTTP 400: ")
    assert said_so == (status == "refused")


def test_a_reply_that_is_cut_off_is_truncated_and_kept(server):
    server.answer = lambda request: request.reply(choice({"content": "pos"}, "length"))
    for writes in (False, True):
        answers = query(opened(server, writes=writes), ["x"])
        assert (answers.labels, answers.statuses, answers.errors) == (["pos"], ["truncated"], [None])
    server.answer = lambda request: request.reply(choice({"content": None}, "length"))
    answers = query(opened(server, writes=True), ["x"])
    assert (answers.labels, answers.statuses) == ([""], ["truncated"])


def test_a_reply_that_is_cut_off_before_its_label_says_so(server):
    error = error_of(server, lambda request: request.reply(choice({"content": "It is p"}, "length")))
    assert error == "the reply is not one of the labels, and was cut off by its limit of tokens: 'It is p'"


def endless(request):
    request.send_response(200)
    request.send_header("Transfer-Encoding", "chunked")
    request.end_headers()
    while True:
        request.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


def bomb(request):
    request.reply(gzip.compress(b"x" * 300_000_000), Content_Encoding="gzip")


@pytest.mark.slow
@pytest.mark.parametrize("answer", [lambda request: request.reply("x" * 3_000_000), endless, bomb])
def test_116_a_body_has_a_size(server, answer):
    assert error_of(server, answer) == "the reply (HTTP 200) is over 1 MB"


@pytest.mark.parametrize(
    "target", ["/v1/chat/completions", "file:///etc/passwd", "http://169.254.169.254/latest"]
)
def test_117_a_redirect_is_not_followed(server, target):
    error = error_of(server, lambda request: request.reply("", 307, Location=target))
    assert error == "HTTP 307: redirects are not followed; give the final URL"
    assert len(server.requests) == 1
