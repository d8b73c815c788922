"""Secrets in what is shown and kept; item 118."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.asking.pipeline import query
from salva.evaluation import evaluate
from salva.models import ModelOptions, open_model
from salva.models.secrets import Secrets, hide_secrets
from tests.flat import flat
from tests.models.chat import said

KEY = 'sk-a/b"c<d+e'
SPELLINGS = (
    lambda c: c,
    lambda c: f"\\u{ord(c):04x}",
    lambda c: f"\\u{ord(c):04X}",
    lambda c: f"\\\\x{ord(c):02x}",
    lambda c: rf"\{c}",
    lambda c: f"%{ord(c):02X}",
    lambda c: f"&#{ord(c)};",
    lambda c: f"&#x{ord(c):X};",
)


@given(st.lists(st.sampled_from(SPELLINGS), min_size=len(KEY), max_size=len(KEY)))
def test_118_a_secret_is_masked_however_its_characters_are_escaped(spellings):
    spelled = "".join(spell(character) for spell, character in zip(spellings, KEY, strict=True))
    assert Secrets([KEY]).hide(f"<{spelled}>") == "<***>"


def test_118_the_word_that_local_servers_take_for_a_key_is_not_a_secret():
    assert Secrets(["EMPTY"]).hide("EMPTY") == "EMPTY"


@pytest.mark.parametrize("spelled", [json.dumps(KEY), json.dumps(KEY).replace("/", r"\/"), r'"{}"'])
def test_118_a_key_that_a_server_quotes_in_json_is_kept_nowhere(
    server, monkeypatch, tmp_path, caplog, spelled
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    quoted = spelled.format("".join(f"\\u{ord(c):04x}" for c in KEY))
    asked = []

    def answer(request):
        asked.append(request)
        if len(asked) % 8 == 3:
            request.reply(f'{{"error": {{"message": {quoted}}}}}', 400)
        else:
            request.reply(
                said("pos").replace('"m-1"', f'"m{len(asked) // 4}", "system_fingerprint": {quoted}')
            )

    server.answer = answer
    model = f"openai:m@http://127.0.0.1:{server.server_port}/v1"
    rows = [(f"a film of {word}", "pos") for word in ("love", "war", "hope")] + [("dull", "neg")]
    run = evaluate(rows, model, presets=["typos"], out=tmp_path / "run", options=flat(errors=1.0))
    assert "the server changed its model" in caplog.text
    assert any("***" in failure.error for failure in run.results.failures)
    kept = [path.read_bytes().decode("latin-1") for path in (tmp_path / "run").rglob("*") if path.is_file()]
    shown = [*kept, caplog.text, run.summary(), repr(run)]
    spellings = KEY, quoted[1:-1], quoted[1:-1].replace("\\", "\\\\"), KEY.replace("/", "\\/")
    assert not [text for text in shown for spelling in spellings if spelling in text]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("curl -H 'Authorization: Bearer abc'", "curl -H 'Authorization: ***'"),
        ("curl -H 'X-Api-Key: abc' -H \"Cookie: a=b; c=d\"", "curl -H 'X-Api-Key: ***' -H \"Cookie: ***\""),
        (
            "curl -u me:abc https://me:abc@host/?token=abc&n=1",
            "curl -u me:*** https://***@host/?token=***&n=1",
        ),
        ("env OPENAI_API_KEY=abc ./ask --password 'a b'", "env OPENAI_API_KEY=*** ./ask --password ***"),
        ('ask \'{"api_key": "abc", "n": 1}\'', 'ask \'{"api_key": "***", "n": 1}\''),
        ("ask hf_abcdefgh12 0123456789abcdef0123", "ask *** ***"),
        (
            "ask --tokenizer fast --max-tokens 5 --key-file k",
            "ask --tokenizer fast --max-tokens 5 --key-file k",
        ),
        (
            "ask Qwen2-7B-Instruct-GPTQ-Int4 a/b-base-uncased.bin",
            "ask Qwen2-7B-Instruct-GPTQ-Int4 a/b-base-uncased.bin",
        ),
        ("ask my-own-phrase", "ask ***"),
    ],
)
def test_118_what_looks_like_a_secret_in_a_command_is_masked(monkeypatch, command, shown):
    monkeypatch.setenv("SERVICE_TOKEN", "my-own-phrase")
    assert hide_secrets(command) == shown


def test_118_the_secret_of_a_command_is_kept_nowhere(program, tmp_path, capfd):
    before = "print('started with', sys.argv, file=sys.stderr, flush=True)"
    body = "say(id=asked['id'], **({'label': 'pos'} if 'love' in asked['text'] else {'error': sys.argv[2]}))"
    program(body, before)
    spec = f"command:{sys.executable} {tmp_path / 'program.py'} -H 'Authorization: Bearer abcdefgh'"
    rows = [(f"a film of {word}", "pos") for word in ("love", "war", "love and war")] + [("dull", "neg")]
    run = evaluate(rows, spec, presets=["typos"], out=tmp_path / "run", options=flat(errors=1.0))
    assert run.results.model.name.endswith("-H 'Authorization: ***'")
    assert [failure.error for failure in run.results.failures] == ["Authorization: ***"]
    kept = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [content for content in [*kept, capfd.readouterr().err.encode()] if b"abcdefgh" in content]


def test_118_another_secret_is_another_model():
    """Two commands that look alike when masked must not share answers: what is masked may be no secret."""
    first, second = (open_model(f"command:cat --auth {word}", ModelOptions()) for word in ("a", "b"))
    assert first.name == second.name
    assert first.digest != second.digest


def test_what_a_program_writes_has_no_effect_on_the_terminal(program, capfd):
    body = "print('\\x1b[2J10%\\r\\x1b]0;title\\x07100%', file=sys.stderr, flush=True)\nsys.exit(3)"
    (error,) = query(program(body), ["a"]).errors
    assert error == r"ProgramError: the program ended (exit code 3); its last output: \x1b]0;title\x07100%"
    assert "\x1b" not in capfd.readouterr().err
