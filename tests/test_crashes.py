"""The user's own crash: its last line with file and line, and its traceback, without Salva's frames."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest

from salva._crashes import log_crash, place_of
from salva.asking.pipeline import query
from salva.errors import ModelError, UsageError
from salva.models import open_model

MODEL = """import json


def classify(texts):
    return [parse(text) for text in texts]


def parse(text):
    return json.loads(text)["label"]
"""


FRAGILE = """import ctypes
from pathlib import Path


def classify(texts):
    with Path("asked.txt").open("a") as asked:
        asked.writelines(f"{text}\\n" for text in texts)
    if "a dull film" in texts and not Path("mended").exists():
        ctypes.string_at(0)
    return ["1" if "fine" in text else "0" for text in texts]
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module, which is imported as in a new process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(name, content):
        (tmp_path / f"{name}.py").write_text(content, "utf-8")
        return f"python:{name}:classify"

    return write


def test_a_crash_names_the_users_line_and_not_that_of_a_library(module):
    (error,) = query(open_model(module("crash_one", MODEL)), ["no JSON"]).errors
    assert error == "JSONDecodeError: Expecting value: line 1 column 1 (char 0) (crash_one.py:9)"


def test_a_file_elsewhere_is_shown_by_its_name(module, monkeypatch, tmp_path):
    model = open_model(module("crash_two", MODEL))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert query(model, ["no JSON"]).errors[0].endswith(" (crash_two.py:9)")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("import json\njson.loads('x')\n", r"char 0\) \(crash_import0.py:2\)"),
        ("def classify(texts):\n    return (\n", r"SyntaxError: .* \(crash_import1.py:2\)"),
    ],
)
def test_a_module_that_cannot_be_imported_names_its_line(module, content, problem):
    name = "crash_import0" if "json" in content else "crash_import1"
    with pytest.raises(ModelError, match=problem):
        open_model(module(name, content))


def test_what_arises_in_salva_alone_has_no_place():
    with pytest.raises(UsageError) as caught:
        open_model("builtin:nothing")
    error = caught.value.with_traceback(caught.tb.tb_next)  # without the line of this test
    assert place_of(error) == ""


def test_the_traceback_begins_with_the_users_code(module, caplog):
    crashes = []
    query(open_model(module("crash_three", MODEL)), ["no JSON"], on_crash=crashes.append)
    with caplog.at_level(logging.INFO, "salva"):
        log_crash(crashes[0])
    assert "in classify" in caplog.text
    assert "in parse" in caplog.text
    assert "salva/" not in caplog.text.partition("Traceback")[2]


def test_the_command_line_shows_the_place_and_with_v_the_traceback(salva, module, tmp_path):
    spec = module("crash_four", MODEL)
    rows = "\n".join(json.dumps({"text": f"a film {i}", "label": "good"}) for i in range(30))
    (tmp_path / "data.jsonl").write_text(rows + "\n", "utf-8")
    run = ("evaluate", "data.jsonl", "--model", spec, "-o", "run", "--preset", "typos", "--severity", "1")
    plain = salva(*run)
    assert (plain.code, len(plain.err.splitlines())) == (4, 1)
    assert (
        "the first error: JSONDecodeError: Expecting value: line 1 column 1 (char 0) (crash_four.py:9)"
        in plain.err
    )
    more = salva(*run, "-v")
    assert more.code == 4
    assert more.err.count("Traceback (most recent call last)") == 1
    assert 'crash_four.py", line 9, in parse' in more.err
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_crash_of_the_whole_process_shows_the_line_and_loses_no_answer(tmp_path):
    (tmp_path / "fragile.py").write_text(FRAGILE)
    (tmp_path / "data.csv").write_text("text,label\na fine film,1\na dull film,0\na film,0\n")
    model = [
        "--model",
        "python:fragile:classify",
        "-M",
        "batch_size=1",
        "-S",
        "noise=0",
        "-S",
        "blame_calls=0",
    ]
    command = ["evaluate", "data.csv", *model, "--preset", "case", "--severity", "1", "-o", "run"]

    def run(*more):
        whole = [sys.executable, "-m", "salva", *command, *more]
        done = subprocess.run(whole, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    code, shown = run()
    assert (code, 'fragile.py", line 9 in classify' in shown) == (-11, True)
    assert not (tmp_path / "run/results.json").exists()
    (tmp_path / "mended").touch()
    assert run("--resume")[0] == 0
    asked = (tmp_path / "asked.txt").read_text().splitlines()
    assert sorted(asked) == ["a dull film", "a dull film", "a film", "a fine film"]
