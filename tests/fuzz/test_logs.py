"""Logs of other harnesses, damaged or false: replies, or one line that names the file."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from salva.harnesses import read_log, read_samples
from salva.models import ModelOptions, open_generator
from salva.models.protocol import Answers
from tests.conftest import ROOT
from tests.fuzz.strategies import damaged, fuzz, one_line_errors, twisted
from tests.fuzz.test_models import check_answers

LOGS = ROOT / "tests/harnesses/logs"
PROMPT = "a question"


def _some_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()[:2]]


SAMPLES = [
    *_some_lines(LOGS / "lm-eval/films/samples_films_clean.jsonl"),
    *_some_lines(LOGS / "lm-eval/short/samples_short_clean.jsonl"),
]
LOG = json.loads((LOGS / "inspect/json/short-clean.json").read_text("utf-8"))
LOG = {"version": LOG["version"], "status": LOG["status"], "samples": LOG["samples"][:2]}
ARCHIVE = (LOGS / "inspect/eval/short-clean.eval").read_bytes()
TOKENS = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"NaN",
    b"-Infinity",
    b"1e999",
    b'"salva": ',
    b'"\\ud800"',
    b"[" * 50_000,
]
JSON_LINES = [b"".join(json.dumps(sample).encode() + b"\n" for sample in SAMPLES)]


def check(path: Path) -> None:
    """Read a log both ways; every reply is a text, or one line that says why there is none."""
    read = partial(read_samples, per_character=True) if path.suffix == ".jsonl" else read_log
    with one_line_errors():
        for reply in read(path):
            assert isinstance(reply.salva, str)
            assert isinstance(reply.text, str | None)
            check_answers(Answers.of([reply.text], errors=[reply.error]), 1)
    with one_line_errors():
        model = open_generator(f"log:{path}", ModelOptions())
        check_answers(model.predict([PROMPT]), 1)


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@fuzz(content=damaged(JSON_LINES, TOKENS))
def test_damaged_samples_of_lm_eval_are_read_or_refused(tmp_path_factory, content):
    check(write(tmp_path_factory.getbasetemp(), "samples_a.jsonl", content))


@fuzz(sample=twisted(SAMPLES))
def test_false_samples_of_lm_eval_are_read_or_refused(tmp_path_factory, sample):
    check(write(tmp_path_factory.getbasetemp(), "samples_b.jsonl", json.dumps(sample).encode() + b"\n"))


@fuzz(log=twisted([LOG]))
def test_false_samples_of_inspect_are_read_or_refused(tmp_path_factory, log):
    check(write(tmp_path_factory.getbasetemp(), "log.json", json.dumps(log).encode()))


@fuzz(content=damaged([ARCHIVE]))
def test_a_damaged_archive_of_inspect_is_read_or_refused(tmp_path_factory, content):
    check(write(tmp_path_factory.getbasetemp(), "damaged.eval", content))
